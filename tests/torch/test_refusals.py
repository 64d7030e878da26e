"""What the losses refuse, and with which remedy."""

import numpy as np
import pytest

from calibrant.kernels import Classwise, FunctionKernel, Laplacian, MatrixKernel, RadialKernel

torch = pytest.importorskip("torch")
from calibrant.torch import MMCELoss, SKCELoss  # noqa: E402

pytestmark = pytest.mark.slow


def inner(p, q):
    return p @ q.T


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (
            lambda: SKCELoss(inputs="scores"),
            ValueError,
            "'logits' or 'probabilities'; got 'scores'",
        ),
        (lambda: SKCELoss(3, inputs="logits"), TypeError, "`kernel` must be a calibrant kernel"),
        (
            lambda: SKCELoss(2.0 * MatrixKernel(inner), inputs="logits"),
            TypeError,
            "of which torch knows no gradient",
        ),
        (
            lambda: SKCELoss(inputs="logits", unbiased=False, block_size=2),
            ValueError,
            "block estimators are unbiased",
        ),
        (lambda: SKCELoss(inputs="logits", block_size=1), ValueError, "of 2 or more; got 1"),
        (lambda: SKCELoss(inputs="logits", chunk_size=0), ValueError, "of 1 or more; got 0"),
        (
            lambda: SKCELoss(inputs="logits", block_size=2, chunk_size=2),
            ValueError,
            "blocks need no chunks",
        ),
        (lambda: MMCELoss(Classwise(), inputs="logits"), TypeError, "must be a scalar kernel"),
        (lambda: MMCELoss(inputs="logits", unbiased=True), ValueError, "pass `squared=True`"),
    ],
)
def test_wrong_configurations_are_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


P = torch.full((4, 2), 0.5)
Y = torch.tensor([0, 1, 1, 0])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((Y, P), TypeError, r"order is that of torch: loss\(outputs, labels\)"),
        ((P.numpy(), Y), TypeError, "got ndarray"),
        ((P, Y.double()), TypeError, r"Pass `labels.long\(\)`"),
        ((P, Y[:3]), ValueError, r"shape \(4,\), one class index for each row; got \(3,\)"),
        ((P, Y + 1), ValueError, r"in \[0, 2\); got values from 1 to 2"),
        ((P, Y - 1), ValueError, "got values from -1 to 0"),
        ((P[:, None], Y), ValueError, r"got \(4, 1, 2\). Flatten"),
        ((P[:1], Y[:1]), ValueError, "at least 2 rows; got 1.*drop_last=True"),
        ((4.0 * P, Y), ValueError, 'inputs="logits"'),
        ((P * float("nan"), Y), ValueError, "must be probabilities that sum to 1"),
        ((P, Y, torch.ones(3)), ValueError, r"`sample_weight` must have shape \(4,\)"),
        ((P, Y, -torch.ones(4)), ValueError, "`sample_weight` must be non-negative"),
    ],
)
def test_wrong_tensors_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        SKCELoss(inputs="probabilities")(*arguments)


def test_a_profile_that_leaves_torch_is_refused():
    class Cauchy(RadialKernel):
        metric = "euclidean"

        def profile(self, t, xp=np):
            return np.reciprocal(1.0 + t * t)

    with pytest.raises(TypeError, match=r"must be written with its argument `xp`"):
        SKCELoss(Cauchy(0.3), inputs="probabilities")


def test_a_radial_kernel_with_its_own_tiles_is_refused():
    class Halved(Laplacian):
        def tile(self, s, t):
            return 0.5 * super().tile(s, t)

    with pytest.raises(TypeError, match="torch knows no gradient"):
        SKCELoss(Halved(0.3), inputs="probabilities")


def test_a_function_that_leaves_torch_is_refused():
    kernel = FunctionKernel(lambda p, q: np.exp(-np.ones((len(p), len(q)))))
    with pytest.raises(TypeError, match="must take tensors and return a tensor of shape"):
        SKCELoss(kernel, inputs="probabilities")(P, Y)
