"""Random folds of rows that keep clusters together."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from calibrant._native import IntArray
from calibrant.errors import DataError, Problem

#: makes folds differ from data drawn with the same seed
_STREAM = 0xF01D


def assign_folds(
    n_samples: int, n_folds: int = 10, seed: int = 0, clusters: Any = None
) -> IntArray:
    """Assign every row to a fold at random, regardless of the labels. Cost O(n log n).

    Stratified folds would mislead: the rows left out would have the class frequencies that a map
    was fitted to, so a map that shifts frequencies would look better than it is.

    Parameters
    ----------
    n_samples : int
        The number of rows.
    n_folds : int, default 10
        At least 2, at most the number of rows, or of clusters.
    seed : int, default 0
        The same seed gives the same folds.
    clusters : array-like of shape (n_samples,), optional
        Rows with the same value are in the same fold.

    Returns
    -------
    ndarray of int64, shape (n_samples,)
        Numbers 0, …, n_folds − 1.

    Notes
    -----
    Without clusters, the rows are shuffled and dealt to the folds in turn, so that folds differ by
    at most one row. Clusters are shuffled and taken by size, the largest first; each goes to the
    fold with the fewest rows.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant.recalibration import assign_folds
    >>> np.bincount(assign_folds(7, n_folds=2))
    array([4, 3])
    """
    n_folds = _check_folds(n_folds)
    rng = np.random.default_rng([_STREAM, seed])
    if clusters is not None:
        return _deal_clusters(_codes(clusters, n_samples), n_folds, rng)
    _require(n_samples, n_folds, "row")
    folds = np.empty(n_samples, dtype=np.int64)
    folds[np.argsort(rng.random(n_samples), kind="stable")] = np.arange(n_samples) % n_folds
    return folds


def _deal_clusters(clusters: IntArray, n_folds: int, rng: np.random.Generator) -> IntArray:
    sizes = np.bincount(clusters)
    _require(len(sizes), n_folds, "cluster")
    totals = [0] * n_folds
    fold_of = np.empty(len(sizes), dtype=np.int64)
    for cluster in np.lexsort([rng.random(len(sizes)), -sizes]).tolist():
        fold = min(range(n_folds), key=totals.__getitem__)
        totals[fold] += int(sizes[cluster])
        fold_of[cluster] = fold
    return np.asarray(fold_of[clusters])


def _codes(clusters: Any, n: int) -> IntArray:
    names = np.asarray(clusters)
    if names.shape != (n,):
        raise DataError(
            Problem.LENGTHS,
            f"must have one value per row, shape ({n},)",
            argument="clusters",
            got=f"shape {names.shape}",
        )
    return np.unique(names, return_inverse=True)[1].astype(np.int64)


def _check_folds(n_folds: int) -> int:
    try:
        number = operator.index(n_folds)
    except TypeError:
        number = 0
    if number < 2:
        raise ValueError(f"`n_folds` must be an integer of 2 or more; got {n_folds!r}.")
    return number


def _require(number: int, n_folds: int, noun: str) -> None:
    if number < n_folds:
        raise DataError(
            Problem.TOO_FEW_ROWS,
            f"{n_folds} folds need at least {n_folds} {noun}s",
            got=str(number),
            remedy=f"pass a smaller `n_folds`, or more {noun}s",
        )
