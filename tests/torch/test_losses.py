"""The losses are the library's errors, with right gradients, on any device and type."""

import pickle

import numpy as np
import pytest

import calibrant as cal
from calibrant.kernels import (
    Classwise,
    FunctionKernel,
    Gaussian,
    Laplacian,
    Matern,
    Mean,
    Median,
    RationalQuadratic,
)

torch = pytest.importorskip("torch")
from calibrant.torch import MMCELoss, SKCELoss  # noqa: E402

pytestmark = pytest.mark.slow

A = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, -0.3], [0.0, -0.3, 0.7]])


def inner(p, q):
    return p @ q.T


SCALAR = [
    Laplacian(),
    Laplacian(0.3),
    Laplacian(Mean(), metric="euclidean"),
    Laplacian(0.3, metric="hellinger"),
    Gaussian(0.4),
    Gaussian(metric="hellinger"),
    RationalQuadratic(0.4, alpha=0.7),
    Matern(0.4),
    Matern(nu=2.5),
    2.5 * Laplacian(0.3) + Gaussian(0.2),
    FunctionKernel(inner),
]
KERNELS = [
    *SCALAR,
    Classwise(),
    Classwise(Gaussian(0.3)),
    Classwise(RationalQuadratic(0.3)),
    Classwise(Matern(0.3)),
    Laplacian(0.3) * A,
    3.0 * Classwise(Laplacian(0.2)) + Gaussian(0.5) * A + Laplacian(),
]
PAIRS = [
    {},
    {"unbiased": False},
    {"block_size": 2},
    {"block_size": 5},
    {"chunk_size": 4},
    {"unbiased": False, "chunk_size": 5},
]
IDS = [f"{k}-{type(kernel).__name__}" for k, kernel in enumerate(KERNELS)]
each_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=IDS)
each_scalar_kernel = pytest.mark.parametrize("kernel", SCALAR, ids=IDS[: len(SCALAR)])
each_pairs = pytest.mark.parametrize("pairs", PAIRS, ids=repr)


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Small tensors gain nothing from more, and lose where the machine is busy."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def batch(n=13, m=3, seed=0):
    """Return logits, labels and weights; a row occurs twice, so that a distance is 0."""
    rng = np.random.default_rng(seed)
    z = 2.0 * rng.normal(size=(n, m))
    z[-1] = z[0]
    return torch.tensor(z), torch.tensor(rng.integers(m, size=n)), torch.tensor(rng.random(n))


def value_of(kernel, pairs, y, p, w=None):
    options = {key: value for key, value in pairs.items() if key != "chunk_size"}
    return cal.SKCE(kernel, **options)(y, p, sample_weight=w)


def central_differences(function, z, step=1e-5):
    """Return the gradient by central differences of the fourth order."""
    gradient = torch.zeros_like(z)
    for k in range(z.numel()):
        at = [z.detach().clone() for _ in range(4)]
        for moved, steps in zip(at, (2, 1, -1, -2), strict=True):
            moved.view(-1)[k] += steps * step
        with torch.no_grad():
            far, near, back, beyond = (float(function(moved)) for moved in at)
        gradient.view(-1)[k] = (-far + 8 * near - 8 * back + beyond) / (12 * step)
    return gradient


def gradient_of(function, z):
    z = z.detach().clone().requires_grad_()
    function(z).backward()
    return z.grad


def assert_same_gradient(function, z):
    exact, numeric = gradient_of(function, z), central_differences(function, z)
    assert torch.isfinite(exact).all()
    error = (exact - numeric).norm() / numeric.norm()
    assert error < 1e-6, f"relative error {float(error):.2g}"


@pytest.mark.slow
@each_kernel
@each_pairs
def test_the_loss_is_the_error_of_the_library(kernel, pairs):
    z, y, w = batch()
    p = z.softmax(dim=1)
    expected = value_of(kernel, pairs, y, p)
    for inputs, outputs in (("logits", z), ("probabilities", p)):
        value = SKCELoss(kernel, inputs=inputs, **pairs)(outputs, y)
        assert value.shape == ()
        assert value.dtype == torch.float64
        assert abs(value.item() - expected) <= 1e-12 * max(1.0, abs(expected))
    weighted = SKCELoss(kernel, inputs="logits", **pairs)(z, y, w).item()
    assert abs(weighted - value_of(kernel, pairs, y, p, w)) <= 1e-12
    assert abs(weighted - expected) > 1e-6


