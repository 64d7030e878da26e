"""P-values of a difference: two-sided, equivalence, and adjusted for multiple comparisons."""

from __future__ import annotations

import math
from collections.abc import Sequence

from calibrant._engine import SMALLEST


def t_quantile(confidence_level: float, freedom: float) -> float:
    """Return q with P(|T| ≤ q) = confidence_level for Student's T.

    Examples
    --------
    >>> from calibrant._followup.compare._pvalues import t_quantile
    >>> round(t_quantile(0.95, 9), 4), round(t_quantile(0.95, 1e9), 4)
    (2.2622, 1.96)
    """
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.5 + 0.5 * confidence_level))


def two_sided(estimate: float, standard_error: float, freedom: float) -> float:
    """Return P(|T| ≥ |estimate|/standard_error) for Student's T; 1 if the estimate is 0.

    Examples
    --------
    >>> from calibrant._followup.compare._pvalues import two_sided
    >>> round(two_sided(1.959964, 1.0, 1e9), 6), round(two_sided(2.262157, 1.0, 9), 6)
    (0.05, 0.05)
    """
    if estimate == 0.0:
        return 1.0
    if not standard_error > 0.0:
        return math.nan
    return max(2.0 * _tail(abs(estimate) / standard_error, freedom), SMALLEST)


def one_sided_twice(
    estimate: float, standard_error: float, margin: float, freedom: float = math.inf
) -> float:
    """Return the larger p-value of the two one-sided tests of |difference| ≥ margin.

    It is P(T ≥ (margin − |estimate|)/se), small if the difference is within (−margin, margin).

    Examples
    --------
    >>> from calibrant._followup.compare._pvalues import one_sided_twice
    >>> round(one_sided_twice(0.0, 1.0, 1.644854), 6)
    0.05
    """
    if not standard_error > 0.0:
        return math.nan
    return max(_tail((margin - abs(estimate)) / standard_error, freedom), SMALLEST)


def holm(pvalues: Sequence[float]) -> list[float]:
    """Return Holm's step-down adjusted p-values; NaN stays NaN and is not counted.

    In increasing order, p_(k) becomes max_{l ≤ k} min(1, (K − l + 1)·p_(l)). Rejecting if it is at
    most a limits the probability of any false rejection to a, under any dependence of the p-values.

    Examples
    --------
    >>> from calibrant._followup.compare._pvalues import holm
    >>> holm([0.25, 0.125, 0.75])
    [0.5, 0.375, 0.75]
    """
    adjusted = list(pvalues)
    order = sorted((p, i) for i, p in enumerate(pvalues) if not math.isnan(p))
    running = 0.0
    for rank, (p, i) in enumerate(order):
        running = max(running, min(1.0, (len(order) - rank) * p))
        adjusted[i] = running
    return adjusted


def _tail(t: float, freedom: float) -> float:
    from scipy.special import ndtr, stdtr

    return float(ndtr(-t) if math.isinf(freedom) else stdtr(freedom, -t))
