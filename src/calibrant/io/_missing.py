"""Missing values in files."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._predictions import Source
from calibrant.errors import InputError, Problem
from calibrant.io._growing import Texts

if TYPE_CHECKING:
    from calibrant._native import BoolArray
    from calibrant.io._columns import Columns
    from calibrant.io._table import Array, Content

#: texts for missing values, in lower case
_WORDS = frozenset({"", "na", "n/a", "nan", "null", "none", "<na>", "?"})


def is_missing(cell: Any) -> bool:
    """Return whether a cell is missing."""
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return True
    return isinstance(cell, str) and cell.strip().lower() in _WORDS


def without_missing(
    raw: Array | Texts | Source, content: Content, columns: Columns, file: str
) -> tuple[Array | Texts | Source, Content, int]:
    """Drop rows with a missing label, probability or weight, and count them."""
    matrix = content.matrices["probabilities"]
    classes = {str(name) for name in columns.classes or ()}
    missing = np.isnan(matrix.reshape(len(matrix), -1)).any(axis=1) | _missing(raw, classes)
    if columns.weight is not None:
        missing |= np.isnan(content.numbers[columns.weight])
    for name in filter(None, (columns.predicted, columns.cluster)):
        missing |= _missing(content.texts[name], classes)
    if columns.cluster is not None:
        missing |= _missing(content.texts[columns.cluster], set())
    if not missing.any():
        return raw, content, 0
    if missing.all():
        raise InputError(
            Problem.EMPTY,
            "every row has a missing label, probability or weight",
            source=file,
            remedy="check the columns",
        )
    kept = np.flatnonzero(~missing)
    rows = replace(
        content,
        matrices={name: values[kept] for name, values in content.matrices.items()},
        numbers={name: values[kept] for name, values in content.numbers.items()},
        texts={name: _take(values, kept) for name, values in content.texts.items()},
    )
    return _take(raw, kept), rows, int(missing.sum())


def _missing(labels: Array | Texts | Source, classes: set[str]) -> BoolArray:
    """Return which labels are missing; a word such as NA counts unless a class has this name."""
    if isinstance(labels, Texts):
        gone = [value is None or (is_missing(value) and value not in classes)
                for value in labels.values]  # fmt: skip
        found: BoolArray = np.array(gone, dtype=np.bool_)[labels.codes]
        return found
    values = labels.values if isinstance(labels, Source) else labels
    if values.dtype.kind != "f":
        return np.zeros(len(values), dtype=np.bool_)
    missing: BoolArray = np.isnan(values.reshape(len(values), -1)).any(axis=1)
    return missing


def _take(values: Any, rows: Array) -> Any:
    if isinstance(values, Texts):
        kept = values.take(rows)
        used = np.unique(kept.codes)  # words for missing values must not remain among the names
        codes = np.searchsorted(used, kept.codes).astype(kept.codes.dtype)
        return Texts(codes, tuple(kept.values[int(old)] for old in used), kept.are_strings)
    if isinstance(values, Source):
        return Source(values.values[rows], values.precision, values.names)
    return values[rows]
