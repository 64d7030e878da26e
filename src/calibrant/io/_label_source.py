"""Labels from the file of the probabilities, or from another file joined by identifiers."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant._native import IntArray
from calibrant._predictions import Source
from calibrant.errors import Argument, InputError, Problem
from calibrant.io._columns import Columns
from calibrant.io._growing import Texts
from calibrant.io._label_columns import find_labels
from calibrant.io._labels import plain
from calibrant.io._options import ID, ReadOptions
from calibrant.io._table import Array, Content, Request, Table

#: columns of both files that are compared
_SHARED = 8


def raw_labels(
    table: Table, columns: Columns, content: Content, other: Table | None, options: ReadOptions
) -> tuple[Array | Texts | Source, tuple[str, ...]]:
    """Return the labels as written, and their columns."""
    if other is None:
        return own_labels(table, columns, content), columns.labels
    return _labels_of(other, table, columns, content, options)


def own_labels(table: Table, columns: Columns, content: Content) -> Array | Texts | Source:
    """Return the labels in the file of the probabilities."""
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
    if key is None:
        _require_length(values, n_rows, f"rows of {table.name}", other)
        _refuse_another_order(table, other, columns, found)
    elif columns.id is not None:
        _require_length(values, len(read.texts[key]), f"identifiers in {key!r}", other)
        ours, theirs = plain(content.texts[columns.id]), plain(read.texts[key])
        order = order_of(ours, theirs, table.name, other.name)
        values = values.take(order) if isinstance(values, Texts) else values[order]
    if isinstance(values, Texts) or not read.matrices:
        return values, found
    return _one_hot(values, found), found


def _one_hot(rows: Array, columns: tuple[str, ...]) -> Source:
    """Return one-hot labels with their column names; a single wide column has none."""
    return Source(rows, names=columns if len(columns) > 1 else None)


def _require_length(values: Array | Texts, length: int, what: str, other: Table) -> None:
    if len(values) != length:
        raise InputError(
            Problem.LENGTHS,
            f"there must be one label for each of the {length} {what}",
            source=other.name,
            value=len(values),
            remedy=("give both files the same rows, or join them with ", ID),
        )


def _refuse_another_order(
    table: Table, other: Table, columns: Columns, labels: tuple[str, ...]
) -> None:
    """Refuse to join by rows what a column of both files shows to be in another order."""
    if columns.id is not None and len(other.widths) > len(labels):
        raise InputError(
            Problem.IDENTIFIERS,
            f"there is no column {columns.id!r} to join the labels by",
            source=other.name,
            remedy=("rename the column, or leave ", ID, " out if both files have the same order"),
        )
    names = [name for name in columns.ignored if table.widths[name] == 1]
    names = [name for name in names if other.widths.get(name) == 1 and name not in labels]
    for name in names[:_SHARED]:
        ours, theirs = _values(table, name), _values(other, name)
        if ours != theirs and len(set(ours)) == len(ours) and set(ours) == set(theirs):
            raise InputError(
                Problem.IDENTIFIERS,
                f"has the values of {name!r} in another order than {table.name}",
                source=other.name,
                remedy=("join the files with ", Argument("id", name)),
            )


def _values(table: Table, name: str) -> list[Any]:
    try:
        values: list[Any] = plain(table.read(Request({}, (), (name,))).texts[name]).tolist()
    except InputError:
        return []
    return values


def order_of(ids: Array, others: Array, name: str, other_name: str) -> IntArray:
    """Return the position of every id in `others`; both must contain the same unique ids."""
    here, there = _index(ids, name), _index(others, other_name)
    _require_all(here, there, name, other_name)
    _require_all(there, here, other_name, name)
    return np.array([there[key] for key in here], dtype=np.int64)


def _index(ids: Array, name: str) -> dict[Any, int]:
    index: dict[Any, int] = {}
    for row, key in enumerate(ids.tolist()):
        if key is None or key != key:
            raise InputError(
                Problem.IDENTIFIERS,
                "has no identifier",
                source=name,
                row=row,
                remedy="fill it in, or drop the row",
            )
        if index.setdefault(key, row) != row:
            raise InputError(
                Problem.IDENTIFIERS,
                f"the identifier {key!r} occurs more than once, at rows {index[key]} and {row}",
                source=name,
                remedy=("pass ", ID, " a column with a different value in every row"),
            )
    return index


def _require_all(wanted: dict[Any, int], found: dict[Any, int], name: str, other: str) -> None:
    missing = [key for key in wanted if key not in found]
    if missing:
        shown = ", ".join(map(repr, missing[:3])) + (", …" if len(missing) > 3 else "")
        raise InputError(
            Problem.IDENTIFIERS,
            f"{len(missing)} of the {len(wanted)} identifiers of {name} are missing: {shown}",
            source=other,
            count=len(missing),
            remedy="give both files the same rows",
        )
