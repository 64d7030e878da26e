"""Rows binned by the probability of their event, as the binned effects share them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions
from calibrant.binning import Quantile

N_BINS = 15


@dataclass(frozen=True, eq=False)
class EventBins:
    """The probability of the event, whether it occurred, and the bin, for every row.

    The event is that of `Predictions.event`. Bins are quantiles of its probability with at least
    2 rows each, in ascending order. One row alone is one bin.
    """

    probability: FloatArray
    hit: FloatArray
    ids: IntArray

    @classmethod
    def of(cls, predictions: Predictions, n_bins: int = N_BINS) -> EventBins:
        """Bin the rows of `predictions` into at most n/2 bins; O(n·(m + log n))."""
        probability, hit = event_of(predictions)
        columns = np.column_stack([1.0 - probability, probability])
        ids = Quantile(count_bins(len(hit), n_bins)).assign(columns)
        del columns
        return cls(probability, hit, join_small(np.bincount(ids))[ids])


def event_of(predictions: Predictions) -> tuple[FloatArray, FloatArray]:
    """Return the probability of each row's event, and whether it occurred as 0 or 1."""
    event = predictions.event()
    return event.distributions[:, 1].copy(), event.y_true.astype(np.float64)


def count_bins(n_rows: int, n_bins: int = N_BINS) -> int:
    """Return the number of bins."""
    return max(1, min(n_bins, n_rows // 2))


def join_small(count: IntArray) -> IntArray:
    """Return new bin numbers, with bins that are too small because of ties joined to neighbors."""
    numbers, size, number = np.zeros(len(count), dtype=np.int64), 0, 0
    for b, rows in enumerate(count):
        numbers[b] = number
        size += int(rows)
        if size >= 2:
            number, size = number + 1, 0
    if size and number:
        numbers[numbers == number] = number - 1
    return numbers
