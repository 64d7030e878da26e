"""The difference in accuracy: exact for any number of rows in which models differ."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import binomtest, multinomial, t

import calibrant as cal
from calibrant._followup.compare._hits import Hits


def hit_rows(hits):
    """Two classes, the label always 1: a hit says .9, a miss .1."""
    return [0.9 if hit else 0.1 for hit in hits]


@pytest.mark.parametrize(("b", "c"), [(1, 0), (5, 0), (0, 7), (3, 3), (12, 4), (300, 350)])
def test_pvalue_is_the_sign_test_of_rows_that_differ(b, c):
    first = [1] * b + [0] * c + [1, 0, 1]
    second = [0] * b + [1] * c + [1, 0, 1]
    n = b + c + 3
    result = cal.compare([1] * n, {"a": hit_rows(first), "b": hit_rows(second)})
    found = result.difference("a", "b", "accuracy")
    assert found.estimate == pytest.approx((b - c) / n, abs=1e-15)
    assert found.pvalue == pytest.approx(binomtest(b, b + c).pvalue, rel=1e-12)
    assert found.estimate in found.interval


def test_interval_in_closed_form():
    # b = 3, c = 1, n = 10: center 2/12, v = 6/12 − 4/144, over 12
    center, error = 2 / 12, math.sqrt((6 / 12 - 4 / 144) / 12)
    interval = Hits(3, 1, 10).interval(0.95)
    assert interval.low == pytest.approx(center - 1.959963985 * error, rel=1e-8)
    assert interval.high == pytest.approx(center + 1.959963985 * error, rel=1e-8)
    inside = (0.5 - center) / error
    expected = 0.5 * math.erfc(inside / math.sqrt(2))
    assert Hits(3, 1, 10).equivalence_pvalue(0.5) == pytest.approx(expected, rel=1e-12)


def every_outcome(n, shares):
    """All (b, c) of n rows with their probabilities."""
    pairs = [(b, c) for b, c in product(range(n + 1), repeat=2) if b + c <= n]
    counts = [[b, c, n - b - c] for b, c in pairs]
    chances = multinomial.pmf(counts, n, [*shares, 1 - sum(shares)])
    return [Hits(b, c, n) for b, c in pairs], chances


@pytest.mark.parametrize("n", [5, 20, 60])
@pytest.mark.parametrize("share", [0.02, 0.1, 0.4])
@pytest.mark.parametrize("confidence_level", [0.01, 0.05, 0.2])
def test_level_is_kept_exactly(n, share, confidence_level):
    outcomes, chances = every_outcome(n, (share, share))
    rejected = np.array([hits.pvalue <= confidence_level for hits in outcomes])
    assert chances @ rejected <= confidence_level


@pytest.mark.parametrize("n", [10, 30, 80])
@pytest.mark.parametrize("shares", [(0.02, 0.02), (0.1, 0.02), (0.3, 0.1), (0.4, 0.4), (0.5, 0.0)])
def test_intervals_cover(n, shares):
    outcomes, chances = every_outcome(n, shares)
    truth = shares[0] - shares[1]
    covered = np.array([truth in hits.interval(0.95) for hits in outcomes])
    assert chances @ covered >= 0.93


def test_a_model_that_is_always_right_where_the_other_is_not():
    found = cal.compare([1] * 8, {"a": [0.9] * 8, "b": [0.1] * 8}).difference("a", "b", "accuracy")
    assert (found.estimate, found.pvalue) == (1.0, 2 / 2**8)
    assert found.better == "a"
    assert 0.3 < found.interval.low < found.interval.high == 1.0


def test_weighted_rows_have_no_exact_distribution():
    w = np.linspace(1.0, 2.0, 12)
    first, second = [1] * 9 + [0] * 3, [0] * 7 + [1] * 5
    two = {"a": hit_rows(first), "b": hit_rows(second)}
    found = cal.compare([1] * 12, two, sample_weight=w).difference("a", "b", "accuracy")
    ratio = abs(found.estimate) / found.standard_error
    freedom = w.sum() ** 2 / np.sum(w**2) - 1.0
    assert found.pvalue == pytest.approx(2.0 * t.sf(ratio, freedom), rel=1e-9)
    alike = cal.compare([1] * 12, two, sample_weight=np.full(12, 0.3))
    assert alike.difference("a", "b", "accuracy").pvalue == Hits(7, 3, 12).pvalue
