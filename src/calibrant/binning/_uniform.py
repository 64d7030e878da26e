"""Bins of equal width."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrant import _native
from calibrant._native import FloatArray, IntArray
from calibrant.binning._base import Binning, as_matrix, check_count


@dataclass(frozen=True)
class Uniform(Binning):
    r"""Cut the probability of every class into cells of equal width.

    Rows share a bin if they are in the same cell for every class. Cells are closed on the right: 0
    is in the first cell, 1 in the last. Cost O(n·m); only non-empty bins exist, of the
    :math:`n^m` possible ones.

    Parameters
    ----------
    n : int, default 10
        Number of cells for each class.

    Notes
    -----
    The cell of :math:`p_c` is :math:`\max(1, \lceil n p_c \rceil)`, with the product as
    floating-point arithmetic gives it. Two columns contain one number, so only the last
    one is cut: :math:`1 - 0.7` is a little more than 0.3, and would be cut differently.

    With two columns, bins are numbered in ascending order of the last column; with more columns, in
    the order of the first row of each bin.

    Examples
    --------
    >>> from calibrant.binning import Uniform
    >>> Uniform(2).assign([[0.5, 0.5], [1.0, 0.0], [0.25, 0.75]])
    array([0, 0, 1])

    A probability of one half belongs to the first of the two bins.
    """

    n: int = 10

    def __post_init__(self) -> None:
        check_count("Uniform", "n", self.n, 1)

    def assign(self, y_prob: Any) -> IntArray:
        """Return the bin of every row; see `Binning.assign`."""
        probs = as_matrix(y_prob)
        if _native.active() is not None:
            return np.asarray(self.assign_many(probs[None])[0])
        cells = self.cells(probs)
        if probs.shape[1] == 2:
            return np.unique(cells[:, -1], return_inverse=True)[1].astype(np.int64, copy=False)
        seen: dict[bytes, int] = {}
        return np.array([seen.setdefault(row.tobytes(), len(seen)) for row in cells])

    def assign_many(self, y_prob: Any) -> IntArray:
        """Return the bins of many data sets; see `Binning.assign_many`."""
        core = _native.active()
        if core is None:
            return super().assign_many(y_prob)
        probs = np.ascontiguousarray(y_prob, dtype=np.float64)
        ids = np.empty(probs.shape[:2], dtype=np.int64)
        core.binning_uniform(probs, self.n, ids)
        return ids

    def edges(self, y_prob: FloatArray, ids: IntArray) -> tuple[FloatArray, FloatArray] | None:
        """Return the edges of the non-empty cells of the last of two columns."""
        if y_prob.shape[1] != 2:
            return None
        cell = np.empty(ids.max() + 1, dtype=np.int64)
        cell[ids] = self.cells(y_prob[:, -1])
        return (cell - 1) / self.n, cell / self.n

    def cells(self, probs: FloatArray) -> IntArray:
        """Return the cell 1..n of every probability, shape of `probs`."""
        # a sum of probabilities may exceed 1 by rounding; it belongs to the last cell
        return np.clip(np.ceil(self.n * probs), 1, self.n).astype(np.int64)
