"""Distances from a lowess curve: the literal local lines, exact curves, many rows."""

import math

import numpy as np
import pytest

from calibrant import Predictions
from calibrant.estimators import ICI
from calibrant.estimators._ici import lowess_matrix


def literal(x, y, span):
    """Cleveland's lowess without robustness iterations, one weighted line at each point."""
    n = len(x)
    k = max(2, int(span * n + 1e-7))
    fitted = []
    for at in x:
        distance = np.abs(x - at)
        h = np.sort(distance)[k - 1]
        w = np.where(distance <= 0.999 * h, (1 - np.minimum(distance / h, 1) ** 3) ** 3, 0.0)
        w[distance <= 0.001 * h] = 1.0
        A = np.column_stack([np.ones(n), x - at]) * np.sqrt(w)[:, None]
        fitted.append(np.linalg.lstsq(A, y * np.sqrt(w), rcond=None)[0][0])
    return np.array(fitted)


@pytest.mark.parametrize("span", [0.3, 2 / 3, 1.0])
def test_the_curve_is_cleveland_s(span):
    rng = np.random.default_rng(0)
    x = np.sort(rng.random(60))
    y = (rng.random(60) < x).astype(float)
    matrix = lowess_matrix(x, np.ones(60), np.ones(60, int), span)
    np.testing.assert_allclose(matrix @ y, literal(x, y, span), rtol=1e-9, atol=1e-11)


def test_the_summaries_are_those_of_the_distances():
    rng = np.random.default_rng(1)
    p = rng.random(101)
    y = (rng.random(101) < p**2).astype(int)
    x = np.sort(p)
    away = np.abs(np.clip(literal(x, y[np.argsort(p)].astype(float), 2 / 3), 0, 1) - x)
    assert ICI()(y, p) == pytest.approx(away.mean(), rel=1e-9)
    assert ICI("max")(y, p) == pytest.approx(away.max(), rel=1e-9)
    assert ICI("median")(y, p) == pytest.approx(np.median(away), rel=1e-9)
    ninety = np.sort(away)[math.ceil(0.9 * 101) - 1]
    assert ICI("p90")(y, p) == pytest.approx(ninety, rel=1e-9)


def test_integer_weights_are_repetitions():
    rng = np.random.default_rng(2)
    p, w = rng.random(40), rng.integers(1, 4, 40)
    y = (rng.random(40) < p).astype(int)
    # the span counts rows, so that it must contain all of them to be the same
    found = ICI(span=1.0)(y, p, sample_weight=w)
    assert found == pytest.approx(ICI(span=1.0)(np.repeat(y, w), np.repeat(p, w)), rel=1e-9)


def test_a_line_is_found_exactly():
    # outcomes that are 0.1 below a line through three groups
    p = np.repeat([0.3, 0.5, 0.7], 10)
    y = np.concatenate([np.arange(10) < 10 * (v - 0.1) - 1e-9 for v in (0.3, 0.5, 0.7)])
    for summary in ("mean", "median", "p90", "max"):
        assert ICI(summary, span=1.0)(y.astype(int), p) == pytest.approx(0.1, rel=1e-9)


def test_many_rows_are_put_into_cells_of_equal_counts():
    # the truth is p²: the mean of p − p² is 1/6; 10^5 rows, error about .002
    rng = np.random.default_rng(3)
    p = rng.random(100_000)
    y = (rng.random(100_000) < p**2).astype(int)
    assert ICI(span=0.1)(y, p) == pytest.approx(1 / 6, abs=0.006)
    small = Predictions(y[:500], p[:500])
    assert ICI()(small) == ICI()(small.take(np.arange(500)[::-1]))


def test_equal_predictions_have_a_mean_and_no_slope():
    assert ICI()([1, 1, 1, 0], [0.5] * 4) == 0.25
    mostly = ICI()([1] * 9 + [0], [0.5] * 9 + [0.9])
    assert mostly == pytest.approx(0.9 * 0.5 + 0.1 * 0.9, rel=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"summary": "mode"}, "`summary` must be"), ({"span": 0.0}, "`span` must be in")],
)
def test_parameters_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        ICI(**options)
