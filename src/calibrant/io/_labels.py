"""Conversion of labels and class names to one type: "3" in a header is the label 3."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrant._predictions import Source, count, first_of, listed, numbers_in
from calibrant.errors import InputError, Problem
from calibrant.io._growing import Texts
from calibrant.io._options import ONE_BASED
from calibrant.io._table import Array

_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,14})\.0*")
_BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True, eq=False)
class Labels:
    """Labels and names of one type, as `Predictions` expects them."""

    y_true: Array | Source  # one-hot labels are a matrix with names
    classes: tuple[Any, ...] | None
    pos_label: Any = None


def reconcile(labels: Array | Texts, names: Sequence[Any] | None, pos_label: str | None) -> Labels:
    """Convert labels, class names and the positive label to one type.

    Names that are whole numbers (or true, false) become numbers if the labels are numbers; texts
    that are all among the names stay texts. `Predictions` decides what a label of this type means.
    """
    texts = None if names is None else [name if isinstance(name, str) else None for name in names]
    y_true = typed(labels, keep={text for text in texts or () if text is not None})
    classes = None if names is None else tuple(_like(y_true, list(names)))
    positive = None if pos_label is None else _like(y_true, [pos_label])[0]
    return Labels(y_true, classes, positive)


def typed(labels: Array | Texts, keep: set[str]) -> Array:
    """Convert texts to integers or booleans if all of them are, unless all are names."""
    if not isinstance(labels, Texts):
        return labels
    values = labels.values
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return labels.objects()
    integers = all(_INTEGER.fullmatch(value) for value in known)
    numbers = integers and all(map(_INTEGER.fullmatch, keep))
    if set(known) <= keep and (labels.are_strings or not numbers):
        return labels.objects()
    if integers or all(_INTEGER.fullmatch(v) or _WHOLE.fullmatch(v) for v in known):
        return labels.replaced([int(value.partition(".")[0]) for value in known], np.int64)
    if all(value.lower() in _BOOLEANS for value in known):
        return labels.replaced([_BOOLEANS[value.lower()] for value in known], np.bool_)
    return labels.objects()


def from_one(labels: Labels, n_classes: int, file: str) -> Labels:
    """Convert positions 1..m to class names, or to 0..m−1."""
    y_true, names = labels.y_true, labels.classes
    if isinstance(y_true, Source) or y_true.dtype.kind not in "iuf":
        raise InputError(
            Problem.ONE_BASED,
            "labels that start at 1 must be whole numbers",
            source=file,
            remedy=("leave ", ONE_BASED, " out"),
        )
    wrong = ~((y_true >= 1) & (y_true <= n_classes) & (y_true == np.trunc(y_true)))
    if wrong.any():
        raise InputError(
            Problem.ONE_BASED,
            f"must be whole numbers from 1 to {n_classes}",
            argument="the labels",
            source=file,
            got=f"{count(wrong, 'label')} outside",
            remedy=("leave ", ONE_BASED, " out if they start at 0"),
            **first_of(wrong, y_true),
        )
    codes = y_true.astype(np.int64) - 1
    if names is None:
        return Labels(codes, None, labels.pos_label)
    numbers = numbers_in(names)
    if numbers is not None and list(numbers) != sorted(numbers):
        raise InputError(
            Problem.ONE_BASED,
            "must not start at 1 where the classes are numbers in another order",
            argument="the labels",
            source=file,
            got=listed(names),
            remedy=("leave ", ONE_BASED, " out if the labels are these numbers"),
        )
    kinds = {type(name) for name in names}
    table = np.array(names) if kinds <= {int} else np.array(names, dtype=object)
    return Labels(table[codes], names, labels.pos_label)


def alike_hint(labels: Labels) -> str:
    """Return a hint that a label resembles a class name, or an empty text."""
    y_true = labels.y_true
    if isinstance(y_true, Source) or y_true.dtype.kind != "O" or labels.classes is None:
        return ""
    names = {folded(name): name for name in labels.classes if isinstance(name, str)}
    for label in dict.fromkeys(y_true.tolist()):
        name = names.get(folded(label)) if isinstance(label, str) else None
        if name is not None and name != label:
            return (
                f"The label {label!a} and the class {name!a} differ only in letter case, spaces "
                "or the encoding of an accent: spell them alike"
            )
    return ""


def folded(text: str) -> str:
    """Return a text without capitals, blanks and combining accents."""
    kept = unicodedata.normalize("NFKC", text).casefold()
    return "".join(c for c in kept if c.isprintable() and not c.isspace())


def _like(y_true: Array, names: list[Any]) -> list[Any]:
    """Convert names that are texts to the type of the labels, all or none."""
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


def plain(values: Array | Texts) -> Array:
    """Return texts as an array, and other values unchanged."""
    if not isinstance(values, Texts):
        return values
    return typed(values, keep=set())
