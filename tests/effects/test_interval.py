import json
import math

import numpy as np
import pytest
from scipy.stats import chi2

from calibrant.effects import Effect, Interval
from calibrant.effects._interval import normal_quantile


def test_normal_interval_is_center_plus_minus_z_standard_errors():
    interval = Interval.normal(1.0, 0.5, 0.95)
    assert interval.low == pytest.approx(1.0 - 0.5 * 1.959963984540054, rel=1e-14)
    assert interval.high == pytest.approx(1.0 + 0.5 * 1.959963984540054, rel=1e-14)
    assert normal_quantile(0.9) ** 2 == pytest.approx(chi2.ppf(0.9, 1), rel=1e-12)


@pytest.mark.parametrize(("center", "error"), [(math.nan, 1.0), (0.0, math.nan), (math.inf, 1.0)])
def test_interval_of_what_is_not_finite_is_unknown(center, error):
    interval = Interval.normal(center, error, 0.9)
    assert interval == Interval.unknown(0.9)
    assert not interval.is_known
    assert 0.0 not in interval
    assert interval.clip(0.0, 1.0) == interval


def test_unknown_intervals_are_equal_and_hash_alike():
    assert Interval(float("nan"), np.float64("nan")) == Interval.unknown()
    assert hash(Interval(float("nan"), np.float64("nan"))) == hash(Interval.unknown())
    assert Interval.unknown(0.9) != Interval.unknown(0.95)


def test_clip_moves_both_ends_into_the_range():
    assert Interval(-2.0, -1.0).clip(low=0.0) == Interval(0.0, 0.0)
    assert Interval(-2.0, 3.0).clip(0.0, 1.0) == Interval(0.0, 1.0)


@pytest.mark.parametrize(
    "ends", [(1.0, 0.0), (math.nan, 1.0), (0.0, math.nan)], ids=["crossed", "low", "high"]
)
def test_ends_that_make_no_interval_are_refused(ends):
    with pytest.raises(ValueError, match="`low` must not exceed `high`"):
        Interval(*ends)


@pytest.mark.parametrize("confidence_level", [0.0, 1.0, -0.5, math.nan])
def test_level_outside_the_unit_interval_is_refused(confidence_level):
    with pytest.raises(ValueError, match=r"`confidence_level` must be in \(0, 1\)"):
        Interval(0.0, 1.0, confidence_level)


def test_level_in_percent_is_refused_with_the_remedy():
    with pytest.raises(ValueError, match=r"Did you mean 0.95"):
        Interval(0.0, 1.0, 95)


def test_effect_survives_strict_json():
    details = {"a": np.float64("nan"), "b": np.arange(2), "c": (math.inf, True), "d": "word"}
    effect = Effect("x", math.inf, Interval(0.0, math.inf, 0.9), "m", math.nan, "why", details)
    text = json.dumps(effect.to_dict(), allow_nan=False)
    back = Effect.from_dict(json.loads(text))
    assert back == effect
    assert back.estimate == math.inf
    assert math.isnan(back.standard_error)
    assert effect.to_dict()["details"] == {"a": None, "b": [0, 1], "c": ["inf", True], "d": "word"}


def test_effects_that_differ_are_not_equal():
    effect = Effect("x", 1.0, Interval.unknown(), "m")
    assert effect != Effect("x", 2.0, Interval.unknown(), "m")
    assert effect != Effect("x", 1.0, Interval(0.0, 1.0), "m")
    assert hash(effect) == hash(Effect("x", 1.0, Interval.unknown(), "m"))
