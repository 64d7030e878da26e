"""Errors of data in a file, in the file's terms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from calibrant.errors import Argument, DataError, InputError, Problem, Words
from calibrant.io._options import (
    CLASSES,
    DROP_MISSING,
    LABEL,
    LOGITS,
    NORMALIZE,
    ONE_BASED,
    ONEHOT,
    PERCENT,
    POS_LABEL,
    PROB,
)

if TYPE_CHECKING:
    from calibrant.io._columns import Columns

#: the file's terms for arguments of `Predictions`
_WORDS = {
    "y_true": "the labels",
    "y_prob": "the probabilities",
    "logits": "the logits",
    "sample_weight": "the weights",
    "clusters": "the clusters",
    "classes": "the names of the classes",
}
#: arguments that reading a file shares, whose messages stay unchanged
_KEPT = ("pos_label",)
_NAME_CLASSES: Words = ("pass ", CLASSES, " in the order of the columns, or correct the labels")
_MANY_LABELS = (
    "; if every label has its own probability, look at one with ", LABEL, " and ", PROB,
    ", or at all in Python with `Predictions.from_multilabel`",
)  # fmt: skip
_DIVIDE: Words = ("pass ", NORMALIZE, " to divide every row by its sum, or ", LOGITS)
#: remedies for files that differ from those for arrays
_REMEDIES: dict[Problem, Words] = {
    Problem.TRANSPOSED: "write one row per prediction and one column per class",
    Problem.SWAPPED: ("choose columns with ", LABEL, " and ", PROB),
    Problem.FRACTIONS: ("choose columns with ", LABEL, " and ", PROB),
    Problem.ROUNDING: ("set values outside [0, 1] to the nearest end, and pass ", NORMALIZE),
    Problem.LOG_PROBABILITIES: ("pass ", LOGITS),
    Problem.LOGITS: ("pass ", LOGITS),
    Problem.PERCENTAGES: ("pass ", PERCENT),
    Problem.SCORES: _DIVIDE,
    Problem.ROW_SUMS: (*_DIVIDE, *_MANY_LABELS),
    Problem.ONE_BASED: ("if they start at 1, pass ", ONE_BASED),
    Problem.POSITIVE_CLASS: ("name the positive class with ", POS_LABEL),
    Problem.TOO_MANY_LABELS: ("choose one column per class with ", PROB),
    Problem.LABEL_RANGE: _NAME_CLASSES,
    Problem.UNKNOWN_LABEL: _NAME_CLASSES,
    Problem.UNCERTAIN_LABELS: _NAME_CLASSES,
    Problem.UNCERTAIN_START: (
        "if they start at 1, pass ",
        ONE_BASED,
        ", and if they start at 0, name the columns 0, 1, … with ",
        CLASSES,
    ),
    Problem.MISSING: ("pass ", DROP_MISSING, " to leave such rows out, or complete them"),
    Problem.NOT_FINITE: ("pass ", DROP_MISSING, " to leave out rows with missing values"),
    Problem.ONE_HOT: ("leave ", ONEHOT, " out and name one column with ", LABEL, *_MANY_LABELS),
}
#: an infinite number is not missing, so it remains when rows with missing values are dropped
_INFINITE: Words = "correct the infinite values, or remove their rows: no argument leaves them out"
_LISTED = 12
#: most characters of a name that are shown
_LONGEST = 60


def missing_pyarrow(name: str, kind: str) -> InputError:
    """Return the error that names the extra to install."""
    return InputError(
        Problem.DEPENDENCY,
        f"reading {kind} needs pyarrow, which is not installed",
        source=name,
        remedy="install it with: python -m pip install pyarrow; or use CSV or npz",
    )


def broken_file(name: str, kind: str, error: BaseException) -> InputError:
    """Return the error for a file that its format's library cannot read."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    reason = lines[0][:200].rstrip(".")
    return InputError(
        Problem.BROKEN,
        f"this {kind} file is broken or cut off: {reason}",
        source=name,
        remedy="write it again",
    )


