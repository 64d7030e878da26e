import numpy as np
import pytest

from calibrant.models import Distorted, LogitShift
from calibrant.recalibration import ClassPrior


def test_two_classes_in_closed_form():
    # odds 1:1 that occur 3:1 have the factor 3
    fitted = ClassPrior().fit([[0.5, 0.5]] * 4, [0, 0, 0, 1])
    np.testing.assert_allclose(fitted.predict_proba([[0.5, 0.5]]), [[0.75, 0.25]], rtol=1e-8)


def test_the_repaired_frequencies_are_those_of_the_labels():
    y, p = Distorted(0.7, 4, truth=LogitShift([1.0, 0.0, -1.0, 0.5])).sample(500, rng=0)
    repaired = ClassPrior().fit(p, y).predict_proba(p)
    np.testing.assert_allclose(repaired.mean(axis=0), np.bincount(y) / 500, atol=1e-8)


def test_the_shift_is_found():
    shift = np.array([1.0, 0.0, -1.0])
    y, p = Distorted(0.7, 3, truth=LogitShift(shift)).sample(50_000, rng=0)
    # standard errors are about .015
    np.testing.assert_allclose(ClassPrior().fit(p, y).intercepts, shift, atol=0.06)


def test_known_rates_are_the_formula():
    old, new = np.array([0.2, 0.3, 0.5]), np.array([0.6, 0.3, 0.1])
    p = np.random.default_rng(0).dirichlet(np.ones(3), 20)
    expected = p * new / old
    expected /= expected.sum(axis=1, keepdims=True)
    fitted = ClassPrior().from_rates(source=old * 7, target=new)
    np.testing.assert_allclose(fitted.predict_proba(p), expected, rtol=1e-12)


def test_rows_without_labels_tell_the_new_rates():
    rng = np.random.default_rng(0)
    # one feature, normal with mean ±1; trained at 1:1, used at 4:1
    y = (rng.random(40_000) < 0.2).astype(int)
    x = rng.normal(2.0 * y - 1.0)
    posterior = 1.0 / (1.0 + np.exp(-2.0 * x))
    p = np.column_stack([1.0 - posterior, posterior])
    fitted = ClassPrior().adapt(p, source=[0.5, 0.5])
    odds = np.exp(fitted.intercepts[1] - fitted.intercepts[0])
    assert odds == pytest.approx(0.25, abs=0.015)  # standard error about .004


@pytest.mark.parametrize("rates", [[0.5], [0.5, 0.0], [0.5, np.nan], [[0.5, 0.5]]])
def test_rates_are_positive(rates):
    with pytest.raises(ValueError, match="`source` must be one positive rate per class"):
        ClassPrior().from_rates(rates, [0.5, 0.5])


def test_rates_have_one_entry_per_class():
    with pytest.raises(ValueError, match="one rate per class; got 2 and 3"):
        ClassPrior().from_rates([1, 1], [1, 1, 1])
    with pytest.raises(ValueError, match="one rate for each of 2 classes; got 3"):
        ClassPrior().adapt([[0.5, 0.5]], [1, 1, 1])
