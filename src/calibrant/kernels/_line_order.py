"""Order statistics of the distances for two classes, by sorting: O(n log n)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from calibrant._execution import limits
from calibrant._native import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class LineDistances:
    r"""The total variation distances of all pairs of rows with two columns a and b.

    With :math:`z = (b - a)/2` and :math:`s = (a + b)/2` a distance is
    :math:`\max(|z_i - z_j|, |s_i - s_j|)`, so it differs from :math:`|z_i - z_j|` by no more than
    the range of s. After sorting by z, one pass counts the pairs up to any distance, and only pairs
    near the requested rank are computed.

    Parameters
    ----------
    rows : ndarray of shape (n_different, 2)
        The different rows, in the order of z.
    counts : ndarray of shape (n_different,)
        How often each row occurs.
    """

    rows: FloatArray
    counts: IntArray

    @classmethod
    def of(cls, x: FloatArray) -> LineDistances:
        """Sort rows and count equal ones."""
        order = np.lexsort((x[:, 0], x[:, 1] - x[:, 0]))
        ordered = x[order]
        new = np.concatenate([[True], np.any(np.diff(ordered, axis=0) != 0.0, axis=1)])
        starts = np.flatnonzero(new)
        counts = np.diff(np.append(starts, len(x))).astype(np.int64)
        return cls(ordered[starts], counts)

    @property
    def n_zeros(self) -> int:
        """The number of pairs of equal rows."""
        return int(np.sum(self.counts * (self.counts - 1) // 2))

    def in_order(self, rank: int) -> float | None:
        """Return the distance of a 0-based rank, or None if sorting does not narrow it down."""
        if rank < self.n_zeros:
            return 0.0
        z = 0.5 * (self.rows[:, 1] - self.rows[:, 0])
        error = 0.5 * float(np.ptp(self.rows.sum(axis=1))) + 8.0 * np.spacing(np.abs(z).max())
        line = _Line(z, self.counts, self.n_zeros)
        low, high = line.bracket(rank)
        return self._among(line, low - 2.0 * error, high + 2.0 * error, rank)

    def _among(self, line: _Line, low: float, high: float, rank: int) -> float | None:
        first, last = line.reach(low, "left"), line.reach(high, "right")
        n_each = last - first
        if n_each.sum() > max(limits().line_many, 2 * limits().line_candidates * len(first)):
            return None
        i = np.repeat(np.arange(len(first)), n_each)
        j = np.arange(len(i)) - np.repeat(np.cumsum(n_each) - n_each, n_each) + first[i]
        # summed as in `distances`, for the same bits
        found = 0.5 * np.sum(np.abs(self.rows[i] - self.rows[j]), axis=1)
        order = np.argsort(found, kind="stable")
        above = np.cumsum((self.counts[i] * self.counts[j])[order])
        place = np.searchsorted(above, rank - line.weight_up_to(first), side="right")
        return float(found[order[place]])


@dataclass(frozen=True, eq=False)
class _Line:
    z: FloatArray
    counts: IntArray
    n_zeros: int

    def reach(self, distance: float, side: Literal["left", "right"]) -> IntArray:
        """Return, for each point i, the first point after it that is farther than a distance."""
        after = np.arange(1, len(self.z) + 1)
        beyond = np.searchsorted(self.z, self.z + distance, side)
        return np.asarray(np.maximum(beyond, after), dtype=np.int64)

    def weight_up_to(self, reach: IntArray) -> int:
        """Return the number of pairs of rows within that reach, including equal rows."""
        total = np.concatenate([[0], np.cumsum(self.counts)])
        return self.n_zeros + int(np.sum(self.counts * (total[reach] - total[1:])))

    def bracket(self, rank: int) -> tuple[float, float]:
        """Return two distances with the rank between them and few pairs of different points."""
        few = max(limits().line_few, limits().line_candidates * len(self.z))
        low, high = 0.0, float(self.z[-1] - self.z[0])
        below, above = self.reach(low, "left"), self.reach(high, "right")
        while int((above - below).sum()) > few:
            middle = 0.5 * (low + high)
            if not low < middle < high:
                break
            reach = self.reach(middle, "right")
            if self.weight_up_to(reach) <= rank:
                low, below = middle, reach
            else:
                high, above = middle, reach
        return low, high