@each_scalar_kernel
@pytest.mark.parametrize("m", [2, 3])
def test_mmce_is_that_of_the_library(kernel, m):
    z, y, w = batch(m=m)
    p = z.softmax(dim=1)
    value = MMCELoss(kernel, inputs="logits")(z, y).item()
    assert value == pytest.approx(cal.MMCE(kernel)(y, p), rel=1e-12)
    assert MMCELoss(kernel, inputs="probabilities")(p, y).item() == pytest.approx(value, rel=1e-12)
    weighted = MMCELoss(kernel, inputs="logits")(z, y, w).item()
    assert weighted == pytest.approx(cal.MMCE(kernel)(y, p, sample_weight=w), rel=1e-12)
    squared = MMCELoss(kernel, inputs="logits", squared=True, chunk_size=4)(z, y).item()
    assert squared == pytest.approx(value**2, rel=1e-12)


@each_pairs
def test_squared_mmce_in_every_way_of_pairing(pairs):
    z, y, _ = batch()
    top = cal.Predictions(y, z.softmax(dim=1)).top_label()
    expected = value_of(0.5 * Laplacian(0.4), pairs, top, None)
    pairs = {"unbiased": True} | pairs
    value = MMCELoss(inputs="logits", squared=True, **pairs)(z, y).item()
    assert value == pytest.approx(expected, rel=1e-11)


def test_the_loss_of_the_paper_by_hand():
    # two sure and wrong predictions: r = (−1, 1), (1, −1), k = exp(−1)
    z = torch.tensor([[1.0, 0.0], [0.0, 1.0]], dtype=torch.float64)
    y = torch.tensor([1, 0])
    kernel = Gaussian(1.0)
    unbiased = SKCELoss(kernel, inputs="probabilities")(z, y).item()
    biased = SKCELoss(kernel, inputs="probabilities", unbiased=False)(z, y).item()
    assert unbiased == pytest.approx(-2 * np.exp(-1), rel=1e-14)
    assert biased == pytest.approx(1 - np.exp(-1), rel=1e-14)


@pytest.mark.slow
@each_kernel
@each_pairs
def test_gradients_agree_with_central_differences(kernel, pairs):
    z, y, w = batch(n=7)
    z[-1] += 0.3  # apart: at equal predictions a Laplacian has no derivative
    fixed = kernel.resolve(z.softmax(dim=1).numpy())
    loss = SKCELoss(fixed, inputs="logits", **pairs)
    assert_same_gradient(lambda x: loss(x, y, w), z)


@each_scalar_kernel
@pytest.mark.parametrize("squared", [True, False])
def test_gradients_of_mmce_agree_with_central_differences(kernel, squared):
    z, y, w = batch(n=7)
    z[-1] += 0.3
    p = z.softmax(dim=1).numpy()
    fixed = kernel.resolve(cal.Predictions(y, p).top_label().y_prob)
    loss = MMCELoss(fixed, inputs="logits", squared=squared)
    assert_same_gradient(lambda x: loss(x, y, w), z)


@pytest.mark.parametrize(
    "loss",
    [
        SKCELoss(Laplacian(0.3), inputs="logits"),
        SKCELoss(Gaussian(0.3), inputs="logits", unbiased=False),
        SKCELoss(Classwise(Laplacian(0.3)), inputs="logits", block_size=4),
        MMCELoss(inputs="logits"),
        MMCELoss(inputs="logits", squared=True, unbiased=True, chunk_size=3),
    ],
    ids=repr,
)
def test_gradcheck(loss):
    z, y, _ = batch(n=6, seed=2)
    z[-1] += 0.3
    assert torch.autograd.gradcheck(lambda x: loss(x, y), z.requires_grad_(), eps=1e-6, atol=1e-8)


def test_probabilities_of_one_column_have_their_own_gradient():
    rng = np.random.default_rng(0)
    p = torch.tensor(0.1 + 0.8 * rng.random(9))
    y = torch.tensor(rng.integers(2, size=9))
    loss = SKCELoss(Laplacian(0.3), inputs="probabilities")
    assert loss(p, y).item() == pytest.approx(cal.SKCE(Laplacian(0.3))(y, p), rel=1e-12)
    assert loss(p[:, None], y[:, None]).item() == loss(p, y > 0).item()
    assert_same_gradient(lambda x: loss(x, y), p)
    logits = torch.logit(p)
    by_logits = SKCELoss(Laplacian(0.3), inputs="logits")(logits, y)
    assert by_logits.item() == pytest.approx(loss(p, y).item(), rel=1e-12)


def test_a_bandwidth_rule_is_a_constant_of_the_batch():
    z, y, _ = batch()
    resolved = Laplacian(Median()).resolve(z.softmax(dim=1).numpy())
    rule, number = (SKCELoss(kernel, inputs="logits") for kernel in (Laplacian(), resolved))
    torch.testing.assert_close(
        gradient_of(lambda x: rule(x, y), z), gradient_of(lambda x: number(x, y), z)
    )


