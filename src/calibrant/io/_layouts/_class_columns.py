"""Columns named by the classes themselves, alone or between shared words."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence, Set

from calibrant._predictions import stands_alone
from calibrant.io._layouts._found import Found
from calibrant.io._layouts._names import (
    CONFIDENCE_NAMES,
    INDEX_NAMES,
    PREDICTED_NAMES,
    ROW_NAMES,
    key,
)
from calibrant.io._layouts._sight import Sight

_OTHERS = (*PREDICTED_NAMES, *CONFIDENCE_NAMES)
#: tolerance of a row sum per class, for numbers with two and with six decimals
_ROUNDED, _EXACT = 5e-3, 5e-7
#: a space inside a number
_CUT_NUMBER = re.compile(r"\d\.? \.?\d")


def columns_around_labels(sight: Sight) -> list[Found]:
    """Find columns such as Forest (cat), Forest (dog): a label between the same words.

    The sampled labels show what varies; the sampled rows must sum to 1.
    """
    options = sight.options
    if not (sight.table.has_names and sight.label_values) or options.logits or options.normalize:
        return []
    numbers = [name for name in sight.free if sight.look(name).is_number]
    first, *others = sorted(sight.label_values)
    found = []

    def alone(head: str, tail: str) -> bool:
        return all(stands_alone(head, label, tail) for label in (first, *others))

    for name in numbers:
        for at in range(len(name)) if first and others else ():
            head, tail = name[:at], name[at + len(first) :]
            seen = {f"{head}{label}{tail}" for label in (first, *others)}
            if _is_whole(name, first, at) and seen <= set(numbers) and alone(head, tail):
                found.append(_summing_to_one(sight, numbers, seen, head, tail))
    return [Found(tuple(classes), classes) for classes in found if classes]


def classes_around_labels(labels: Set[str], columns: Sequence[str]) -> dict[str, str]:
    """Return the varying part of the column names if it contains all these labels, else nothing."""
    first = min(labels, default="")
    for at in range(len(columns[0])) if first and len(labels) > 1 else ():
        for column in columns:
            if not _is_whole(column, first, at):
                continue
            head, tail = column[:at], column[at + len(first) :]
            if all(c.startswith(head) and c.endswith(tail) for c in columns):
                found = {c: c[len(head) : len(c) - len(tail)] for c in columns}
                alone = all(stands_alone(head, name, tail) for name in found.values())
                if labels <= set(found.values()) and all(found.values()) and alone:
                    return found
    return {}


def _is_whole(name: str, label: str, at: int) -> bool:
    """Return whether a label is at this place of a name, and not part of a longer number."""
    if not name.startswith(label, at):
        return False
    around = name[:at] + " " + label + " " + name[at + len(label) :]
    return not _CUT_NUMBER.search(around)


def _summing_to_one(
    sight: Sight, numbers: list[str], seen: set[str], head: str, tail: str
) -> dict[str, str]:
    """Return the classes of all columns of that form, or of those with labels, or nothing."""
    alike = [n for n in numbers if n.startswith(head) and n.endswith(tail)
             and len(n) > len(head) + len(tail)]  # fmt: skip
    few = [name for name in alike if name in seen]  # a class without labels may be missing
    for names, tolerance in ((alike, _ROUNDED), (few, _EXACT)):
        if sum_to_one(sight, names, tolerance):
            return {name: name[len(head) : len(name) - len(tail)] for name in names}
    return {}


def sum_to_one(sight: Sight, names: Sequence[str], tolerance: float = _ROUNDED) -> bool:
    """Return whether the sampled rows sum to 1, or to 100 %."""
    columns = [sight.look(name).numbers for name in names]
    if len(set(map(len, columns))) != 1:  # cells are missing
        return False
    sums = [math.fsum(row) for row in zip(*columns, strict=True)]
    whole = 100.0 if sums and sums[0] > 50.0 else 1.0
    return bool(sums) and all(abs(one / whole - 1.0) <= tolerance * len(names) for one in sums)


def class_columns(sight: Sight) -> list[Found]:
    """Find columns named by the classes; values, row sums and labels are checked later."""
    options = sight.options
    is_free = options.logits or options.normalize  # row sums cannot show which are classes
    no_class = INDEX_NAMES if is_free else ROW_NAMES
    rest = [name for name in sight.free if key(name) not in no_class]
    rest = [name for name in rest if name in sight.label_values or not _is_other(sight, name)]
    if not (is_free or options.percent):
        inside = [name for name in rest if not sight.look(name).is_outside]
        rest = inside if len(inside) > 1 else rest
    if len(rest) < 2:
        return []
    classes = {name: name for name in rest} if sight.table.has_names else {}
    if classes and not sight.label_values & set(rest):
        classes = classes_around_labels(sight.label_values, rest) or classes
    return [Found(tuple(rest), classes, options.logits, by_elimination=bool(classes))]


def _is_other(sight: Sight, name: str) -> bool:
    """Return whether a column contains texts, predictions or their confidence."""
    return key(name) in _OTHERS or sight.look(name).is_text
