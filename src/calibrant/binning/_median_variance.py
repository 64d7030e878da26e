"""Data-dependent bins, split at the median of the component that varies most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from calibrant import _native
from calibrant._native import FloatArray, IntArray
from calibrant.binning._base import Binning, as_matrix, check_count

# Variances that agree this closely are tied: two columns that sum to one vary equally, and neither
# # rounding nor the order of the rows may decide between them.
_TIE = 1.0 - 1e-9


@dataclass(frozen=True)
class MedianVariance(Binning):
    r"""Split bins at the median of their most variable component while they are large enough.

    Bins adapt to the predictions, so they are few and well filled for any number of classes. Cost
    O(n·m·log n).

    Parameters
    ----------
    min_size : int, default 10
        Smallest number of rows in a bin. Only the bin of all rows may be smaller.
    max_bins : int, optional
        Largest number of bins; with a limit, the bin of largest variance is split first.

    Notes
    -----
    Start with one bin of all rows. While a bin has at least ``2 * min_size`` rows, take the
    component of largest sample variance (the first one if variances agree to a relative 1e-9) and
    its upper median, the element with rank :math:`\lfloor s / 2 \rfloor`, counted from 0, of the s
    sorted values. Rows strictly below it form one bin, the others another. If either would have
    fewer than `min_size` rows, the bin stays whole; no other component is tried.

    Bins are numbered in the order of their first rows.

    References
    ----------
    Vaicenavicius et al., "Evaluating model calibration in classification", AISTATS 2019.
    Widmann, Lindsten and Zachariah, "Calibration tests in multi-class classification: a unifying
    framework", NeurIPS 2019.

    Examples
    --------
    >>> from calibrant.binning import MedianVariance
    >>> y_prob = [[.4, .1, .5], [.5, .3, .2], [.3, .7, 0], [.1, 0, .9], [.8, .1, .1]]
    >>> MedianVariance(min_size=2).assign(y_prob)
    array([0, 0, 1, 0, 1])

    The third class varies most; rows 2 and 4 are below its median 0.2.
    """

    min_size: int = 10
    max_bins: int | None = None

    def __post_init__(self) -> None:
        check_count("MedianVariance", "min_size", self.min_size, 1)
        if self.max_bins is not None:
            check_count("MedianVariance", "max_bins", self.max_bins, 1)

    def assign(self, y_prob: Any) -> IntArray:
        """Return the bin of every row; see `Binning.assign`."""
        probs = as_matrix(y_prob)
        if _native.active() is not None:
            return np.asarray(self.assign_many(probs[None])[0])
        return _number(self._split_all(probs), len(probs))

    def assign_many(self, y_prob: Any) -> IntArray:
        """Return the bins of many data sets; see `Binning.assign_many`."""
        core = _native.active()
        if core is None:
            return super().assign_many(y_prob)
        probs = np.ascontiguousarray(y_prob, dtype=np.float64)
        ids = np.empty(probs.shape[:2], dtype=np.int64)
        core.binning_median_variance(probs, self.min_size, self.max_bins or 0, ids)
        return ids

    def _split_all(self, probs: FloatArray) -> list[IntArray]:
        final: list[IntArray] = []
        waiting: list[_Bin] = []

        def add(rows: IntArray) -> None:
            if len(rows) < 2 * self.min_size:
                final.append(rows)
            else:
                waiting.append(_Bin(rows, *_most_variable(probs[rows])))

        add(np.arange(len(probs)))
        while waiting and (self.max_bins is None or len(final) + len(waiting) < self.max_bins):
            rows, component, _ = waiting.pop(-1 if self.max_bins is None else _widest(waiting))
            values = probs[rows, component]
            below = values < np.partition(values, len(values) // 2)[len(values) // 2]
            if min(below.sum(), (~below).sum()) < self.min_size:
                final.append(rows)
            else:
                add(rows[below])
                add(rows[~below])
        return final + [bin_.rows for bin_ in waiting]


class _Bin(NamedTuple):
    rows: IntArray
    component: int
    variance: float


def _most_variable(probs: FloatArray) -> tuple[int, float]:
    n = len(probs)
    deviations = probs - probs.mean(axis=0)
    # the second term corrects for the rounding of the mean, which matters for nearly equal values
    squares = np.einsum("ij,ij->j", deviations, deviations) - deviations.sum(axis=0) ** 2 / n
    variances = np.maximum(squares, 0.0) / (n - 1)
    largest = float(variances.max())
    return int(np.argmax(variances >= largest * _TIE)), largest


def _widest(bins: list[_Bin]) -> int:
    variances = np.array([bin_.variance for bin_ in bins])
    return int(np.argmax(variances >= variances.max() * _TIE))


def _number(bins: list[IntArray], n_samples: int) -> IntArray:
    ids = np.empty(n_samples, dtype=np.int64)
    # the rows of a bin are in ascending order, so the first is the smallest
    for number, rows in enumerate(sorted(bins, key=lambda rows: int(rows[0]))):
        ids[rows] = number
    return ids
