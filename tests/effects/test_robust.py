"""The sandwich, its degrees of freedom, and the model's variance below it."""

import math

import numpy as np
import pytest
from scipy.stats import t

from calibrant.effects._robust import Spread


def test_contributions_that_are_alike_have_the_normal_quantile():
    spread = Spread.of(np.array([0.1, -0.1, 0.1, -0.1]))
    assert spread.half_width(0.95) == pytest.approx(1.959964 * spread.error, rel=1e-6)


def test_a_few_that_carry_all_have_few_degrees_of_freedom():
    values = np.array([1.0, -1.0, *[0.0] * 98])
    df = 2 / (0.5 - 0.01) - 1
    half = Spread.of(values).half_width(0.9)
    assert half == pytest.approx(t.ppf(0.95, df) * math.sqrt(100 / 99 * 2.0), rel=1e-9)


def test_the_model_is_the_least_that_is_believed():
    spread = Spread.of(np.array([1e-3, -1e-3, 1e-3]), model=4.0)
    assert spread.error == 2.0
    assert spread.half_width(0.95) == pytest.approx(2 * 1.959964, rel=1e-6)


def test_one_row_says_nothing():
    assert math.isnan(Spread.of(np.array([1.0])).half_width(0.95))
    assert not Spread.of(np.zeros(3)).interval(0.5, 0.95).is_known


def test_a_positive_interval_is_symmetric_on_the_logarithmic_scale():
    x = np.array([0.1, 0.2, 0.4, 2.0])
    spread = Spread.of((x - x.mean()) / 4)
    interval = spread.positive_interval(float(x.mean()), 0.95)
    ratio = math.exp(spread.half_width(0.95) / x.mean())
    assert interval.high == pytest.approx(x.mean() * ratio, rel=1e-12)
    assert interval.low == pytest.approx(x.mean() / ratio, rel=1e-12)
    assert not spread.positive_interval(0.0, 0.95).is_known


def test_a_positive_interval_covers_a_skewed_mean():
    # 2000 samples of 50 squared normal numbers to the fourth: .03 below with a symmetric one
    x = np.random.default_rng(0).standard_normal((2000, 50)) ** 4
    means = x.mean(axis=1)
    covered = np.zeros(2)
    for row, mean in zip(x, means, strict=True):
        spread = Spread.of((row - mean) / 50)
        ends = spread.positive_interval(mean, 0.95), spread.interval(mean, 0.95)
        covered += [3.0 in one for one in ends]
    assert covered[0] > covered[1] + 20
