"""Conversion of a table of annotators' votes to one row per vote."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from calibrant._native import BoolArray, FloatArray, IntArray
from calibrant._predictions._arrays import Source
from calibrant._predictions._clusters import check_clusters, code_clusters
from calibrant._predictions._labels import encode
from calibrant._predictions._messages import DROP_ROWS, count, first_of
from calibrant._predictions._names import Names
from calibrant._predictions._probabilities import as_floats, refuse_non_finite
from calibrant.errors import DataError, Problem

#: more votes in one cell are refused, because every vote takes a row of memory
MOST = 2**31


class Rows(NamedTuple):
    """One row per vote: item and label, with the names of the classes."""

    items: IntArray
    labels: IntArray
    classes: Names


def check_votes(votes: Source) -> IntArray:
    """Return counts (n, m), each row with at least one vote."""
    shape = votes.values.shape
    if len(shape) != 2 or not shape[0] or shape[1] < 2:
        raise DataError(
            Problem.SHAPE,
            "must have a row per item and a column per class, shape (n_samples, n_classes)",
            argument="votes",
            got=f"shape {shape}",
            remedy="with one label per row, use `Predictions(y_true, y_prob)`",
        )
    counts = as_floats(votes.values, "votes")
    refuse_non_finite(counts, "votes", ~np.isfinite(counts), "a class without votes has a 0")
    _refuse(counts < 0, counts, Problem.RANGE, "must not be negative", "negative value")
    _refuse(
        counts != np.trunc(counts),
        counts,
        Problem.FRACTIONS,
        "must count votes in whole numbers",
        "fraction",
        hint="shares and soft targets are not labels, and an exact test compares labels with "
        "labels drawn from the predictions",
        remedy="pass the counts behind them, or use `Predictions.from_soft_labels` for estimates "
        "and intervals without an exact test",
    )
    _refuse(counts > MOST, counts, Problem.RANGE, f"must be at most {MOST}", "larger value")
    silent = counts.sum(axis=1) == 0
    if silent.any():
        raise DataError(
            Problem.MISSING,
            "must have at least one vote in every row",
            argument="votes",
            got=count(silent, "row without votes"),
            remedy=DROP_ROWS,
            **first_of(silent),
        )
    return counts.astype(np.int64)


def spread(
    counts: IntArray, votes: Source, y_prob: Source, table: FloatArray, classes: Any
) -> Rows:
    """Return one row per vote, in the order of the items and then of the columns of `votes`."""
    n_classes = table.shape[1]
    if counts.shape[1] != n_classes:
        raise DataError(
            Problem.SHAPE,
            f"must have one column per class, {n_classes} in all",
            argument="votes",
            got=str(counts.shape[1]),
        )
    class_of, names = classes_of_columns(votes, "votes", y_prob, table, classes)
    items, voted = np.divmod(np.repeat(np.arange(counts.size), counts.ravel()), n_classes)
    return Rows(items, class_of[voted], names)


def classes_of_columns(
    cells: Source, argument: str, y_prob: Source, table: FloatArray, classes: Any
) -> tuple[IntArray, Names]:
    """Return the class of every column of a table with one column per class, and their names."""
    try:
        # each column is a one-hot label, which is matched to its class like any other
        columns = cells._replace(values=np.eye(table.shape[1]))
        return encode(columns, y_prob, table, classes, None)
    except DataError as error:
        error.argument = argument if error.argument == "y_true" else error.argument
        raise


def item_clusters(
    clusters: Any, n_samples: int, *, several: bool, independent_votes: bool
) -> IntArray | None:
    """Return the clusters of the items: the given ones, each item, or None.

    Items are clusters if any has several votes that may depend on each other.
    """
    if clusters is not None:
        if independent_votes:
            raise ValueError(
                "`independent_votes` must be False if there are `clusters`: the votes of an "
                "item share its cluster, in which rows may depend on each other. Leave one out."
            )
        return check_clusters(clusters, n_samples)
    if several and not independent_votes:
        return code_clusters(np.arange(n_samples), n_samples)
    return None


def _refuse(
    wrong: BoolArray, counts: FloatArray, problem: Problem, rule: str, noun: str, **advice: str
) -> None:
    if wrong.any():
        raise DataError(
            problem,
            rule,
            argument="votes",
            got=count(wrong, noun),
            hint=advice.get("hint", ""),
            remedy=advice.get("remedy", ""),
            **first_of(wrong, counts),
        )