@pytest.mark.parametrize("metric", ["tv", "euclidean", "hellinger"])
def test_equal_predictions_have_finite_gradients(metric):
    y = torch.tensor([0, 1, 1, 2])
    for z in (torch.zeros(4, 3, dtype=torch.float64), 900.0 * torch.eye(4, 3).double()):
        loss = SKCELoss(Laplacian(0.3, metric=metric), inputs="logits")
        assert torch.isfinite(gradient_of(lambda x, loss=loss: loss(x, y), z)).all()
    # where all predictions are equal, so are their pulls: no distance has a gradient
    p = torch.full((4, 3), 1.0 / 3.0, dtype=torch.float64)
    got = gradient_of(
        lambda x: SKCELoss(Laplacian(0.3, metric=metric), inputs="probabilities")(x, y), p
    )
    fixed = SKCELoss(FunctionKernel(lambda a, b: 1.0 + 0.0 * (a @ b.T)), inputs="probabilities")
    torch.testing.assert_close(got, gradient_of(lambda x: fixed(x, y), p))


def test_a_perfect_batch_has_the_gradient_0():
    p = torch.tensor([[1.0, 0.0], [0.0, 1.0]], dtype=torch.float64, requires_grad=True)
    MMCELoss(inputs="probabilities")(p, torch.tensor([0, 1])).backward()
    assert torch.equal(p.grad, torch.zeros_like(p))


def test_near_0_the_gradient_of_the_root_is_bounded():
    for distance in (1e-3, 1e-6, 1e-9, 1e-12):
        # MMCE is |c − s| here: its slope is 1 for class 1 of two, which does not occur, and −1 for
        # the predicted class of three, which does; one third for each row
        for row, c, slope in (((), 1, 1.0), ((0.0,), 0, -1.0)):
            rows = [[1 - distance, distance, *row]] * 3
            p = torch.tensor(rows, dtype=torch.float64, requires_grad=True)
            MMCELoss(inputs="probabilities")(p, torch.tensor([0, 0, 0])).backward()
            np.testing.assert_allclose(p.grad[:, c], slope / 3, rtol=1e-3)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_shorter_types_are_computed_in_float32(dtype):
    z, y, _ = batch(40)
    short = z.to(getattr(torch, dtype)).requires_grad_()
    for make, exact in ((SKCELoss, cal.SKCE()), (MMCELoss, cal.MMCE())):
        value = make(inputs="logits")(short, y)
        assert value.dtype == torch.float32
        expected = exact(y, short.detach().double().softmax(dim=1))
        assert value.item() == pytest.approx(expected, rel=1e-3, abs=1e-6)
        value.backward()
        assert short.grad.dtype == short.dtype
        assert torch.isfinite(short.grad).all()


def test_autocast_does_not_cost_digits():
    z, y, _ = batch(40)
    loss = SKCELoss(Laplacian(0.3), inputs="logits")
    with torch.autocast("cpu", dtype=torch.bfloat16):
        inside = loss(z.float(), y)
    assert inside.item() == loss(z.float(), y).item()


@pytest.mark.parametrize("pairs", [{}, {"unbiased": False}, {"block_size": 2}], ids=repr)
def test_tensors_stay_on_their_device(pairs):
    # the device "meta" has shapes and no numbers: nothing may be moved off it or looked at
    z = torch.zeros(8, 3, device="meta", requires_grad=True)
    y = torch.zeros(8, dtype=torch.long, device="meta")
    for kernel in (Laplacian(0.3), Gaussian(0.3, metric="hellinger"), Laplacian(0.3) * A):
        value = SKCELoss(kernel, inputs="logits", **pairs)(z, y)
        assert value.device.type == "meta"
        (gradient,) = torch.autograd.grad(value, z)
        assert gradient.device.type == "meta"
        assert gradient.shape == z.shape
    assert MMCELoss(inputs="probabilities")(z, y).device.type == "meta"


def test_chunks_hold_less_for_the_gradient():
    z, y, _ = batch(200)

    def saved(loss):
        sizes = []
        hooks = torch.autograd.graph.saved_tensors_hooks(
            lambda x: (sizes.append(x.numel()), x)[1], lambda x: x
        )
        with hooks:
            loss(z.clone().requires_grad_(), y)
        return sum(sizes)

    full = saved(SKCELoss(Laplacian(0.3), inputs="logits"))
    chunks = saved(SKCELoss(Laplacian(0.3), inputs="logits", chunk_size=20))
    blocks = saved(SKCELoss(Laplacian(0.3), inputs="logits", block_size=20))
    assert full > 3 * 200 * 200
    assert chunks < full / 3
    assert blocks < full / 3


def test_modules_can_be_printed_and_saved():
    loss = SKCELoss(Laplacian(0.3), inputs="logits", block_size=2)
    assert "Laplacian(bandwidth=0.3, metric='tv'), inputs='logits'" in repr(loss)
    assert "squared=False" in repr(MMCELoss(inputs="logits"))
    assert list(loss.parameters()) == []
    z, y, _ = batch()
    assert pickle.loads(pickle.dumps(loss))(z, y) == loss(z, y)
