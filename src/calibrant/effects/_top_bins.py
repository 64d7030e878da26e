"""Rows in bins of their confidence: what the binned effects share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant.binning import Quantile

if TYPE_CHECKING:
    from calibrant._predictions import Predictions
    from calibrant._typing import FloatArray, IntArray

N_BINS = 15


@dataclass(frozen=True, eq=False)
class TopBins:
    """Confidence in the top label, whether it occurred, and the bin, for every row.

    Bins are quantiles of the confidence with at least 2 rows each, in ascending order. One row
    alone is one bin.
    """

    confidence: FloatArray
    hit: FloatArray
    ids: IntArray

    @classmethod
    def of(cls, predictions: Predictions, n_bins: int = N_BINS) -> TopBins:
        """Bin the rows of `predictions`, into at most n/2 bins; O(n·(m + log n))."""
        top = predictions.top_label()
        confidence = top.y_prob[:, 1] / top.y_prob.sum(axis=1)
        hit = top.y_true.astype(np.float64)
        n_samples = len(top)
        del top  # large beside what follows
        columns = np.column_stack([1.0 - confidence, confidence])
        ids = Quantile(max(1, min(n_bins, n_samples // 2))).assign(columns)
        del columns
        return cls(confidence, hit, _joined(np.bincount(ids))[ids])


def _joined(count: IntArray) -> IntArray:
    """Return new bin numbers: bins too small by ties join the next, the last the one before."""
    numbers, size, number = np.zeros(len(count), dtype=np.int64), 0, 0
    for b, rows in enumerate(count):
        numbers[b] = number
        size += int(rows)
        if size >= 2:
            number, size = number + 1, 0
    if size and number:
        numbers[numbers == number] = number - 1
    return numbers
