r"""Accuracy on the same rows: only rows that one model hits and the other misses count.

With b rows that only the first model hits and c that only the second one does, no difference
makes b binomial(b + c, ½): the p-value is exact for any number of rows (McNemar's test). The
interval is that of Bonett and Price, :math:`(b - c)/(n + 2) \pm z \sqrt{v/(n + 2)}` with one row
more of either kind, :math:`v = (b + c + 2)/(n + 2) - ((b - c)/(n + 2))^2`: it covers also where few
rows differ, and where all of them differ alike.

Clustered rows: with :math:`d_g = b_g - c_g` in cluster g, no difference lets every :math:`d_g`
change its sign, and the p-value is :math:`P(|\sum_g \varepsilon_g d_g| \ge |\sum_g d_g|)` for
random signs, counted exactly; with single rows it is McNemar's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from calibrant._engine import SMALLEST
from calibrant._followup.compare._pvalues import one_sided_twice
from calibrant._native import FloatArray
from calibrant.effects import Interval

#: Σ|d_g| up to which all signs are counted; the sum of more is normal
_COUNTED = 4000


def clustered_pvalue(differences: FloatArray) -> float:
    """Return the two-sided p-value of cluster sums d_g of a difference of hits, shape (G,).

    NaN above a total of 4,000, where Student's distribution does as well. O(G·Σ|d_g|).

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant._followup.compare._hits import Hits, clustered_pvalue
    >>> clustered_pvalue(np.array([1.0, 1.0, 1.0, 1.0, 1.0])), Hits(5, 0, 100).pvalue
    (0.0625, 0.0625)
    >>> clustered_pvalue(np.array([3.0, 2.0, 0.0]))
    0.5

    Five hits of two clusters say little: one in two draws of signs is as large.
    """
    sizes = np.abs(np.rint(differences)).astype(np.int64)
    total = int(sizes.sum())
    if total > _COUNTED:
        return math.nan
    # chances[k]: of a sum of positive parts k, all signs alike
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
    """Rows in which two models differ: `first` and `second` of `n` are hits of one model only."""

    first: int
    second: int
    n: int

    @classmethod
    def of(cls, difference: FloatArray) -> Hits:
        """Count the rows of a difference of hits, each 1, 0 or −1."""
        first, second = (int(np.count_nonzero(difference == sign)) for sign in (1.0, -1.0))
        return cls(first, second, len(difference))

    @property
    def pvalue(self) -> float:
        """Two-sided, of no difference: 2·P(B ≤ min(b, c)), B binomial(b + c, ½), at most 1.

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
        """P-value of a difference of at least `margin`, by center and error of the interval."""
        return one_sided_twice(self._center, self._error, margin)

    @property
    def _center(self) -> float:
        return (self.first - self.second) / (self.n + 2)

    @property
    def _error(self) -> float:
        share = (self.first + self.second + 2) / (self.n + 2)
        return math.sqrt((share - self._center**2) / (self.n + 2))
