"""P-values of a difference: two-sided, equivalence, and several of them at once."""

from __future__ import annotations

import math
from collections.abc import Sequence

from calibrant._engine import normal_tail, two_sided_tail


def two_sided(estimate: float, standard_error: float) -> float:
    """Return P(|Z| ≥ |estimate|/standard_error), Z standard normal; 1 where the estimate is 0.

    Examples
    --------
    >>> from calibrant._compare._pvalues import two_sided
    >>> round(two_sided(1.959964, 1.0), 6)
    0.05
    """
    if estimate == 0.0:
        return 1.0
    if not standard_error > 0.0:
        return math.nan
    return float(two_sided_tail(estimate / standard_error))


def one_sided_twice(estimate: float, standard_error: float, margin: float) -> float:
    """Return the larger p-value of the two one-sided tests of |difference| ≥ margin.

    Small where the difference lies inside (−margin, margin): P(Z ≥ (margin − |estimate|)/se).

    Examples
    --------
    >>> from calibrant._compare._pvalues import one_sided_twice
    >>> round(one_sided_twice(0.0, 1.0, 1.644854), 6)
    0.05
    """
    if not standard_error > 0.0:
        return math.nan
    return float(normal_tail((margin - abs(estimate)) / standard_error))


def holm(pvalues: Sequence[float]) -> list[float]:
    """Return Holm's step-down adjusted p-values; NaN stays NaN and is not counted.

    In increasing order p_(k) becomes max_{l ≤ k} min(1, (K − l + 1)·p_(l)): rejecting where it is
    at most a keeps the chance of any false rejection at a, however the p-values depend.

    Examples
    --------
    >>> from calibrant._compare._pvalues import holm
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
