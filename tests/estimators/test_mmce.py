import math

import numpy as np
import pytest
from tests import oracles
from tests.samples import make_sample

from calibrant import Predictions
from calibrant.estimators import KCE, MMCE, SKCE
from calibrant.kernels import Classwise, FunctionKernel, Gaussian, Laplacian, RationalQuadratic


def inner(p, q):
    return p @ q.T


#: kernels beside their values at two probabilities, taken as the distributions (1−s, s)
KERNELS = {
    "default": (MMCE().kernel, lambda s, t: math.exp(-2.5 * abs(s - t))),
    "laplacian": (Laplacian(0.2), lambda s, t: math.exp(-abs(s - t) / 0.2)),
    "laplacian-euclidean": (
        Laplacian(0.2, metric="euclidean"),
        lambda s, t: math.exp(-math.sqrt(2) * abs(s - t) / 0.2),
    ),
    "gaussian": (Gaussian(0.3), lambda s, t: math.exp(-2 * (s - t) ** 2 / (2 * 0.3**2))),
    "rational-quadratic": (
        RationalQuadratic(0.3),
        lambda s, t: 1 / (1 + 2 * (s - t) ** 2 / (2 * 0.3**2)),
    ),
    "sum": (
        Laplacian(0.2) + 2.0 * Laplacian(0.5),
        lambda s, t: math.exp(-abs(s - t) / 0.2) + 2 * math.exp(-abs(s - t) / 0.5),
    ),
    "function": (FunctionKernel(inner), lambda s, t: s * t + (1 - s) * (1 - t)),
}
all_kernels = pytest.mark.parametrize(("kernel", "k"), KERNELS.values(), ids=KERNELS)


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("m", [2, 3, 10])
@all_kernels
def test_error_is_that_of_kumar_sarawagi_and_jain(core, kernel, k, m, weighted):
    y, P, w = make_sample(m, 23, m)
    w = w.tolist() if weighted else None
    value = MMCE(kernel)(y, P, sample_weight=w)
    assert value == pytest.approx(oracles.mmce(k, P.tolist(), y.tolist(), w), rel=1e-12)


@all_kernels
def test_error_is_the_kernel_error_of_the_top_label(core, ternary, kernel, k):
    # The example of the paper: MMCE is KCE with ½·k·I_2 on (correct, confidence).
    y, P, _ = ternary
    top = Predictions(y, P).top_label()
    value = MMCE(kernel)(y, P)
    assert value == pytest.approx(KCE(0.5 * kernel)(top), rel=1e-14)
    assert 2 * value**2 == pytest.approx(SKCE(kernel, unbiased=False)(top), rel=1e-13)


def test_ties_go_to_the_first_class(core):
    P = [[0.4, 0.4, 0.2]]
    assert MMCE()([0], P) == pytest.approx(0.6, rel=1e-14)
    assert MMCE()([1], P) == pytest.approx(0.4, rel=1e-14)


def test_a_sure_and_right_model_has_no_error(core):
    assert MMCE()([0, 1, 2], np.eye(3)) == 0.0


def test_kernels_must_be_scalar():
    for kernel in (Classwise(Laplacian(0.2)), Laplacian(0.2) * np.eye(2), "laplacian"):
        with pytest.raises(TypeError, match="must be a scalar kernel of two probabilities"):
            MMCE(kernel)


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_label_sets_are_estimated_as_one_by_one(core, ternary, weighted):
    predictions = Predictions(ternary.y, ternary.P, sample_weight=ternary.w if weighted else None)
    labels = np.random.default_rng(0).integers(3, size=(4, 23))
    one_by_one = [MMCE()(predictions.with_labels(row)) for row in labels]
    np.testing.assert_allclose(MMCE().over_labels(predictions, labels), one_by_one, rtol=1e-12)
