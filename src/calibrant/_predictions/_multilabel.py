"""Multilabel data as two-class problems, with the rows as clusters."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from calibrant._native import FloatArray, IntArray
from calibrant._predictions._arrays import Source, read
from calibrant._predictions._clusters import check_clusters
from calibrant._predictions._indexes import check_indexes
from calibrant._predictions._meaning import match_columns
from calibrant._predictions._messages import DROP_ROWS, count, first_of, listed
from calibrant._predictions._names import Names, checked_names
from calibrant._predictions._probabilities import as_floats, check_probabilities, refuse_non_finite
from calibrant._predictions._weights import check_weights
from calibrant.errors import DataError, Problem


class Stacked(NamedTuple):
    """The cells of the matrices as two-class rows, row by row."""

    y_true: IntArray
    y_prob: FloatArray
    sample_weight: FloatArray | None
    clusters: IntArray


def stack_labels(Y: Any, P: Any, labels: Any, sample_weight: Any, clusters: Any) -> Stacked:
    """Return n·L two-class rows, cell (i, j) at i·L + j, clustered by row or the given clusters."""
    check_indexes({"Y": Y, "P": P, "sample_weight": sample_weight, "clusters": clusters})
    truth, predicted = _matrix(Y, "Y"), _matrix(P, "P")
    shape = predicted.values.shape
    if truth.values.shape != shape:
        raise DataError(
            Problem.SHAPE,
            f"must have the shape of `P`, {shape}",
            argument="Y",
            got=f"shape {truth.values.shape}",
        )
    label_names(predicted, labels)
    _refuse_other_columns(truth, predicted)
    n_samples, n_labels = shape
    ids = np.arange(n_samples) if clusters is None else clusters
    weights = None if sample_weight is None else check_weights(sample_weight, n_samples)
    return Stacked(
        _zeros_and_ones(truth.values).ravel(),
        _two_class_rows(predicted),
        None if weights is None else np.repeat(weights, n_labels),
        np.repeat(check_clusters(ids, n_samples), n_labels),
    )


def label_of_cells(P: Any, labels: Any) -> np.ndarray[Any, Any]:
    """Return the label name of every stacked row, shape (n·L,)."""
    predicted = _matrix(P, "P")
    n_samples, n_labels = predicted.values.shape
    names = np.empty(n_labels, dtype=object)
    names[:] = label_names(predicted, labels)
    return np.tile(names, n_samples)


def label_names(predicted: Source, labels: Any) -> Names:
    """Return the names of the labels: the given ones, those of the frame, or 0..L−1."""
    n_labels = predicted.values.shape[1]
    given = predicted.names if labels is None else labels
    if given is None:
        return tuple(range(n_labels))
    try:
        names = checked_names(given)
    except DataError as error:
        error.argument = "labels"
        raise
    if len(names) != n_labels:
        raise DataError(
            Problem.CLASSES,
            f"must name the {n_labels} columns of `P`",
            argument="labels",
            got=f"{len(names)}: {listed(names)}",
        )
    return names


def _matrix(data: Any, name: str) -> Source:
    source = read(data, name)
    if source.values.ndim != 2:
        raise DataError(
            Problem.SHAPE,
            "must be a matrix of shape (n_samples, n_labels)",
            argument=name,
            got=f"shape {source.values.shape}",
            remedy="for one label use `Predictions(y_true, y_prob)`",
        )
    if source.values.size == 0:
        got = f"shape {source.values.shape}"
        raise DataError(Problem.EMPTY, "must not be empty", argument=name, got=got)
    return source


def _refuse_other_columns(truth: Source, predicted: Source) -> None:
    """Refuse frames whose columns name the same labels in another order."""
    if truth.names is None or predicted.names is None:
        return
    order = match_columns(predicted.names, truth.names)
    if order not in (None, list(range(len(truth.names)))):
        raise DataError(
            Problem.CLASSES,
            "must have its columns in the order of `P`",
            argument="Y",
            got=f"{listed(truth.names)} for {listed(predicted.names)}",
            remedy="reorder one of them",
        )


def _zeros_and_ones(values: np.ndarray[Any, Any]) -> IntArray:
    numbers = as_floats(values, "Y")
    refuse_non_finite(numbers, "Y", ~np.isfinite(numbers), DROP_ROWS)
    wrong = (numbers != 0) & (numbers != 1)
    if wrong.any():
        raise DataError(
            Problem.LABEL_RANGE,
            "must be 0 or 1",
            argument="Y",
            got=f"{count(wrong, 'other value')}",
            **first_of(wrong, numbers),
        )
    return numbers.astype(np.int64)


def _two_class_rows(predicted: Source) -> FloatArray:
    """Return [1 − p, p] for every cell; errors name the cell of the matrix."""
    values = predicted.values
    try:
        return check_probabilities(Source(values.ravel(), predicted.precision))
    except DataError as error:
        error.argument = "P"
        if error.row is not None:
            error.row, error.column = divmod(error.row, values.shape[1])
        if error.problem is Problem.LOGITS:
            error.remedy = "pass `1 / (1 + np.exp(-P))` if these are logits of single labels"
        raise
