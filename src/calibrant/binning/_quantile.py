"""Bins of equal counts, for two classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrant._native import FloatArray, IntArray
from calibrant.binning._base import Binning, as_matrix, check_count


@dataclass(frozen=True)
class Quantile(Binning):
    r"""Cut the probability of the last of two classes at its quantiles.

    Without ties, the sizes of the bins differ by at most one. Rows of equal probability are never
    separated; cells left empty by this rule are dropped. Cost O(n log n).

    Parameters
    ----------
    n : int, default 10
        Largest number of bins.

    Notes
    -----
    With N rows, a row whose probability exceeds that of r others goes to cell
    :math:`\lfloor n r / N \rfloor`. In other words: cells are closed on the right, and the upper
    edge of cell b = 1..n is the order statistic of rank :math:`\lceil N b / n \rceil`. Bins are
    numbered in ascending order. Counts ignore the sample weights.

    Quantiles need an order, so more than two columns are refused: apply a lens first, for example
    ``predictions.top_label()`` or ``predictions.one_vs_rest(c)``.

    Examples
    --------
    >>> from calibrant.binning import Quantile
    >>> Quantile(2).assign([[0.9, 0.1], [0.8, 0.2], [0.8, 0.2], [0.1, 0.9]])
    array([0, 0, 0, 1])

    The tie keeps the third row in the first bin.
    """

    n: int = 10

    def __post_init__(self) -> None:
        check_count("Quantile", "n", self.n, 1)

    def assign(self, y_prob: Any) -> IntArray:
        """Return the bin of every row; see `Binning.assign`."""
        probs = as_matrix(y_prob)
        if probs.shape[1] != 2:
            raise ValueError(
                f"Quantile needs two columns; got {probs.shape[1]}. Apply a lens to the "
                "predictions first, for example `predictions.top_label()` or "
                "`predictions.one_vs_rest(c)`, or use `MedianVariance`."
            )
        n_samples = len(probs)
        order = np.argsort(probs[:, -1])
        ascending = probs[order, -1]
        is_tied = ascending[1:] == ascending[:-1]
        # one array for three steps: rank of the first of equal values, its cell, its bin
        bins = np.arange(n_samples)
        bins[1:][is_tied] = 0
        np.maximum.accumulate(bins, out=bins)
        bins *= self.n
        bins //= n_samples
        starts_cell = bins[1:] > bins[:-1]
        bins[0] = 0
        np.cumsum(starts_cell, out=bins[1:])
        ids = np.empty(n_samples, dtype=np.int64)
        ids[order] = bins
        return ids

    def edges(self, y_prob: FloatArray, ids: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return edges from 0 to 1; the inner ones are the largest values of their bins."""
        upper = np.zeros(ids.max() + 1)
        np.maximum.at(upper, ids, y_prob[:, -1])
        upper[-1] = 1.0
        return np.concatenate([[0.0], upper[:-1]]), upper
