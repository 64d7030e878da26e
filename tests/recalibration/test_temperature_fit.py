"""The slope of largest likelihood, of all rows and of all but a fold, against its equation."""

import numpy as np
import pytest
from scipy.optimize import brentq

from calibrant import Predictions
from calibrant.models import TemperatureModel
from calibrant.recalibration import assign_folds
from calibrant.recalibration._temperature_fit import fit_slope, fit_slope_folds

BOUNDS, FLOOR = (1 / 20, 20.0), 1e-12


def literal(predictions):
    """The β with Σ w (E log p − log p_y) = 0, found without derivatives."""
    logs = np.log(np.maximum(predictions.y_prob, FLOOR))
    label = logs[np.arange(len(logs)), predictions.y_true]

    def slope(beta):
        q = np.exp(beta * (logs - logs.max(axis=1, keepdims=True)))
        q /= q.sum(axis=1, keepdims=True)
        return float(predictions.weights @ ((q * logs).sum(axis=1) - label))

    return brentq(slope, *BOUNDS, xtol=1e-14, rtol=1e-14)


def sample(n, m, temperature, *, weighted=False, seed=1):
    y, p = TemperatureModel(0.3, m, temperature=temperature).sample(n, rng=seed)
    w = np.random.default_rng(2).exponential(size=n) if weighted else None
    return Predictions(y, p, sample_weight=w)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("n", "m", "temperature"), [(60, 3, 1.5), (2000, 10, 3.0), (2000, 10, 0.5), (500, 100, 1.0)]
)
def test_slopes_solve_the_equation_of_all_rows_and_of_all_but_a_fold(
    core, n, m, temperature, weighted
):
    predictions = sample(n, m, temperature, weighted=weighted)
    folds = assign_folds(predictions.n_samples, 5)
    whole, others = fit_slope_folds(predictions, FLOOR, BOUNDS, folds)
    # the ridge that always stays moves them by its rate
    assert whole == pytest.approx(literal(predictions), rel=1e-8)
    assert whole == fit_slope(predictions, FLOOR, BOUNDS)
    for k, other in enumerate(others):
        assert other == pytest.approx(literal(predictions.take(folds != k)), rel=1e-8)


def test_a_start_on_some_rows_ends_where_all_rows_say():
    predictions = sample(45_000, 3, 1.7)
    assert fit_slope(predictions, FLOOR, BOUNDS) == pytest.approx(literal(predictions), rel=1e-8)


@pytest.mark.parametrize(("hit", "bound"), [(1, BOUNDS[1]), (0, BOUNDS[0])])
def test_labels_that_are_always_or_never_the_likeliest_end_at_a_bound(hit, bound):
    p = np.tile([0.3, 0.7], (20, 1))
    predictions = Predictions(np.full(20, hit), p)
    assert fit_slope(predictions, FLOOR, BOUNDS) == bound


def test_uniform_rows_leave_the_slope_at_one():
    predictions = Predictions(np.arange(20) % 4, np.full((20, 4), 0.25))
    assert fit_slope(predictions, FLOOR, BOUNDS) == 1.0
