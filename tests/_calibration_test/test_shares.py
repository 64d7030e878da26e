"""Shares of a test's parts in its time: finite, positive, and in order of size."""

import math

import pytest

from calibrant import ECE, SKCE
from calibrant._calibration_test._shares import (
    effects_seconds,
    estimate_seconds,
    method_seconds,
    seconds_taken,
)
from calibrant.methods import Aggregated, Asymptotic, Consistency, Exact


@pytest.mark.parametrize("n_classes", [2, 10, 1000])
@pytest.mark.parametrize(
    ("method", "estimator"),
    [(Aggregated(), SKCE()), (Exact(), ECE()), (Consistency(), ECE()), (Asymptotic(), SKCE())],
)
def test_every_part_takes_time_even_where_no_cost_is_known(method, estimator, n_classes):
    for n in (2, 10_000):
        test = method_seconds(method, estimator, n, n_classes)
        estimate = estimate_seconds(estimator, n, n_classes, known=False)
        others = estimate, effects_seconds(n, n_classes)
        assert all(math.isfinite(one) and one > 0.0 for one in (test, *others))


@pytest.mark.parametrize("n_classes", [2, 3, 10])
def test_label_sets_take_most_of_the_time_of_many_rows(n_classes):
    rest = estimate_seconds(SKCE(), 10**6, n_classes, known=False)
    rest += effects_seconds(10**6, n_classes)
    assert method_seconds(Aggregated(), SKCE(), 10**6, n_classes) > 4.0 * rest


@pytest.mark.parametrize("method", [Aggregated(), Exact()])
def test_a_test_that_stops_early_takes_its_share(method):
    def taken(details):
        return seconds_taken(method, SKCE(), 10**6, 3, details)

    whole = method_seconds(method, SKCE(), 10**6, 3)
    stopped = taken({"n_resamples": 66, "n_resamples_at_most": 999})
    assert taken({"n_resamples": 999}) == taken({}) == whole
    assert 66 / 999 * whole <= stopped < 0.25 * whole


def test_a_default_test_that_stops_has_prepared_all_of_its_rows():
    stopped = seconds_taken(
        Aggregated(), SKCE(), 10**6, 10, {"n_resamples": 82, "n_resamples_at_most": 999}
    )
    assert stopped > 1.5 * 82 / 999 * method_seconds(Aggregated(), SKCE(), 10**6, 10)
