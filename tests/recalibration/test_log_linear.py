import numpy as np
import pytest
from tests.recalibration.literal_maps import log_linear

from calibrant.errors import DataError
from calibrant.recalibration import FittedTemperature, Identity, LogLinear, Temperature


@pytest.mark.parametrize("shape", [(), (3,), (3, 3)])
def test_every_form_is_the_literal_softmax(shape, ternary):
    rng = np.random.default_rng(1)
    slopes, b = rng.normal(1, 0.3, shape), rng.normal(size=3) if shape else np.zeros(3)
    fitted = LogLinear(3, 1e-12, np.asarray(slopes), b)
    expected = [log_linear(p, fitted.matrix.tolist(), b) for p in ternary[1]]
    np.testing.assert_allclose(fitted.predict_proba(ternary[1]), expected, rtol=1e-13)


def test_blocks_change_nothing():
    p = np.random.default_rng(0).dirichlet(np.ones(3), 40_000)
    fitted = LogLinear(3, 1e-12, np.array([0.5, 1.0, 2.0]), np.array([0.1, 0.0, -0.1]))
    pieces = np.concatenate([fitted.predict_proba(part) for part in np.array_split(p, 7)])
    np.testing.assert_array_equal(fitted.predict_proba(p), pieces)


def test_zeros_are_taken_for_the_floor():
    tempered = FittedTemperature(2, 1e-4, np.array(0.5), np.zeros(2)).predict_proba([[0.0, 1.0]])
    np.testing.assert_allclose(tempered[0, 0] / tempered[0, 1], 1e-2, rtol=1e-14)


def test_one_column_is_the_positive_class():
    fitted = Identity().fit([0.2, 0.9], [0, 1])
    np.testing.assert_allclose(fitted.predict_proba([0.25]), [[0.75, 0.25]], rtol=1e-15)


def test_identity_keeps_positive_probabilities():
    p = np.random.default_rng(0).dirichlet(np.full(5, 0.3), 100)
    fitted = Identity().fit(p, np.zeros(100, dtype=int))
    np.testing.assert_allclose(fitted.predict_proba(p), np.maximum(p, 1e-12), rtol=1e-10)
    assert fitted.n_parameters == 0


def test_only_a_common_positive_slope_keeps_the_ranking():
    zeros = np.zeros(2)
    assert LogLinear(2, 1e-12, np.array(0.1), zeros).keeps_ranking
    assert not LogLinear(2, 1e-12, np.array([1.0, 1.0]), zeros).keeps_ranking


def test_other_classes_are_refused():
    fitted = Temperature().fit([[0.2, 0.8], [0.6, 0.4]], [1, 0])
    with pytest.raises(DataError, match="must have 2 columns, one per class of the fitted map"):
        fitted.predict_proba([[0.2, 0.3, 0.5]])


@pytest.mark.parametrize("floor", [0.0, -1e-12, 0.5, "x", float("nan")])
def test_floors_are_small_and_positive(floor):
    with pytest.raises(ValueError, match="`floor` must be in"):
        Temperature(floor=floor)
