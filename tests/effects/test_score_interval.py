"""Intervals for squared errors: never empty, never without the estimate, right near 0."""

import math

import numpy as np
import pytest
from tests.effects import oracles_effects as oracles

from calibrant import SKCE, Predictions
from calibrant.effects import rmsce, score_interval, skce_interval
from calibrant.kernels import Laplacian
from calibrant.models import M1, DirichletModel


@pytest.mark.parametrize(
    ("u", "error", "v0"), [(0.5, 0.1, 0.001), (0.01, 0.02, 0.001), (0.0, 0.001, 0.04), (2, 0.1, 1)]
)
def test_ends_solve_the_quadratic(u, error, v0):
    low, high = oracles.score_ends(u, error, v0)
    interval = score_interval(u, error, v0)
    assert interval.low == pytest.approx(low, rel=1e-9, abs=1e-9)
    assert interval.high == pytest.approx(high, rel=1e-9)


def test_without_a_null_variance_it_is_the_normal_interval():
    interval = score_interval(0.5, 0.1, math.nan, 0.9)
    assert interval.low == pytest.approx(0.5 - 1.6448536 * 0.1, rel=1e-7)
    assert interval.high == pytest.approx(0.5 + 1.6448536 * 0.1, rel=1e-7)


def test_a_negative_estimate_leaves_room_for_the_noise_of_a_calibrated_model():
    interval = score_interval(-0.5, 1e-6, 0.01**2)
    assert interval.low == 0.0
    assert interval.high == pytest.approx(1.959964 * 0.01, rel=1e-3)


def test_nothing_is_known_without_a_standard_error():
    assert not score_interval(0.5, math.nan, 0.1).is_known


def test_the_growth_of_the_variance_can_be_known():
    assert score_interval(0.0, 0.0, 1e-6).high < score_interval(0.0, 0.0, 1e-6, least_growth=1).high


@pytest.mark.parametrize("seed", range(20))
def test_every_interval_holds_its_estimate(seed):
    predictions = Predictions(*M1(2, 0.5).sample(30, rng=seed))
    for skce in (SKCE(), SKCE(unbiased=False), SKCE(block_size=2)):
        effect = skce_interval(predictions, skce)
        assert effect.estimate in effect.interval
        assert effect.interval.low == min(0.0, effect.estimate) or effect.interval.low > 0.0
    effect = rmsce(predictions)
    assert effect.estimate in effect.interval
    assert effect.interval.high > 0.0


@pytest.mark.slow
def test_weak_errors_of_two_classes_are_covered():
    # the jackknife alone covers .80–.92 here; 300 data sets: .95 ± .0126, three errors below
    model = DirichletModel(0.5, 2, pi=0.1)
    _, p = model.sample(3000, rng=0)
    r = model.calibration_function(p) - p
    h = Laplacian(0.3)(p, p) * (r @ r.T)
    true = (h.sum() - np.trace(h)) / (3000 * 2999)
    skce, held = SKCE(Laplacian(0.3)), 0
    for seed in range(300):
        held += true in skce_interval(Predictions(*model.sample(100, rng=seed)), skce).interval
    assert held / 300 > 0.95 - 3 * 0.0126
