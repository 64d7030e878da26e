import numpy as np
import pytest

from calibrant.errors import DataError
from calibrant.recalibration import BetaScaling


def logistic_form(p, y, w=None):
    linear_model = pytest.importorskip("sklearn.linear_model")
    features = np.column_stack([np.log(p), -np.log1p(-p)])
    return linear_model.LogisticRegression(C=np.inf, tol=1e-12, max_iter=1000).fit(features, y, w)


@pytest.mark.parametrize("weighted", [False, True])
def test_equals_logistic_regression_on_both_logarithms(weighted):
    rng = np.random.default_rng(0)
    p = rng.beta(2, 2, 800)
    y = (rng.random(800) < p**1.5).astype(int)
    w = rng.random(800) if weighted else None
    theirs, ours = logistic_form(p, y, w), BetaScaling().fit(p, y, w)
    np.testing.assert_allclose(ours.slopes[::-1], theirs.coef_[0], rtol=1e-4)
    expected = theirs.predict_proba(np.column_stack([np.log(p), -np.log1p(-p)]))
    np.testing.assert_allclose(ours.predict_proba(p), expected, rtol=1e-5)


def test_negative_slopes_are_left_out():
    rng = np.random.default_rng(1)
    p = rng.beta(2, 2, 500)
    y = (rng.random(500) < 1.0 - p).astype(int)
    fitted = BetaScaling().fit(p, y)
    assert fitted.slopes.min() >= 0.0
    assert np.ptp(fitted.predict_proba(p)[:, 1]) < 0.05  # what falls cannot be increasing


def test_more_classes_are_refused():
    with pytest.raises(DataError, match="`BetaScaling` needs two classes; got 3"):
        BetaScaling().fit(np.full((3, 3), 1 / 3), [0, 1, 2])
