"""The names of the classes, in the order of the columns of `y_prob`."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from calibrant._predictions._meaning import match_columns
from calibrant._predictions._messages import listed
from calibrant.errors import DataError, Problem

Names = tuple[Hashable, ...]


def column_names(classes: Any, frame_names: Names | None, n_classes: int) -> Names | None:
    """Return the names given by `classes` or by the frame's columns, or None.

    Both may be given, but the same classes in different orders are refused: one must be wrong.
    """
    if classes is None:
        return None if frame_names is None else checked_names(frame_names)
    names = checked_names(classes)
    if len(names) != n_classes:
        raise _refuse(
            f"must name the {n_classes} classes of the predictions (one column means two classes)",
            got=f"{len(names)}: {listed(names)}",
        )
    order = None if frame_names is None else match_columns(names, frame_names)
    if frame_names is not None and order not in (None, list(range(n_classes))):
        raise _refuse(
            "must have the order of the columns",
            got=f"{listed(names)} for the columns {listed(frame_names)}",
            remedy="reorder one of them",
        )
    return names


def checked_names(classes: Any) -> Names:
    """Return distinct hashable names as a tuple of Python objects."""
    if isinstance(classes, str | bytes):
        raise _refuse("must be a list of names", got=f"the string {classes!r}")
    if isinstance(classes, set | frozenset | Mapping):
        raise _refuse(
            "must be a list of names in the order of the columns",
            got=f"a {type(classes).__name__}, which does not say that order",
            remedy="pass a list",
        )
    try:
        names = tuple(map(python_value, classes))
        distinct = set(names)
    except TypeError as error:
        got = f"{type(classes).__name__}: {error}"
        raise _refuse("must be a list of hashable names", got=got) from error
    for name in names:
        if isinstance(name, np.generic):
            raise _refuse("must be strings, integers or booleans", got=f"{name!r}")
        if isinstance(name, str) and not _is_writable(name):
            raise _refuse("must be strings that can be written", got=f"{name!r}, which UTF-8 lacks")
    if any(is_missing(name) for name in names):
        raise _refuse("must not have missing names", got="None or NaN")
    if len(distinct) < len(names):
        twice = dict.fromkeys(name for name in names if names.count(name) > 1)
        raise _refuse("must be distinct", got=f"{listed(twice)} more than once")
    return names


def python_value(name: Any) -> Any:
    """Convert a NumPy scalar to a Python scalar, if there is one."""
    if isinstance(name, np.longdouble) and float(name) == name:
        return float(name)
    return name.item() if isinstance(name, np.generic) else name


def _is_writable(name: str) -> bool:
    """Return whether a text can be encoded, without half of a surrogate pair."""
    return not any("\ud800" <= character <= "\udfff" for character in name)


def _refuse(rule: str, **fields: Any) -> DataError:
    return DataError(Problem.CLASSES, rule, argument="classes", **fields)


def is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, pandas' NA or NaT."""
    if value is None or (isinstance(value, float) and value != value):
        return True
    return type(value).__name__ in ("NAType", "NaTType")
