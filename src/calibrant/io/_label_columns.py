"""Detection of the label column, or of the one-hot columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from calibrant.errors import Argument, InputError
from calibrant.io._chosen import refuse_columns, require, selected
from calibrant.io._errors import listed
from calibrant.io._layouts import (
    CONFIDENCE_NAMES,
    CORRECT_NAMES,
    GRADE_NAMES,
    LABEL_NAMES,
    ONE_HOT_PREFIXES,
    PREDICTED_NAMES,
    ROW_NAMES,
    Sight,
    by_prefix,
    key,
)
from calibrant.io._missing import is_missing
from calibrant.io._options import DELIMITER, LABEL, LABELS, ONEHOT, ReadOptions
from calibrant.io._table import Table

#: most label names listed in a message
_SHOWN = 15
#: parts of the names of predicted labels
_PREDICTED = re.compile("pred|likely|forecast|response")
#: fractions, in numbers that are not labels
_FRACTION = re.compile(r"\.(?!0*$)")
#: the cells of one-hot columns
_BITS = {"0", "1", "0.0", "1.0", "False", "True", "false", "true"}


def find_labels(table: Table, options: ReadOptions, taken: set[str]) -> tuple[str, ...]:
    """Find the label column, or the one-hot columns."""
    free = [name for name in table.column_names if name not in taken]
    if options.onehot:
        return _one_hot(table, options, free)
    if options.label is not None:
        return (require(table, options.label),)
    found = [name for name in free if key(name) in LABEL_NAMES and name not in table.lists]
    if len(found) > 1:
        found = _without_correctness(Sight(table, options, frozenset(taken)), found)
    if len(found) > 1:
        raise refuse_columns(
            table,
            f"{listed(found)} could all be the labels",
            ("name the label column, for example ", Argument("label", found[0])),
        )
    found = found or _grades(Sight(table, options, frozenset(taken))) or _true(free)
    if not found:
        raise _no_labels(table, free)
    return (found[0],)


def _true(free: Sequence[str]) -> list[str]:
    """Return the column called true, unless it is a class next to false."""
    found = {key(name): name for name in free}
    return [found["true"]] if "true" in found and "false" not in found else []


def _grades(sight: Sight) -> list[str]:
    """Return the column of right-or-wrong grades next to a confidence without predicted labels."""
    found = [name for name in sight.named(GRADE_NAMES) if sight.says_right(name)]
    is_alone = len(found) == 1 and len(sight.named(CONFIDENCE_NAMES)) == 1
    return found if is_alone and not sight.predicted() else []


def _without_correctness(sight: Sight, found: list[str]) -> list[str]:
    """Choose between labels and a column of correctness.

    The correctness is ignored if every sampled cell says whether the prediction is the label. Next
    to a confidence, it is itself the label, because the confidence is that of being right.
    """
    right = [name for name in found if key(name) in CORRECT_NAMES]
    predicted = sight.predicted()
    if len(right) == 1 and not predicted and sight.named(CONFIDENCE_NAMES):
        return right if sight.says_right(right[0]) else found
    others = [name for name in found if key(name) not in CORRECT_NAMES]
    sample = sight.table.sample()
    if len(others) != 1 or len(predicted) != 1 or others[0] not in sample:
        return found
    words = {"true": True, "1": True, "1.0": True, "false": False, "0": False, "0.0": False}
    for name in right:
        columns = (sample[others[0]], sample[predicted[0]], sample[name])
        rows = [row for row in zip(*columns, strict=True) if not any(map(is_missing, row))]
        said = [words.get(str(cell).strip().lower()) for _, _, cell in rows]
        if said != [str(label).strip() == str(guess).strip() for label, guess, _ in rows]:
            return found
    return others


def _no_labels(table: Table, free: list[str]) -> InputError:
    if not table.has_names:
        return refuse_columns(
            table,
            "the first line contains numbers, so it looks like data, and the columns have no names",
            ("say which column has the labels, counted from 0, for example ",
             _likely_label(table, free) or _only_whole(table, free) or LABEL,
             ", or name a file of labels with ", LABELS),
        )  # fmt: skip
    indicators = _indicators(table, free)
    if indicators:
        return refuse_columns(
            table,
            f"there is no label column, but {listed(indicators)} hold 0 and 1",
            ("if they are one-hot labels, pass ", ONEHOT, "; else name the label column with ",
             LABEL, ". Rows that may have several labels are for `Predictions.from_multilabel`"),
        )  # fmt: skip
    error = refuse_columns(
        table,
        f"there is no label column: none of the columns {listed(free)} is called "
        f"{', '.join(LABEL_NAMES[:_SHOWN])}, …",
        ("name it with ", _likely_label(table, free) or LABEL,
         ", or name a file of labels with ", LABELS),
    )  # fmt: skip
    if len(table.widths) == 1 and table.format in ("csv", "tsv"):
        header = "The first line must name all columns. Remove what is above it, or pass "
        return replace(error, notes=((header, DELIMITER, " if the separator is another one"),))
    return error


def _likely_label(table: Table, free: list[str]) -> Argument | None:
    """Return the argument with the only column that repeats a few values without fractions."""
    sample = table.sample()
    found = []
    for name in free:
        if key(name) in (*PREDICTED_NAMES, *ROW_NAMES) or _PREDICTED.search(key(name)):
            continue
        cells = [str(cell).strip() for cell in sample.get(name, ())]
        values = set(cells)
        if 2 <= len(values) <= len(cells) // 2 and not any(map(_FRACTION.search, values)):
            found.append(name)
    return Argument("label", found[0]) if len(found) == 1 else None


def _only_whole(table: Table, free: list[str]) -> Argument | None:
    """Return the argument with the only column without fractions."""
    sample = table.sample()
    found = [n for n in free if not any(_FRACTION.search(cell) for cell in sample.get(n, ()))]
    return Argument("label", found[0]) if len(found) == 1 else None


def _indicators(table: Table, free: list[str]) -> list[str]:
    """Return the columns that are named like one-hot labels and contain only 0 and 1."""
    sample = table.sample()
    groups = by_prefix([name for name in free if table.widths[name] == 1], ONE_HOT_PREFIXES)
    found = [
        names
        for names in groups.values()
        if len(names) > 1
        and all({str(cell).strip() for cell in sample.get(name, "?")} <= _BITS for name in names)
    ]
    return found[0] if len(found) == 1 else []


def _one_hot(table: Table, options: ReadOptions, free: list[str]) -> tuple[str, ...]:
    if options.label is not None:
        return tuple(selected(table, options.label, LABEL))
    groups = by_prefix([name for name in free if table.widths[name] == 1], ONE_HOT_PREFIXES)
    wide = [name for name in free if key(name) in LABEL_NAMES and table.widths[name] > 1]
    candidates = [tuple(names) for names in groups.values() if len(names) > 1]
    candidates += [(name,) for name in wide]
    if len(candidates) == 1:
        return candidates[0]
    found = "; ".join(listed(names) for names in candidates) or "none"
    raise refuse_columns(
        table,
        f"one-hot columns must be named alike, for example y_cat, y_dog; got {found}",
        ("name them with ", LABEL, ", for example ", Argument("label", "y_*")),
    )
