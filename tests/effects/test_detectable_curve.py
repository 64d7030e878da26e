"""The rows needed to detect a temperature, compared with the planned test."""

import numpy as np
import pytest

from calibrant import Predictions
from calibrant.effects import detectable_curve, detectable_temperature


@pytest.fixture(scope="module")
def predictions():
    y_prob = np.random.default_rng(0).dirichlet(np.full(5, 0.4), 300)
    return Predictions(np.zeros(300, dtype=int), y_prob)


def test_repeated_rows_detect_the_temperature_for_which_the_curve_asks_so_many(predictions):
    curve = detectable_curve(predictions)
    for repeats in (1, 2, 8):
        more = predictions.take(np.tile(np.arange(300), repeats))
        found = detectable_temperature(more)
        for temperature in (found.over, found.under):
            shift = np.abs(np.log(curve.temperature / temperature))
            near = np.argsort(shift)[:2]
            # between two points the number of rows is nearly a power of the distance from 1
            x = np.log(np.abs(np.log(curve.temperature[near])))
            y = np.log(curve.n_samples[near])
            at = np.log(abs(np.log(temperature)))
            rows = np.exp(y[0] + (y[1] - y[0]) * (at - x[0]) / (x[1] - x[0]))
            assert rows == pytest.approx(300 * repeats, rel=0.02)


def test_farther_temperatures_take_fewer_rows(predictions):
    curve = detectable_curve(predictions)
    above = curve.temperature > 1.0
    assert np.all(np.diff(curve.temperature) > 0)
    assert np.all(np.diff(curve.n_samples[above]) < 0)
    assert np.all(np.diff(curve.n_samples[~above]) > 0)


def test_more_power_takes_more_rows(predictions):
    low, high = (detectable_curve(predictions, power=power) for power in (0.5, 0.9))
    at = [np.interp(1.5, c.temperature, c.n_samples) for c in (low, high)]
    assert at[0] < at[1]


def test_weights_without_meaning_change_nothing(predictions):
    weighted = Predictions(predictions.y_true, predictions.y_prob, sample_weight=np.full(300, 7.0))
    np.testing.assert_allclose(
        detectable_curve(weighted).n_samples, detectable_curve(predictions).n_samples, rtol=1e-9
    )


def test_predictions_without_variance_detect_nothing():
    curve = detectable_curve(Predictions([0, 1], [1.0, 0.0]))
    assert np.all(np.isinf(curve.n_samples))
