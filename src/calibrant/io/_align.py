"""Rows of two files that belong together by an identifier."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant._native import IntArray
from calibrant.errors import InputError, Problem
from calibrant.io._options import ID
from calibrant.io._table import Array


def order_of(ids: Array, others: Array, name: str, other_name: str) -> IntArray:
    """Return where in `others` every one of `ids` is; both must hold the same ones, once."""
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
                f"the identifier {key!r} is there more than once, at rows {index[key]} and {row}",
                source=name,
                remedy=("pass ", ID, " a column that tells all rows apart"),
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
