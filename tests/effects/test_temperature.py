import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.stats import norm, t
from tests.effects import oracles_effects as oracles

from calibrant import Predictions
from calibrant.effects import temperature
from calibrant.effects._temperature import (
    describe_temperature,
    logit_floor,
    smallest_probability,
)
from calibrant.models import DirichletModel, TemperatureModel


def literal(predictions, confidence_level):
    """Maximize the likelihood with a general tool; the sandwich from numeric derivatives."""
    floor = logit_floor(smallest_probability(predictions), predictions.n_classes)
    rows = [predictions.take([i]) for i in range(len(predictions))]

    def scores(b, h=1e-5):
        up, down = ([oracles.log_likelihood(r, 1 / x, floor) for r in rows] for x in (b + h, b - h))
        return (np.array(up) - np.array(down)) / (2 * h)

    def loss(log_tau):
        return -oracles.log_likelihood(predictions, math.exp(log_tau), floor)

    best = minimize_scalar(loss, bounds=(math.log(0.05), math.log(20)), options={"xatol": 1e-10})
    b, n = math.exp(-best.x), len(rows)
    u, curvature = scores(b), -(scores(b + 1e-4) - scores(b - 1e-4)) / 2e-4
    square, w = np.sum(u**2), predictions.weights
    df = max(2 / (np.sum(u**4) / square**2 - 1 / n) - 1, 1)
    sandwich = t.ppf(0.5 + 0.5 * confidence_level, df) * math.sqrt(n / (n - 1) * square)
    model = norm.ppf(0.5 + 0.5 * confidence_level) * math.sqrt(np.sum(w * curvature))
    half = max(sandwich, model) / (b * np.sum(curvature))
    return math.exp(best.x), math.exp(best.x - half), math.exp(best.x + half)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("seed", "n", "m", "tau"), [(0, 40, 2, 1.0), (1, 60, 5, 2.0), (2, 80, 3, 0.5)]
)
def test_estimate_and_interval_are_those_of_the_literal_sandwich(seed, n, m, tau, weighted):
    y, p = TemperatureModel(0.5, m, temperature=tau).sample(n, rng=seed)
    w = np.random.default_rng(seed).random(n) + 0.1 if weighted else None
    predictions = Predictions(y, p, sample_weight=w)
    effect = temperature(predictions, 0.9)
    best, low, high = literal(predictions, 0.9)
    assert effect.estimate == pytest.approx(best, rel=1e-7)
    assert effect.interval.low == pytest.approx(low, rel=1e-5)
    assert effect.interval.high == pytest.approx(high, rel=1e-5)
    assert effect.note == ""


def test_two_certainties_have_a_closed_form():
    # p = 0.9 in 100 rows, 75 hits: softmax at τ gives odds 9^{1/τ} = 3, so τ = 2
    effect = temperature(Predictions([1] * 75 + [0] * 25, [0.9] * 100))
    assert effect.estimate == pytest.approx(2.0, rel=1e-9)


def test_many_rows_in_blocks_are_the_same_as_few_repeated():
    y, p = oracles.sample(3, 500, 10)
    one = temperature(Predictions(y, p))
    many = temperature(Predictions(np.tile(y, 40), np.tile(p, (40, 1))))
    assert many.estimate == pytest.approx(one.estimate, rel=1e-8)


def test_row_sums_and_scale_of_weights_mean_nothing():
    y, p = oracles.sample(4, 50, 3)
    one = temperature(Predictions(y, p, sample_weight=np.ones(50)))
    other = temperature(Predictions(y, p * (1 + 1e-7), sample_weight=np.full(50, 7.0)))
    assert other.estimate == pytest.approx(one.estimate, rel=1e-8)
    assert other.interval.high == pytest.approx(one.interval.high, rel=1e-8)


def test_only_hits_end_at_the_lower_bound():
    effect = temperature(Predictions([1, 1, 0, 0], [0.9, 0.8, 0.2, 0.3]))
    assert effect.estimate == 0.05
    assert effect.interval.low == 0.05
    assert effect.details["at_bound"]
    assert effect.details["interval_at_bound"] == [True, False]
    assert "no maximum" in effect.note
    assert effect.remark == "0.05 or less"


