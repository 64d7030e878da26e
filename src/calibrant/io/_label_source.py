"""Where the labels are: beside the probabilities, or in a file of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant.io._align import order_of
from calibrant.io._columns import ONE_HOT_PREFIXES, class_in_name, find_labels, listed
from calibrant.io._errors import InputError
from calibrant.io._growing import Texts
from calibrant.io._labels import plain
from calibrant.io._table import Request

if TYPE_CHECKING:
    from calibrant.io._columns import Columns, Wishes
    from calibrant.io._table import Array, Content, Table


def raw_labels(
    table: Table, columns: Columns, content: Content, other: Table | None, wishes: Wishes
) -> tuple[Array | Texts, tuple[str, ...]]:
    """Return the labels as they are written, and their columns."""
    if other is None:
        return own_labels(table, columns, content), columns.labels
    return _labels_of(other, table, columns, content, wishes)


def own_labels(table: Table, columns: Columns, content: Content) -> Array | Texts:
    """Return the labels that stand beside the probabilities."""
    if "labels" in content.matrices:
        return _in_class_order(content.matrices["labels"], columns, table.name)
    return content.texts[columns.labels[0]]


def _labels_of(
    other: Table, table: Table, columns: Columns, content: Content, wishes: Wishes
) -> tuple[Array | Texts, tuple[str, ...]]:
    key = columns.id if columns.id is not None and columns.id in other.widths else None
    taken = {key} if key else set()
    free = [name for name in other.column_names if name not in taken]
    only = wishes.label is None and len(free) == 1 and not wishes.onehot
    found = (free[0],) if only else find_labels(other, wishes, taken)
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
        values = (
            Texts(values.codes[order], values.values)
            if isinstance(values, Texts)
            else (values[order])
        )
    elif len(values) != n_rows:
        raise InputError(
            f"{other.name}: there must be one label for each of the {n_rows} rows of "
            f"{table.name}; got {len(values)}. Give both files the same rows, or join them with "
            "--id"
        )
    return values, found


def _in_class_order(one_hot: Array, columns: Columns, name: str) -> Array:
    """Put one-hot columns into the order of the probability columns, where both name classes."""
    suffixes = class_in_name(columns.labels, ONE_HOT_PREFIXES)
    if columns.classes is None or not suffixes:
        return one_hot
    position = {suffixes[column]: i for i, column in enumerate(columns.labels)}
    if set(position) != set(columns.classes):
        raise InputError(
            f"{name}: one-hot columns and probability columns must name the same classes; got "
            f"{listed(position)} and {listed(columns.classes)}. Choose them with --label and --prob"
        )
    return one_hot[:, np.array([position[c] for c in columns.classes])]