def located(
    error: DataError, file: str, columns: Columns, strangers: Sequence[str] = (), alike: str = ""
) -> InputError:
    """Convert the error of an array to one of the file that it was read from."""
    column = error.column
    if isinstance(column, int):
        names = columns.probabilities
        column = names[column] if column < len(names) else None
    found = InputError.of(
        error,
        argument=_WORDS.get(error.argument, error.argument),
        column=column,
        remedy=_remedy(error, columns),
        source=file,
    )
    hints = (alike,) if alike else ()
    taken = _taken(columns)
    if not strangers:
        return replace(found, notes=(*hints, taken))
    unknown = stranger_error(file, strangers, columns)
    if column in strangers:
        # a wrong value in a column whose name matches no label: the column is wrong, not the value
        return replace(unknown, notes=(replace(found, source=""), *hints, taken))
    if error.argument != "y_true":
        found = replace(found, remedy="")
    return replace(found, notes=(replace(unknown, source=""), *hints, taken))


def _remedy(error: DataError, columns: Columns) -> Words:
    """Return the remedy for a file, which may differ from that for arrays."""
    from calibrant.io._layouts import PREDICTED_NAMES, key  # these modules import this one

    if error.argument in _KEPT:
        return error.remedy
    one_column = len(columns.probabilities) == 1
    guesses = [name for name in columns.ignored if key(name) in PREDICTED_NAMES]
    match error.problem:
        case Problem.POSITIVE_CLASS if error.argument == "y_true":
            return error.remedy  # with the likely class
        case Problem.NOT_FINITE if isinstance(error.value, float) and math.isinf(error.value):
            return _INFINITE
        case Problem.LOG_PROBABILITIES if one_column:
            return ("if they are logits, pass ", LOGITS, "; for log-probabilities, write "
                    "their exponentials")  # fmt: skip
        case Problem.TOO_MANY_LABELS if one_column and guesses:
            predicted = Argument("predicted", guesses[0])
            return ("if it is the probability of a predicted label, pass ", predicted,
                    "; else choose one column per class with ", PROB)  # fmt: skip
    return _REMEDIES.get(error.problem, error.remedy)


def located_without_labels(error: DataError, file: str, columns: Columns) -> InputError:
    """Convert the error of an array to one of a file whose labels are not read."""
    found = located(error, file, columns)
    if error.problem is Problem.NOT_FINITE:
        found = replace(found, remedy="correct these values, or remove their rows")
    taken = f"Probabilities were taken from {listed(columns.probabilities)}; choose others with "
    return replace(found, notes=((taken, PROB, _ignored(columns)),))


def stranger_error(file: str, strangers: Sequence[str], columns: Columns) -> InputError:
    """Return the error that some columns may not be classes, because no label has their names."""
    others = [name for name in columns.probabilities if name not in strangers]
    example = ",".join(others) if 1 < len(others) <= _LISTED else "p_*"
    more: Words = (", for example ", Argument("prob", example))
    if not others:
        more = (
            "; if each is a separate two-class model, name one: ",
            Argument("prob", strangers[0]),
        )
    return InputError(
        Problem.COLUMNS,
        f"no label is called {listed(strangers)}",
        source=file,
        remedy=("name the probability columns with ", PROB, *more),
    )


def listed(names: Sequence[str]) -> str:
    """List names, shortened."""
    shown = [repr(name if len(name) <= _LONGEST else f"{name[:_LONGEST]}…") for name in names]
    more = [f"and {len(shown) - _LISTED} more"] if len(shown) > _LISTED else []
    return ", ".join([*shown[:_LISTED], *more]) or "(none)"


def _taken(columns: Columns) -> Words:
    labels = listed(columns.labels) if columns.labels else "a separate file"
    return (
        f"Labels were taken from {labels}, probabilities from {listed(columns.probabilities)}; "
        "choose others with ",
        LABEL,
        " and ",
        PROB,
        _ignored(columns),
    )


def _ignored(columns: Columns) -> str:
    return f" ({listed(columns.ignored)} ignored)" if columns.ignored else ""
