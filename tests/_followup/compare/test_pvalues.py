"""P-values of differences: two-sided, adjusted, and of equivalence."""

import math

import pytest
from scipy import stats
from tests._followup.compare.models import MEASURES, Z95, each_measure, models

from calibrant import compare
from calibrant._followup.compare._pvalues import holm, one_sided_twice, t_quantile, two_sided


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.6]) == [1.0, 1.0]
    with_gap = holm([0.02, math.nan, 0.03])
    assert with_gap[0] == with_gap[2] == pytest.approx(0.04)
    assert math.isnan(with_gap[1])


@each_measure
def test_pvalues_are_adjusted_within_a_measure(measure):
    y, probs = models(8, 60, 3, k=3)
    result = compare(y, probs, equivalence=dict.fromkeys(MEASURES, 0.1))
    found = [d for d in result.differences if d.measure == measure]
    assert [d.pvalue_holm for d in found] == holm([d.pvalue for d in found])
    closeness = [d.equivalence for d in found]
    assert [e.pvalue_holm for e in closeness] == holm([e.pvalue for e in closeness])


def test_pvalues_of_a_difference():
    assert two_sided(-Z95, 1.0, math.inf) == pytest.approx(0.05, rel=1e-12)
    assert two_sided(2.0, 0.5, 7.0) == pytest.approx(2 * stats.t.sf(4.0, 7.0), rel=1e-12)
    assert two_sided(0.0, math.nan, 7.0) == 1.0
    assert math.isnan(two_sided(0.1, math.nan, 7.0))
    assert two_sided(1000.0, 1.0, math.inf) > 0.0
    assert t_quantile(0.95, 12.5) == pytest.approx(stats.t.ppf(0.975, 12.5), rel=1e-12)
    # two one-sided tests: the larger of P(Z ≥ (eps + d)/se) and P(Z ≥ (eps − d)/se)
    assert one_sided_twice(0.5, 1.0, 0.5) == 0.5
    assert one_sided_twice(-2.0, 1.0, 0.5) == pytest.approx(0.9331927987311419, rel=1e-12)
    assert one_sided_twice(0.2, 0.5, 1.0) == pytest.approx(0.0547992916995580, rel=1e-12)
    assert one_sided_twice(0.2, 0.5, 1.0, 9.0) == pytest.approx(stats.t.sf(1.6, 9.0), rel=1e-12)


def test_equivalence_agrees_with_the_interval_of_twice_the_error():
    # two one-sided tests at 5 % say the same as whether the 90 % interval is inside (−eps, eps)
    y, probs = models(9, 200, 3)
    ninety = compare(y, probs, confidence_level=0.9).difference("a", "b", "brier").interval
    edge = max(abs(ninety.low), abs(ninety.high))
    for factor in (0.99, 1.01):
        margins = {"brier": factor * edge}
        result = compare(y, probs, equivalence=margins)
        found = result.difference("a", "b", "brier").equivalence
        assert found.margin == margins["brier"]
        assert found.established == (factor > 1)
        assert result.difference("a", "b").equivalence is None
        words = "differs by less than" if factor > 1 else "not shown to differ by less than"
        assert words in result.summary()
