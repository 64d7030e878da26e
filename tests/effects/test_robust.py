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
