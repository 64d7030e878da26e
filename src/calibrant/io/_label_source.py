"""Where the labels are: beside the probabilities, or in a file of their own."""

from __future__ import annotations

from calibrant._predictions import Source
from calibrant.errors import InputError, Problem
from calibrant.io._align import order_of
from calibrant.io._columns import Columns, find_labels
from calibrant.io._growing import Texts
from calibrant.io._labels import plain
from calibrant.io._options import ID, ReadOptions
from calibrant.io._table import Array, Content, Request, Table


def raw_labels(
    table: Table, columns: Columns, content: Content, other: Table | None, options: ReadOptions
) -> tuple[Array | Texts | Source, tuple[str, ...]]:
    """Return the labels as they are written, and their columns."""
    if other is None:
        return own_labels(table, columns, content), columns.labels
    return _labels_of(other, table, columns, content, options)


def own_labels(table: Table, columns: Columns, content: Content) -> Array | Texts | Source:
    """Return the labels that stand beside the probabilities."""
    if "labels" in content.matrices:
        return _one_hot(content.matrices["labels"], columns.labels)
    return content.texts[columns.labels[0]]


def _labels_of(
    other: Table, table: Table, columns: Columns, content: Content, options: ReadOptions
) -> tuple[Array | Texts | Source, tuple[str, ...]]:
    key = columns.id if columns.id is not None and columns.id in other.widths else None
    taken = {key} if key else set()
    free = [name for name in other.column_names if name not in taken]
    only = options.label is None and len(free) == 1 and not options.onehot
    found = (free[0],) if only else find_labels(other, options, taken)
    if len(found) > 1 or other.widths[found[0]] > 1:
        read = other.read(Request({"labels": found}, (), (key,) if key else ()))
        values: Array | Texts = read.matrices["labels"]
    else:
        read = other.read(Request({}, (), (*found, *((key,) if key else ()))))
        values = read.texts[found[0]]
    n_rows = len(content.matrices["probabilities"])
    if key is not None and columns.id is not None:
        order = order_of(
            plain(content.texts[columns.id]), plain(read.texts[key]), table.name, other.name
        )
        values = values.take(order) if isinstance(values, Texts) else values[order]
    elif len(values) != n_rows:
        raise InputError(
            Problem.LENGTHS,
            f"there must be one label for each of the {n_rows} rows of {table.name}",
            source=other.name,
            value=len(values),
            remedy=("give both files the same rows, or join them with ", ID),
        )
    if isinstance(values, Texts) or not read.matrices:
        return values, found
    return _one_hot(values, found), found


def _one_hot(rows: Array, columns: tuple[str, ...]) -> Source:
    """Keep the names of one-hot columns; a single wide column does not name its classes."""
    return Source(rows, names=columns if len(columns) > 1 else None)
