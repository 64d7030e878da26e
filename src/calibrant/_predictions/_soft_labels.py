"""Conversion of soft labels to one row per class with a positive share, weighted by it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from calibrant._native import FloatArray, IntArray
from calibrant._predictions._clusters import check_clusters, code_clusters
from calibrant._predictions._messages import count, first_of
from calibrant._predictions._probabilities import REFUSED, as_floats, refuse_non_finite
from calibrant._predictions._shapes import check_shapes
from calibrant._predictions._votes import classes_of_columns
from calibrant.errors import DataError, Problem

if TYPE_CHECKING:
    from calibrant._predictions._arrays import Source
    from calibrant._predictions._names import Names
    from calibrant._predictions._predictions import Predictions


class Shares(NamedTuple):
    """One row per positive share: item, class and share, with the names of the classes."""

    items: IntArray
    labels: IntArray
    shares: FloatArray
    classes: Names


def fitting_shapes(targets: Source, y_prob: Source) -> tuple[Source, Source]:
    """Check that targets and predictions have equal lengths; return single columns as vectors."""
    try:
        return check_shapes(targets, y_prob)
    except DataError as error:
        error.argument = "targets" if error.argument == "y_true" else error.argument
        if error.problem is Problem.SWAPPED:
            error.remedy = "pass `(targets, y_prob)`, soft labels first"
        raise


def spread_shares(targets: Source, y_prob: Source, table: FloatArray, classes: Any) -> Shares:
    """Return one row per positive share, in the order of the items and then of the columns."""
    shares = _check(targets, table)
    positive = shares > 0.0
    items, columns = np.nonzero(positive)
    class_of, names = classes_of_columns(targets, "targets", y_prob, table, classes)
    return Shares(items, class_of[columns], shares[positive], names)


def soft_weights(
    rows: Shares, weights: FloatArray | None, clusters: Any, n_samples: int
) -> tuple[FloatArray | None, IntArray | None, bool]:
    """Return weights and clusters of the rows, and whether any label is soft.

    If none is, the rows are those of ordinary labels.
    """
    is_soft = bool((rows.shares != 1.0).any())
    together = None
    if clusters is not None:
        together = check_clusters(clusters, n_samples)[rows.items]
    elif is_soft:
        together = code_clusters(np.arange(n_samples), n_samples)[rows.items]
    if not is_soft:
        return weights, together, False
    return rows.shares * (1.0 if weights is None else weights[rows.items]), together, True


def refuse_soft(predictions: Predictions, what: str) -> None:
    """Refuse soft labels for methods that draw labels from the predictions."""
    if predictions.soft:
        raise DataError(
            Problem.SOFT,
            f"{what} needs one label per row",
            got="soft labels",
            hint="an exact test compares the labels with labels drawn from the predictions, and "
            "shares are not draws",
            remedy="estimates, effects and `compare` work; for a test, pass the votes behind the "
            "shares to `Predictions.from_votes`, draw one label per row, or use "
            "`methods.BetweenClusters()`, which is approximate and draws no labels",
        )


def _check(targets: Source, table: FloatArray) -> FloatArray:
    """Return the shares (n, m), whose rows may be off 1 by rounding."""
    n_samples, n_classes = table.shape
    values = as_floats(targets.values, "targets")
    if values.ndim == 1 and n_classes == 2:
        values = np.stack([1.0 - values, values], axis=1)
    if values.shape != table.shape:
        raise DataError(
            Problem.SHAPE,
            f"must have the shape of the predictions, ({n_samples}, {n_classes})",
            argument="targets",
            got=f"shape {targets.values.shape}",
        )
    refuse_non_finite(values, "targets", ~np.isfinite(values), "a class without a share has a 0")
    wrong = values < 0.0
    off = np.abs(values.sum(axis=1) - 1.0) > REFUSED
    if wrong.any() or off.any():
        rule, noun = (
            ("must not be negative", "negative value")
            if wrong.any()
            else ("must have rows that sum to 1", "other row")
        )
        raise DataError(
            Problem.RANGE if wrong.any() else Problem.ROW_SUMS,
            rule,
            argument="targets",
            got=count(wrong if wrong.any() else off, noun),
            remedy="use `Predictions.from_votes` if these are counts, or divide rows by their sums",
            **first_of(wrong if wrong.any() else off),
        )
    return values
