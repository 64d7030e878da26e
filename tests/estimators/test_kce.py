import math

import numpy as np
import pytest
from tests import oracles
from tests.estimators.kernel_pairs import ANY, THREE

from calibrant import Predictions
from calibrant.estimators import KCE, SKCE
from calibrant.kernels import Gaussian, Laplacian


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize(("kernel", "k"), THREE.values(), ids=THREE)
def test_square_is_the_mean_of_residual_times_witness(core, ternary, kernel, k, weighted):
    w = ternary.w.tolist() if weighted else None
    expected = oracles.kce(k, ternary.P.tolist(), ternary.y.tolist(), w)
    value = KCE(kernel)(ternary.y, ternary.P, sample_weight=w)
    assert type(value) is float
    assert value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("kernel", "k"), ANY.values(), ids=ANY)
def test_square_is_the_biased_error(core, binary, kernel, k):
    biased = SKCE(kernel, unbiased=False)(binary.y, binary.P)
    assert KCE(kernel)(binary.y, binary.P) ** 2 == pytest.approx(biased, rel=1e-14)


def test_always_sure_and_always_wrong(core):
    # Two vertices, √2 apart: KCE² = ¼(2 + 2 − 4/e).
    assert KCE(Gaussian(1.0))([1, 0], np.eye(2)) == pytest.approx(
        math.sqrt(1 - math.exp(-1)), rel=1e-14
    )


def test_one_sample_is_enough(core):
    assert KCE(Laplacian(0.3))([1], [0.25]) == pytest.approx(0.75 * math.sqrt(2), rel=1e-14)


def test_the_default_is_a_laplacian_with_the_median(core, ternary):
    predictions = Predictions(ternary.y, ternary.P)
    assert KCE()(predictions) == KCE(Laplacian())(predictions)
    assert KCE()(predictions) == math.sqrt(SKCE(unbiased=False)(predictions))


def test_wrong_kernels_are_refused():
    with pytest.raises(TypeError, match="`kernel` must be a calibrant kernel"):
        KCE("laplacian")


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_label_sets_are_estimated_as_one_by_one(core, ternary, weighted):
    predictions = Predictions(ternary.y, ternary.P, sample_weight=ternary.w if weighted else None)
    labels = np.random.default_rng(0).integers(3, size=(4, 23))
    one_by_one = [KCE()(predictions.with_labels(row)) for row in labels]
    np.testing.assert_allclose(KCE().over_labels(predictions, labels), one_by_one, rtol=1e-12)
