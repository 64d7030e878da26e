"""Predictions from the labels and probabilities of a table, with errors in the file's terms."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant._predictions import (
    Predictions,
    Source,
    columns_of,
    divide_rounded_rows,
    read,
)
from calibrant.errors import Argument, DataError, InputError, Problem
from calibrant.io._columns import Columns
from calibrant.io._errors import listed, located, stranger_error
from calibrant.io._growing import Texts
from calibrant.io._labels import Labels, alike_hint, from_one, reconcile
from calibrant.io._options import CLASSES, LOGITS, ONE_BASED, ReadOptions
from calibrant.io._table import Array, Content, Table
from calibrant.io._top_label import top_label_hits, top_label_predictions

#: number of labels of a two-class model
_TWO = 2


def checked_predictions(
    raw: Array | Texts | Source,
    matrix: Array,
    columns: Columns,
    content: Content,
    table: Table,
    options: ReadOptions,
) -> Predictions:
    """Combine labels and probabilities of a table, with errors in the file's terms."""
    weight = None if columns.weight is None else content.numbers[columns.weight]
    clusters = None if columns.cluster is None else cluster_ids(content, columns.cluster)
    hits = top_label_hits(raw, matrix, columns, content, table, options)
    if hits is not None:
        try:
            return top_label_predictions(hits, matrix, weight, clusters)
        except DataError as error:
            raise located(error, table.name, columns) from error
    y_prob = _probabilities(matrix, columns, content, table)
    labels = _labels(raw, columns, options, matrix, table.name)
    _refuse_positions(labels, columns, table, options)
    strangers = _not_labels(labels) if columns.by_elimination else ()
    # for columns with a prefix, more than their names says that they are classes
    suspects = strangers or _not_classes(labels, columns)
    if strangers and (options.normalize or columns.logits):
        # without the check that rows sum to 1, a column that is not a class would go unnoticed
        raise stranger_error(table.name, strangers, columns)
    meaning: dict[str, Any] = {
        "classes": labels.classes,
        "pos_label": labels.pos_label,
        "sample_weight": weight,
        "clusters": clusters,
        "ordered": options.ordered,
    }
    try:
        if columns.logits:
            if not options.logits:
                refuse_probabilities(matrix, columns, table.name)
            return Predictions.from_logits(labels.y_true, y_prob, **meaning)
        return Predictions(labels.y_true, y_prob, normalize=options.normalize, **meaning)
    except DataError as error:
        sums = error.problem in (Problem.ROW_SUMS, Problem.SCORES)
        doubted = suspects if sums else strangers
        raise located(error, table.name, columns, doubted, alike_hint(labels)) from error


def _refuse_positions(labels: Labels, columns: Columns, table: Table, options: ReadOptions) -> None:
    """Refuse numbers as labels if the cells name their classes in no particular order."""
    inner, y_true = table.inner_names.get(columns.probabilities[0]), labels.y_true
    if inner is None or options.classes is not None or options.one_based:
        return
    if isinstance(y_true, Source) or y_true.dtype.kind not in "iufb":
        return
    distinct = np.unique(y_true).tolist()
    if columns_of(distinct, inner) is None and not set(distinct) <= set(labels.classes or ()):
        raise InputError(
            Problem.UNCERTAIN_LABELS,
            f"must be among the classes, {listed(inner)}, which the cells do not number",
            argument="the labels",
            source=table.name,
            got=", ".join(map(repr, distinct[:5])),
            remedy=("if they are positions, pass ", CLASSES, " in their order"),
        )


def cluster_ids(content: Content, column: str) -> Array:
    """Return the cluster ids as written; a missing id is None."""
    ids = content.texts[column]
    return ids.objects() if isinstance(ids, Texts) else ids


def refuse_probabilities(matrix: Array, columns: Columns, file: str) -> None:
    """Refuse columns that are called logits but contain rows of probabilities."""
    if matrix.ndim != 2 or matrix.shape[1] == 1:
        return
    if matrix.min() >= 0 and np.abs(matrix.sum(axis=1) - 1.0).max() < 1e-3:
        raise InputError(
            Problem.LOGITS,
            "are called logits, but their rows sum to 1 like probabilities",
            argument=f"the columns {', '.join(map(repr, columns.probabilities[:3]))}",
            source=file,
            remedy=(
                "pass ", LOGITS, " or ", Argument("prob", ",".join(columns.probabilities[:3])),
            ),
        )  # fmt: skip


def as_probabilities(
    matrix: Array, options: ReadOptions, columns: Columns, table: Table | None = None
) -> Array:
    """Return percentages, or one column of log-probabilities, as probabilities.

    Percentages with percent signs were already converted when they were read.
    """
    if columns.logs:
        return np.exp(matrix)
    if not options.percent:
        return matrix
    if table is None or not table.percent.intersection(columns.probabilities):
        return matrix / 100.0
    return matrix / [1.0 if name in table.percent else 100.0 for name in columns.probabilities]


def without_rounding(
    matrix: Array, columns: Columns, options: ReadOptions
) -> tuple[Array, int | None]:
    """Return rounded rows divided by their sums, with their decimals; other rows unchanged."""
    if columns.logits or options.normalize:
        return matrix, None
    return divide_rounded_rows(matrix)


def _probabilities(matrix: Array, columns: Columns, content: Content, table: Table) -> Source:
    """Return probabilities with their precision and column names, like those of a frame."""
    source = read(matrix, "y_prob")
    precision = content.precisions.get("probabilities", source.precision)
    width = 1 if matrix.ndim == 1 else matrix.shape[1]
    is_named = table.has_names and len(columns.probabilities) == width
    names = columns.probabilities if is_named else None
    return Source(source.values, precision, names)


def _labels(
    raw: Array | Texts | Source, columns: Columns, options: ReadOptions, matrix: Array, file: str
) -> Labels:
    one_column = matrix.ndim == 1 or matrix.shape[1] == 1
    names: tuple[Any, ...] | None = columns.classes
    if options.classes is None and names is not None and len(names) == 1:
        names = None  # the name of the only column, which `Predictions` also sees
    if options.one_based and one_column and names is None:
        names = (1, 2)  # so that p_1 is the first of them
    if isinstance(raw, Source):
        if options.one_based:
            raise InputError(
                Problem.ONE_BASED,
                "one-hot labels do not start at 1",
                source=file,
                remedy=("leave ", ONE_BASED, " out"),
            )
        return Labels(raw, names)
    labels = reconcile(raw, names, options.pos_label)
    n_classes = 2 if one_column else matrix.shape[1]
    return from_one(labels, n_classes, file) if options.one_based else labels


def _not_labels(labels: Labels) -> tuple[str, ...]:
    """Return the names of the classes without labels."""
    y_true = labels.y_true
    if isinstance(y_true, Source):
        return ()  # the columns must be the classes
    seen = set(y_true) if y_true.dtype.kind == "O" else set(np.unique(y_true).tolist())
    return tuple(str(name) for name in labels.classes or () if name not in seen)


def _not_classes(labels: Labels, columns: Columns) -> tuple[str, ...]:
    """Return the columns whose names match no label: some if others do, all for two models."""
    y_true, names = labels.y_true, labels.classes or ()
    if isinstance(y_true, Source) or len(names) != len(columns.probabilities):
        return ()
    seen = set(y_true) if y_true.dtype.kind == "O" else set(np.unique(y_true).tolist())
    found = [c for c, name in zip(columns.probabilities, names, strict=True) if name not in seen]
    is_models = len(found) == len(names) and len(seen) <= _TWO
    return tuple(found) if is_models or seen & set(names) else ()
