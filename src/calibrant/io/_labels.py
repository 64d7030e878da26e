"""Labels of a file and names of classes, brought to one type: "3" in a header is the label 3."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.io._errors import InputError
from calibrant.io._growing import Texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibrant.io._table import Array

_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,14})\.0*")
_BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True, eq=False)
class Labels:
    """Labels and names of one type, as `Predictions` takes them."""

    y_true: Array
    classes: tuple[Any, ...] | None
    pos_label: Any = None


def reconcile(
    labels: Array | Texts, names: Sequence[Any] | None, pos_label: str | None, one_column: bool
) -> Labels:
    """Give labels, names of classes and the positive label one type.

    Names that are whole numbers (or true, false) are numbers where the labels are; texts that
    are all among the names stay texts. With one column, its name may say the positive class.
    """
    texts = None if names is None else [name if isinstance(name, str) else None for name in names]
    y_true = typed(labels, keep={text for text in texts or () if text is not None})
    classes = None if names is None else tuple(_like(y_true, list(names)))
    positive = None if pos_label is None else _like(y_true, [pos_label])[0]
    if one_column and classes is not None and len(classes) == 1:
        # the name of the only column: a class if there are such labels, else just a name
        if positive is None and _occurs(y_true, classes[0]):
            positive = classes[0]
        classes = None
    if one_column and classes is None and positive in (True, 1) and y_true.dtype.kind in "biu":
        positive = _needed_positive(y_true, positive)
    return Labels(y_true, classes, positive)


def typed(labels: Array | Texts, keep: set[str]) -> Array:
    """Turn texts into integers or booleans where all of them are, unless all are names."""
    if not isinstance(labels, Texts):
        return labels
    values = labels.values
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return labels.objects()
    integers = all(_INTEGER.fullmatch(value) for value in known)
    if set(known) <= keep and not (integers and all(map(_INTEGER.fullmatch, keep))):
        return labels.objects()
    if integers or all(_INTEGER.fullmatch(v) or _WHOLE.fullmatch(v) for v in known):
        return labels.replaced([int(value.partition(".")[0]) for value in known], np.int64)
    if all(value.lower() in _BOOLEANS for value in known):
        return labels.replaced([_BOOLEANS[value.lower()] for value in known], np.bool_)
    return labels.objects()


def from_one(y_true: Array, names: Sequence[Any] | None, n_classes: int, file: str) -> Array:
    """Turn positions 1..m into labels: names of classes, or 0..m−1."""
    if y_true.dtype.kind not in "iuf":
        raise InputError(f"{file}: --one-based needs labels that are whole numbers from 1 on")
    wrong = ~((y_true >= 1) & (y_true <= n_classes) & (y_true == np.trunc(y_true)))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(
            f"{file}: --one-based labels must be whole numbers from 1 to {n_classes}; got "
            f"{y_true[row]} at row {row} ({int(wrong.sum())} outside). Leave --one-based out if "
            "they start at 0"
        )
    codes = y_true.astype(np.int64) - 1
    if names is None:
        return codes
    kinds = {type(name) for name in names}
    table = np.array(names) if kinds <= {int} else np.array(names, dtype=object)
    positions: Array = table[codes]
    return positions


def alike_hint(labels: Labels) -> str:
    """Say which label looks like a class and is none, or nothing."""
    if labels.y_true.dtype.kind != "O" or labels.classes is None:
        return ""
    names = {_folded(name): name for name in labels.classes if isinstance(name, str)}
    for label in dict.fromkeys(labels.y_true.tolist()):
        name = names.get(_folded(label)) if isinstance(label, str) else None
        if name is not None and name != label:
            return (
                f"The label {label!a} and the class {name!a} differ in capitals, blanks or the "
                "code of an accent only: write them alike"
            )
    return ""


def _folded(text: str) -> str:
    kept = unicodedata.normalize("NFKC", text).casefold()
    return "".join(c for c in kept if c.isprintable() and not c.isspace())


def _like(y_true: Array, names: list[Any]) -> list[Any]:
    """Turn names that are texts into the type of the labels, all or none."""
    if not all(isinstance(name, str) for name in names):
        return names
    kind = y_true.dtype.kind
    if kind in "iuf" and all(_INTEGER.fullmatch(name) for name in names):
        return [int(name) for name in names]
    if kind == "b" and all(name.lower() in _BOOLEANS for name in names):
        return [_BOOLEANS[name.lower()] for name in names]
    if kind == "b" and all(name in ("0", "1") for name in names):
        return [name == "1" for name in names]
    return names


def _occurs(y_true: Array, name: Any) -> bool:
    if isinstance(name, str):
        return y_true.dtype.kind == "O" and bool(np.any(y_true == name))
    return bool(np.any(y_true == name))


def _needed_positive(y_true: Array, positive: Any) -> Any:
    """Leave out what is the rule anyway: of 0 and 1 the label 1 is positive."""
    low, high = y_true.min(), y_true.max()
    return None if low >= 0 and high <= 1 else positive


def plain(values: Array | Texts) -> Array:
    """Return texts as an array of what they say, other values as they are."""
    if not isinstance(values, Texts):
        return values
    return typed(values, keep=set())
