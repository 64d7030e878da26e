import numpy as np
import pytest

from calibrant.recalibration import Isotonic


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("digits", [1, 15])
def test_equals_scikit_learn_before_smoothing(weighted, digits):
    isotonic = pytest.importorskip("sklearn.isotonic")
    rng = np.random.default_rng(0)
    p = rng.random(500).round(digits)
    y = (rng.random(500) < p**2).astype(int)
    w = rng.integers(0, 4, 500).astype(float) if weighted else None
    theirs = isotonic.IsotonicRegression(out_of_bounds="clip").fit(p, y, w)
    grid = np.linspace(0, 1, 301)
    ours = Isotonic(smooth=False).fit(p, y, w).predict_proba(grid)[:, 1]
    np.testing.assert_allclose(ours, theirs.predict(grid), atol=1e-10)


def test_smoothing_in_closed_form():
    fitted = Isotonic().fit([0.1, 0.2, 0.3, 0.6, 0.7, 0.9], [0, 0, 1, 0, 1, 1])
    # steps {.1, .2}: 0 of 2; {.3, .6}: 1 of 2; {.7, .9}: 2 of 2
    np.testing.assert_allclose(fitted.predict_proba([0.2, 0.4, 0.8])[:, 1], [1 / 6, 1 / 2, 5 / 6])
    assert fitted.n_parameters == 3


def test_smoothing_keeps_the_order():
    # 9 of 10 becomes .864 and 1 of 1 becomes .75: they are pooled
    p, y = [0.5] * 10 + [0.9], [0] + [1] * 10
    low, high = Isotonic().fit(p, y).predict_proba([0.5, 0.9])[:, 1]
    assert low == high == pytest.approx((9.5 / 11 * 10 + 0.75) / 11)


def test_no_probability_becomes_0_or_1():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.full(4, 0.2), 200)
    y = rng.integers(0, 3, 200)  # class 3 never occurs
    repaired = Isotonic().fit(p, y).predict_proba(p)
    assert repaired.min() > 0.0
    assert repaired.max() < 1.0
    np.testing.assert_allclose(repaired.sum(axis=1), 1.0)


def test_several_classes_are_one_against_the_rest():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), 300)
    y = rng.integers(0, 3, 300)
    curves = [Isotonic().fit(p[:, c], y == c).predict_proba(p[:, c])[:, 1] for c in range(3)]
    expected = np.transpose(curves) / np.sum(curves, axis=0)[:, None]
    np.testing.assert_allclose(Isotonic().fit(p, y).predict_proba(p), expected, rtol=1e-12)


def test_without_smoothing_classes_that_are_all_impossible_are_alike():
    fitted = Isotonic(smooth=False).fit(np.eye(3)[[0, 0, 1, 1]], [1, 1, 0, 0])
    np.testing.assert_allclose(fitted.predict_proba([[0.0, 0.0, 1.0]]).sum(), 1.0)
