"""Rows of two files that belong together by an identifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.io._errors import InputError

if TYPE_CHECKING:
    from calibrant._typing import IntArray
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
            raise InputError(f"{name}: row {row} has no identifier. Fill it in, or drop the row")
        if index.setdefault(key, row) != row:
            raise InputError(
                f"{name}: the identifier {key!r} is there more than once, at rows {index[key]} "
                f"and {row}. --id needs a column that tells all rows apart"
            )
    return index


def _require_all(wanted: dict[Any, int], found: dict[Any, int], name: str, other: str) -> None:
    missing = [key for key in wanted if key not in found]
    if missing:
        shown = ", ".join(map(repr, missing[:3])) + (", …" if len(missing) > 3 else "")
        raise InputError(
            f"{other}: {len(missing)} of the {len(wanted)} identifiers of {name} are missing: "
            f"{shown}. Both files must have the same rows"
        )
