"""Folds of rows: at random or stratified, clusters kept together, the same for the same seed."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from calibrant._native import IntArray
from calibrant._predictions import check_indexes
from calibrant.errors import DataError, Problem

#: data that were drawn from the same seed must not have the same random numbers
_STREAM = 0xF01D


def assign_folds(
    y_true: Any,
    n_folds: int = 10,
    seed: int = 0,
    clusters: Any = None,
    *,
    stratified: bool = True,
) -> IntArray:
    """Assign every row to a fold; by default each fold has about the same share of every class.

    Cost O(n log n).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Class indices.
    n_folds : int, default 10
        At least 2, at most the number of rows, or of clusters.
    seed : int, default 0
        The same seed gives the same folds.
    clusters : array-like of shape (n_samples,), optional
        Rows with the same value are in the same fold.
    stratified : bool, default True
        False: regardless of the classes. A map that changes the frequencies of the classes is
        measured fairly only so: in stratified folds the rows left out have the frequencies that
        the map was fitted to.

    Returns
    -------
    ndarray of int64, shape (n_samples,)
        Numbers 0, …, n_folds − 1.

    Notes
    -----
    Without clusters, the rows of each class are shuffled and dealt to the folds in turn, class
    after class: folds differ by at most one row, and by at most one row in every class. Clusters
    are shuffled and taken by size, the largest first; each goes to the fold with the fewest rows
    of its most frequent class. Without stratification all rows count as one class.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant.recalibration import assign_folds
    >>> y_true = [0, 0, 0, 0, 1, 1]
    >>> folds = assign_folds(y_true, n_folds=2)
    >>> np.bincount(folds), np.bincount(folds, weights=y_true)
    (array([3, 3]), array([1., 1.]))
    """
    check_indexes({"y_true": y_true, "clusters": clusters})
    labels = np.asarray(y_true) if stratified else np.zeros(np.shape(y_true), dtype=np.int64)
    n_folds = _check_folds(n_folds)
    rng = np.random.default_rng([_STREAM, seed])
    if clusters is not None:
        return _deal_clusters(labels, _codes(clusters, len(labels)), n_folds, rng)
    _require(len(labels), n_folds, "row")
    folds = np.empty(len(labels), dtype=np.int64)
    folds[np.lexsort([rng.random(len(labels)), labels])] = np.arange(len(labels)) % n_folds
    return folds


def _deal_clusters(
    labels: IntArray, clusters: IntArray, n_folds: int, rng: np.random.Generator
) -> IntArray:
    sizes = np.bincount(clusters)
    _require(len(sizes), n_folds, "cluster")
    main = _most_frequent(labels, clusters)
    rows = {label: [0] * n_folds for label in np.unique(main).tolist()}
    totals = [0] * n_folds
    fold_of = np.empty(len(sizes), dtype=np.int64)
    for cluster in np.lexsort([rng.random(len(sizes)), -sizes]).tolist():
        own, size = rows[int(main[cluster])], int(sizes[cluster])
        fold = min(range(n_folds), key=lambda k: (own[k], totals[k]))
        own[fold] += size
        totals[fold] += size
        fold_of[cluster] = fold
    return np.asarray(fold_of[clusters])


def _most_frequent(labels: IntArray, clusters: IntArray) -> IntArray:
    """Return each cluster's most frequent label; the smallest on ties."""
    pairs, counts = np.unique(np.column_stack([clusters, labels]), axis=0, return_counts=True)
    order = np.lexsort([pairs[:, 1], -counts, pairs[:, 0]])
    first = np.unique(pairs[order, 0], return_index=True)[1]
    return np.asarray(pairs[order[first], 1])


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
