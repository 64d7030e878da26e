"""Labels of a file and names of classes, brought to one type: "3" in a header is the label 3."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrant._predictions import Source, count, first_of
from calibrant.errors import InputError, Problem
from calibrant.io._growing import Texts
from calibrant.io._options import ONE_BASED
from calibrant.io._table import Array

_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,14})\.0*")
_BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True, eq=False)
class Labels:
    """Labels and names of one type, as `Predictions` takes them."""

    y_true: Array | Source  # one-hot labels are a matrix with names
    classes: tuple[Any, ...] | None
    pos_label: Any = None


def reconcile(labels: Array | Texts, names: Sequence[Any] | None, pos_label: str | None) -> Labels:
    """Give labels, names of classes and the positive label one type.

    Names that are whole numbers (or true, false) are numbers where the labels are; texts that
    are all among the names stay texts. What a label of this type means, `Predictions` decides.
    """
    texts = None if names is None else [name if isinstance(name, str) else None for name in names]
    y_true = typed(labels, keep={text for text in texts or () if text is not None})
    classes = None if names is None else tuple(_like(y_true, list(names)))
    positive = None if pos_label is None else _like(y_true, [pos_label])[0]
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
    numbers = integers and all(map(_INTEGER.fullmatch, keep))
    if set(known) <= keep and (labels.are_strings or not numbers):
        return labels.objects()
    if integers or all(_INTEGER.fullmatch(v) or _WHOLE.fullmatch(v) for v in known):
        return labels.replaced([int(value.partition(".")[0]) for value in known], np.int64)
    if all(value.lower() in _BOOLEANS for value in known):
        return labels.replaced([_BOOLEANS[value.lower()] for value in known], np.bool_)
    return labels.objects()


def from_one(labels: Labels, n_classes: int, file: str) -> Labels:
    """Turn positions 1..m into labels: names of classes, or 0..m−1."""
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
    kinds = {type(name) for name in names}
    table = np.array(names) if kinds <= {int} else np.array(names, dtype=object)
    return Labels(table[codes], names, labels.pos_label)


def alike_hint(labels: Labels) -> str:
    """Say which label looks like a class and is none, or nothing."""
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
    """Return a text without capitals, blanks and codes of accents."""
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


def plain(values: Array | Texts) -> Array:
    """Return texts as an array of what they say, other values as they are."""
    if not isinstance(values, Texts):
        return values
    return typed(values, keep=set())