def test_only_misses_end_at_the_upper_bound():
    effect = temperature(Predictions([0, 0, 1, 1], [0.9, 0.8, 0.2, 0.3]))
    assert effect.estimate == 20.0
    assert effect.interval.high == 20.0
    assert effect.remark == "20 or more"
    assert describe_temperature(effect).endswith("dividing them by 20 or more fits best.")


def test_open_interval_is_said():
    effect = temperature(Predictions([0, 1, 1], [0.6, 0.6, 0.6]))
    assert effect.interval.high == 20.0
    assert "the interval is open: it ends at the bound" in effect.note
    assert "20" in effect.note


def test_certain_and_right_bounds_the_temperature_from_above():
    effect = temperature(Predictions([0, 1] * 50, [0.0, 1.0] * 50))
    assert effect.estimate == 0.05
    assert 0.5 < effect.interval.high < 20.0


def test_uniform_predictions_have_no_temperature():
    effect = temperature(oracles.DEGENERATE["uniform"])
    assert math.isnan(effect.estimate)
    assert not effect.interval.is_known
    assert "uniform" in effect.note


def test_impossible_labels_are_counted_and_survived():
    y, p = TemperatureModel(0.5, 3).sample(300, rng=0)
    p = np.round(p, 2)
    p[:, 0] = 1 - p[:, 1:].sum(axis=1)
    p = np.abs(np.round(p, 2))
    y = y.copy()
    i, c = np.argwhere(p == 0)[0]
    y[i] = c
    effect = temperature(Predictions(y, p, normalize=True))
    assert effect.details["floor"] == pytest.approx(1e-3 / 3)
    assert effect.details["labels_at_floor"] >= 1
    assert math.isfinite(effect.estimate)


@pytest.mark.parametrize(
    ("smallest", "floor"), [(1e-5, 5e-6), (1e-30, 1e-12), (0.4, 5e-4)], ids=["half", "low", "high"]
)
def test_floor_is_half_the_smallest_probability_within_limits(smallest, floor):
    predictions = Predictions([0, 1], [[1.0, 0.0], [smallest, 1.0 - smallest]])
    assert logit_floor(smallest_probability(predictions), predictions.n_classes) == pytest.approx(
        floor, rel=1e-12, abs=0
    )


def test_rounding_to_two_digits_hardly_moves_the_temperature():
    # Without the floor at half the last digit the estimate moves by many standard errors.
    y, p = TemperatureModel(0.3, 5).sample(4000, rng=1)
    exact = temperature(Predictions(y, p))
    rounded = temperature(Predictions(y, np.round(p, 2), normalize=True))
    assert abs(rounded.estimate - exact.estimate) < 0.05


@pytest.mark.parametrize("name", oracles.DEGENERATE)
def test_degenerate_data_give_an_answer(name):
    effect = temperature(oracles.DEGENERATE[name])
    if math.isfinite(effect.estimate):
        assert effect.estimate in effect.interval
    else:
        assert effect.note


@pytest.mark.slow
def test_interval_covers_what_is_not_a_temperature():
    # M2: the best temperature from soft labels; 300 data sets, .95 ± .0126, three errors allowed
    model = DirichletModel(0.5, 4, pi=0.1, beta="first")
    _, p = model.sample(20_000, rng=0)
    q = model.calibration_function(p)
    every = Predictions(
        np.tile(np.arange(4), 20_000), np.repeat(p, 4, axis=0), sample_weight=q.ravel()
    )
    true = temperature(every).estimate
    data = (model.sample(250, rng=seed) for seed in range(300))
    covered = np.mean([true in temperature(Predictions(*one)).interval for one in data])
    assert abs(covered - 0.95) < 3 * 0.0126


@pytest.mark.slow
@pytest.mark.parametrize("tau", [0.7, 1.0, 1.5])
def test_interval_covers_the_true_temperature(tau):
    # 300 data sets: .95 ± .0126 (one Monte-Carlo error), three of them allowed
    model = TemperatureModel(0.5, 4, temperature=tau)
    data = (model.sample(200, rng=seed) for seed in range(300))
    covered = np.mean([tau in temperature(Predictions(*one)).interval for one in data])
    assert abs(covered - 0.95) < 3 * 0.0126
