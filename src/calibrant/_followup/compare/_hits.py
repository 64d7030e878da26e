r"""Comparison of accuracy, from rows that one model hits and the other misses.

Let b rows be hit only by the first model and c only by the second. Without a difference, b is
binomial(b + c, ½), and the p-value is exact for any number of rows (McNemar's test). The interval
is that of Bonett and Price, :math:`(b - c)/(n + 2) \pm z \sqrt{v/(n + 2)}` with one row more of
either kind, :math:`v = (b + c + 2)/(n + 2) - ((b - c)/(n + 2))^2`. It keeps its coverage even if
few rows differ, or all in the same direction.

With clusters, let :math:`d_g = b_g - c_g` in cluster g. Without a difference, the sign of every
:math:`d_g` is random, and the p-value is :math:`P(|\sum_g \varepsilon_g d_g| \ge |\sum_g d_g|)` for
random signs, counted exactly; for single rows this is McNemar's test.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from calibrant._engine import SMALLEST
from calibrant._followup.compare._pvalues import one_sided_twice
from calibrant._native import FloatArray
from calibrant.effects import Interval

#: Σ|d_g| up to which all signs are counted; larger sums are nearly normal
_COUNTED = 4000


def clustered_pvalue(differences: FloatArray) -> float:
    """Return the two-sided p-value from cluster sums d_g of the difference in hits, shape (G,).

    NaN above a total of 4,000, where Student's t is accurate enough. O(G·Σ|d_g|).

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant._followup.compare._hits import Hits, clustered_pvalue
    >>> clustered_pvalue(np.array([1.0, 1.0, 1.0, 1.0, 1.0])), Hits(5, 0, 100).pvalue
    (0.0625, 0.0625)
    >>> clustered_pvalue(np.array([3.0, 2.0, 0.0]))
    0.5

    Five hits in two clusters say little: half of the draws of signs are as extreme.
    """
    sizes = np.abs(np.rint(differences)).astype(np.int64)
    total = int(sizes.sum())
    if total > _COUNTED:
        return math.nan
    # chances[k]: probability that the positive terms sum to k, for equally likely signs
    chances = np.zeros(total + 1)
    chances[0] = 1.0
    for size in sizes[sizes > 0].tolist():
        moved = np.zeros_like(chances)
        moved[size:] = chances[: total + 1 - size]
        chances = 0.5 * (chances + moved)
    observed = abs(round(float(np.sum(differences))))
    away = np.abs(2 * np.arange(total + 1) - total)
    return min(1.0, max(float(chances[away >= observed].sum()), SMALLEST))


@dataclass(frozen=True)
class Hits:
    """Rows in which two models differ: `first` and `second` of `n` are hit by only one model."""

    first: int
    second: int
    n: int

    @classmethod
    def of(cls, difference: FloatArray) -> Hits:
        """Count the rows from the differences in hits, each 1, 0 or −1."""
        first, second = (int(np.count_nonzero(difference == sign)) for sign in (1.0, -1.0))
        return cls(first, second, len(difference))

    @property
    def pvalue(self) -> float:
        """The two-sided p-value 2·P(B ≤ min(b, c)), B binomial(b + c, ½), at most 1.

        Examples
        --------
        >>> from calibrant._followup.compare._hits import Hits
        >>> Hits(5, 0, 100).pvalue, Hits(3, 3, 100).pvalue
        (0.0625, 1.0)
        """
        from scipy.special import bdtr

        tail = 2.0 * float(bdtr(min(self.first, self.second), self.first + self.second, 0.5))
        return min(1.0, max(tail, SMALLEST))

    def interval(self, confidence_level: float) -> Interval:
        """Return the interval of Bonett and Price, within [−1, 1]."""
        return Interval.normal(self._center, self._error, confidence_level).clip(-1.0, 1.0)

    def equivalence_pvalue(self, margin: float) -> float:
        """Return the p-value of a difference of at least `margin`."""
        return one_sided_twice(self._center, self._error, margin)

    @property
    def _center(self) -> float:
        return (self.first - self.second) / (self.n + 2)

    @property
    def _error(self) -> float:
        share = (self.first + self.second + 2) / (self.n + 2)
        return math.sqrt((share - self._center**2) / (self.n + 2))
