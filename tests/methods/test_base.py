"""Common to all methods: ranks, their Monte Carlo error, and refusals."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from calibrant import ECE, SKCE
from calibrant.methods import Aggregated, Consistency, DistributionFree, Exact, Moments
from calibrant.methods._base import monte_carlo_error, monte_carlo_pvalue


def test_pvalue_is_the_rank_of_the_statistic():
    null = np.array([1.0, 2.0, 3.0, 4.0])
    for statistic, expected in [(5.0, 0.2), (3.5, 0.4), (3.0, 0.6), (0.0, 1.0)]:
        assert monte_carlo_pvalue(statistic, null) == expected


def test_ties_within_rounding_count_against_rejection():
    null = np.full(9, 0.3)
    assert monte_carlo_pvalue(0.1 + 0.2, null) == 1.0
    assert monte_carlo_pvalue(0.3 * (1 + 1e-8), null) == 0.1


def test_ties_are_relative_to_the_size_of_the_statistics():
    # the standard deviation of an SKCE of 10⁸ rows is about 1e-9: nothing may tie there
    null = np.array([1e-9, 2e-9])
    assert monte_carlo_pvalue(1.5e-9, null) == 2 / 3


def test_all_zero_is_one():
    assert monte_carlo_pvalue(0.0, np.zeros(99)) == 1.0


def test_rank_of_exchangeable_statistics_is_uniform():
    # each of 5 different numbers takes the place of the observed one once
    values = np.array([0.3, -1.0, 2.0, 0.7, 5.0])
    pvalues = [monte_carlo_pvalue(values[i], np.delete(values, i)) for i in range(5)]
    np.testing.assert_allclose(sorted(pvalues), [0.2, 0.4, 0.6, 0.8, 1.0])


def test_with_ties_the_rank_is_no_smaller_than_uniform():
    values = np.array([1.0, 1.0, 2.0, 2.0, 2.0, 3.0])
    pvalues = np.array([monte_carlo_pvalue(values[i], np.delete(values, i)) for i in range(6)])
    for level in (0.1, 1 / 6, 0.3, 0.5, 0.7, 1.0):
        assert np.mean(pvalues <= level) <= level + 1e-12


def test_monte_carlo_error_is_that_of_a_share():
    assert monte_carlo_error(0.2, 99) == pytest.approx(0.04)
    assert monte_carlo_error(1.0, 9) == 0


@pytest.mark.parametrize("method", [Exact, Aggregated, Consistency])
@pytest.mark.parametrize("count", [0, -1, 2.5, 99.0, True, "99", None])
def test_numbers_of_resamples_are_positive_integers(method, count):
    with pytest.raises(ValueError, match="`n_resamples` must be a positive integer; got"):
        method(count)


def test_numpy_integers_are_integers():
    assert Exact(np.int64(9)).n_resamples == 9


def test_refusals_say_what_fits():
    with pytest.raises(
        ValueError, match=r"^Aggregated works with the default estimator SKCE"
    ) as told:
        Aggregated().check(ECE())
    assert repr(ECE()) in str(told.value)
    assert str(told.value).endswith(Aggregated.remedy)


@pytest.mark.parametrize("method", [Aggregated(), Exact(), Moments(), DistributionFree()], ids=repr)
def test_methods_know_their_cost(method):
    rates = SimpleNamespace(n_classes=3, pair=1.0, label=1.0, row_set=1.0, line=1.0, product=1.0)
    small, large = (method.cost(SKCE(), n, rates) for n in (100, 1000))
    assert 0.0 < small < large
    assert math.isnan(Exact().cost(ECE(), 100, rates))
