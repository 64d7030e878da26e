import re

import numpy as np
import pytest

from calibrant import Predictions
from calibrant.models import TemperatureModel
from calibrant.recalibration import (
    Calibrator,
    ConfidenceCurve,
    DirichletScaling,
    Identity,
    Isotonic,
    Temperature,
    VectorScaling,
    assign_folds,
)
from calibrant.recalibration._smooth_curve import fit_smooth_curve

FIRST = [Identity(), Temperature(), VectorScaling(), DirichletScaling()]


def wrong_at_the_top(n, rng, m=4):
    """Return labels and predictions that are wrong only where they are confident."""
    rng = np.random.default_rng(rng)
    p = rng.dirichlet(np.full(m, 0.2), n)
    top = p.max(axis=1, keepdims=True)
    lower = np.where(top > 0.7, 0.7 + 0.4 * (top - 0.7), top)
    truth = np.where(p == top, lower, p * (1 - lower) / (1 - top))
    return (truth.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1), p, truth


def literal(first, x, y, row):
    """Return one row, by the formula of the docstring."""
    q = first.predict_proba(row[None])[0]
    k = int(np.argmax(q))
    confidence = float(np.interp(q[k], x, y))
    rest = sum(q[c] for c in range(len(q)) if c != k)
    return [confidence if c == k else q[c] * (1 - confidence) / rest for c in range(len(q))]


@pytest.mark.parametrize("first", FIRST)
@pytest.mark.parametrize("m", [2, 3, 10])
def test_every_row_is_the_formula(first, m):
    y, p = TemperatureModel(0.4, m, temperature=1.6).sample(300, rng=m)
    fitted = ConfidenceCurve(first).fit(p, y)
    plain = first.fit(p, y)
    wanted = [literal(plain, *fitted.knots, row) for row in p]
    np.testing.assert_allclose(fitted.predict_proba(p), wanted, rtol=1e-10)


def test_the_curve_is_the_mean_of_steps_and_a_smooth_curve():
    y, p, _ = wrong_at_the_top(500, 0)
    w = np.random.default_rng(0).integers(1, 4, 500).astype(float)
    fitted = ConfidenceCurve(Identity()).fit(p, y, w)
    confidence, right = p.max(axis=1), p.argmax(axis=1) == y
    steps = Isotonic().fit(confidence, right.astype(int), w)
    smooth = fit_smooth_curve(confidence, right, w * w.sum() / (w @ w))
    grid = np.linspace(0.2, 1.0, 500)
    wanted = (steps.predict_proba(grid)[:, 1] + np.interp(grid, *smooth)) / 2
    np.testing.assert_allclose(np.interp(grid, *fitted.knots), wanted, rtol=1e-9)
    assert fitted.n_parameters == steps.n_parameters + 8


def test_rows_of_weight_0_do_not_count():
    y, p, _ = wrong_at_the_top(400, 1)
    w = np.random.default_rng(0).integers(0, 2, 400).astype(float)
    fitted = ConfidenceCurve(VectorScaling()).fit(p, y, w)
    wanted = ConfidenceCurve(VectorScaling()).fit(p[w > 0], y[w > 0])
    # rounding may give one of them a knot more on the same line
    grid = np.linspace(0.2, 1.0, 500)
    ours, theirs = (np.interp(grid, *one.knots) for one in (fitted, wanted))
    np.testing.assert_allclose(ours, theirs, rtol=1e-8)


def test_it_finds_what_no_temperature_can_repair():
    y, p, _ = wrong_at_the_top(20000, 2)
    _, new, truth = wrong_at_the_top(20000, 3)
    k = new.argmax(axis=1)
    rows = np.arange(len(new))

    def error(family):
        return np.abs(family.fit(p, y).predict_proba(new)[rows, k] - truth[rows, k]).mean()

    assert 2 * error(ConfidenceCurve()) < error(Temperature())


@pytest.mark.parametrize("first", FIRST)
def test_rows_sum_to_1_and_the_rest_keeps_its_proportions(first):
    y, p, _ = wrong_at_the_top(2000, 4)
    before, after = first.fit(p, y).predict_proba(p), ConfidenceCurve(first).fit(p, y)
    after = after.predict_proba(p)
    np.testing.assert_allclose(after.sum(axis=1), 1.0, rtol=1e-12)
    assert after.min() >= 0.0
    k = before.argmax(axis=1)
    others = np.ones(before.shape, dtype=bool)
    others[np.arange(len(k)), k] = False
    ratio = np.where(others, after / before, np.nan)
    spread = np.nanmax(ratio, axis=1) / np.nanmin(ratio, axis=1)
    np.testing.assert_allclose(spread, 1.0, rtol=1e-9)


def test_certain_rows_share_the_rest_out_evenly():
    # logits times 100: the others underflow to 0
    p = np.array([[1 - 2e-6, 1e-6, 1e-6]] * 3)
    fitted = ConfidenceCurve(Identity()).fit(p, [0, 0, 1])
    object.__setattr__(fitted.first, "slopes", np.array(100.0))
    top = fitted.knots[1][-1]
    assert 0.5 < top < 1.0
    found = fitted.predict_proba(p)[0]
    np.testing.assert_allclose(found, [top, (1 - top) / 2, (1 - top) / 2], rtol=1e-12)


def test_folds_equal_fits_without_them():
    y, p, _ = wrong_at_the_top(900, 5)
    rows = Predictions(y, p)
    folds = assign_folds(rows.n_samples, 3, 0)
    for family in (ConfidenceCurve(), ConfidenceCurve(VectorScaling())):
        whole, others = family.fit_folds(rows, folds)
        wanted = family.fit_predictions(rows).predict_proba(p)
        np.testing.assert_allclose(whole.predict_proba(p), wanted, atol=1e-6)
        for k, other in enumerate(others):
            alone = family.fit_predictions(rows.take(folds != k))
            np.testing.assert_allclose(other.predict_proba(p), alone.predict_proba(p), atol=1e-6)


@pytest.mark.parametrize("first", ["temperature", None, ConfidenceCurve(), Temperature])
def test_what_comes_first_must_be_another_map(first):
    with pytest.raises(TypeError, match=r"`first` must be a map.*for example VectorScaling\(\)"):
        ConfidenceCurve(first)


@pytest.mark.parametrize(
    ("first", "said"),
    [
        (
            Identity(),
            r"Correct the probability of the predicted class \(0\.6 becomes 0\.\d+, 0\.9 b",
        ),
        (Temperature(), r"Divide the logits by 1\.\d+, then correct the probability of the predi"),
    ],
)
def test_a_phrase_says_what_it_does(first, said):
    y, p = TemperatureModel(0.4, 3, temperature=1.6).sample(600, rng=0)
    family = ConfidenceCurve(first)
    found = Calibrator(family.fit(p, y), family.name, (0, 1, 2)).describe()
    assert re.match(said, found), found
