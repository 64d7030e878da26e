"""The names of the classes, in the order of the columns of `y_prob`."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from calibrant._predictions._messages import listed

Names = tuple[Hashable, ...]


def column_names(classes: Any, frame_names: Names | None, n_classes: int) -> Names | None:
    """Return the names given by `classes` or by the frame's columns, or None.

    Both may be given, but the same names in another order are refused: one of them is wrong.
    """
    if classes is None:
        return frame_names
    names = checked_names(classes)
    if len(names) != n_classes:
        raise ValueError(
            f"classes must name the {n_classes} classes of y_prob (one column means two classes); "
            f"got {len(names)}: {listed(names)}"
        )
    if frame_names is not None and names != frame_names and set(names) == set(frame_names):
        raise ValueError(
            f"classes and columns must have the same order; got {listed(names)} for the classes "
            f"of y_prob and {listed(frame_names)} for the columns of a frame. Reorder one of them"
        )
    return names


def with_positive(names: Names | None, pos_label: Any, n_classes: int) -> None:
    """Check that `pos_label` can name the last of two columns."""
    if n_classes != 2:
        raise ValueError(
            f"pos_label is for two classes; y_prob has {n_classes} columns. "
            "Name them with classes=, or look at one class with one_vs_rest"
        )
    if names is not None and names[1] != pos_label:
        raise ValueError(
            f"pos_label must be the last class, {names[1]!r}; got {pos_label!r}. "
            "The last column of y_prob (or its only one) is the positive class: "
            "reverse classes, or leave pos_label out"
        )


def checked_names(classes: Any) -> Names:
    """Return distinct hashable names as a tuple of Python objects."""
    if isinstance(classes, str | bytes):
        raise ValueError(f"classes must be a list of names; got the string {classes!r}")
    try:
        names = tuple(name.item() if isinstance(name, np.generic) else name for name in classes)
        distinct = set(names)
    except TypeError as error:
        raise ValueError(
            f"classes must be a list of hashable names; got {type(classes).__name__}: {error}"
        ) from error
    if any(is_missing(name) for name in names):
        raise ValueError("classes must not have missing names; got None or NaN")
    if len(distinct) < len(names):
        twice = dict.fromkeys(name for name in names if names.count(name) > 1)
        raise ValueError(f"classes must be distinct; got {listed(twice)} more than once")
    return names


def is_missing(value: Any) -> bool:
    """Recognise None, NaN, pandas' NA and NaT."""
    if value is None or (isinstance(value, float) and value != value):
        return True
    return type(value).__name__ in ("NAType", "NaTType")
