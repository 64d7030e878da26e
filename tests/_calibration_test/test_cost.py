"""Cost estimates are announced in advance, and never affect the choice of method."""

import math
import time

import pytest

import calibrant as cal
from calibrant import methods
from calibrant._output import duration

GIVEN = [
    {},
    {"estimator": cal.SKCE()},
    {"method": methods.Moments()},
    {"method": methods.Asymptotic(99)},
    {"method": methods.DistributionFree()},
    {"estimator": cal.SKCE(block_size=2), "method": methods.AsymptoticBlock()},
]


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("m", [2, 10])
def test_costs_rise_with_the_rows_and_fall_with_the_threads(given, m):
    small = cal.estimate_cost(10_000, m, n_jobs=2, **given)
    large = cal.estimate_cost(100_000, m, n_jobs=2, **given)
    assert 0.0 < small.seconds < large.seconds
    alone = cal.estimate_cost(10_000, m, n_jobs=1, **given)
    assert alone.seconds == pytest.approx(2 * small.seconds)


def test_alternatives_are_quicker_and_in_order():
    cost = cal.estimate_cost(1_000_000, 10, estimator=cal.SKCE(), n_jobs=1)
    seconds = [value for _, value in cost.alternatives]
    assert seconds == sorted(seconds)
    assert seconds[-1] < cost.seconds
    assert cost.is_long
    assert "Exact() of SKCE() takes about" in str(cost)
    assert "AsymptoticBlock() of SKCE(block_size=2): " in str(cost)
    assert "pairs per second" in str(cost)


def test_the_quickest_has_no_alternative():
    cost = cal.estimate_cost(
        1000, 10, estimator=cal.SKCE(block_size=2), method=methods.AsymptoticBlock()
    )
    assert "There is no quicker alternative" in str(cost)
    assert not cost.is_long


def test_what_is_not_known_is_not_invented():
    cost = cal.estimate_cost(1000, 10, estimator=cal.ECE())
    assert math.isnan(cost.seconds)
    assert not cost.is_long
    assert "an unknown time" in str(cost)


@pytest.mark.slow
def test_the_estimate_is_of_the_right_size():
    data = cal.Predictions(*cal.models.M1(n_classes=10).sample(20_000, rng=0))
    start = time.process_time()
    cal.calibration_test(data, method=methods.DistributionFree(), n_jobs=1, rng=0)
    took = time.process_time() - start
    said = cal.estimate_cost(20_000, 10, method=methods.DistributionFree(), n_jobs=1).seconds
    # a machine under load measures anything: only nonsense is an error
    assert took / 30 < said < 30 * took


def test_times_are_written_for_people():
    texts = [duration(s) for s in (0.2, 12.3, 600.0, 7200.0, 4e5, math.nan)]
    assert texts == [
        "less than a second",
        "about 12 s",
        "about 10 min",
        "about 2.0 h",
        "about 5 days",
        "an unknown time",
    ]
