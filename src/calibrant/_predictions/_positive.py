"""The positive one of two classes, from `pos_label` or the name of the only column."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from calibrant._predictions._meaning import (
    class_in_columns,
    columns_of,
    number_of,
    says_opposite,
    truth_of,
)
from calibrant._predictions._messages import listed
from calibrant._predictions._names import python_value
from calibrant.errors import Argument, DataError, Problem

if TYPE_CHECKING:
    from calibrant._predictions._names import Names

POS_LABEL = Argument("pos_label")
#: labels for the positive class, in addition to words for true
_POSITIVE = {"1", "1.0", "yes", "y", "t", "correct", "right", "pass", "passed", "success", "case",
             "event", "positive", "pos", "spam", "fraud", "churn", "churned", "default", "abnormal",
             "malignant", "sick", "diseased", "died", "dead", "present"}  # fmt: skip


def check_positive(names: Names | None, pos_label: Any, n_classes: int) -> None:
    """Check that `pos_label` can name the last of two columns."""
    if n_classes != 2:
        raise _refuse(
            "is for two classes",
            got=f"{n_classes} columns",
            remedy=(
                "name them with ",
                Argument("classes"),
                ", or look at one with ",
                Argument("one_vs_rest"),
            ),
        )
    if names is not None and (columns_of([pos_label], names) or {}).get(pos_label) != 1:
        raise _refuse(
            f"must be the last class, {names[1]!r}",
            value=pos_label,
            hint="the last column (or the only one) is the positive class",
            remedy=("reverse ", Argument("classes"), ", or leave ", POS_LABEL, " out"),
        )


def check_two_columns(names: Names) -> None:
    """Refuse 0 as the positive class of two unnamed columns, because 0 comes before 1."""
    if names == (1, 0):
        raise _refuse(
            "must be 1 where two columns without names are the probabilities of 0 and 1",
            value=names[1],
            remedy=(
                "leave ",
                POS_LABEL,
                " out, or say that the last column is the probability of 0 with ",
                Argument("classes", [1, 0]),
            ),
        )


def check_only_column(column: Hashable, names: Names) -> None:
    """Refuse a single column that is named after the first of two classes."""
    name, is_bare = _class_of(column)
    number = number_of(name)
    if is_bare and number is not None:
        return  # a counted column
    for said in (name, number):
        if (columns_of([said], names) or {}).get(said) == 0:
            raise DataError(
                Problem.POSITIVE_CLASS,
                f"the only column must be the probability of the last class, {names[1]!r}",
                got=f"a column called {column!r}",
                remedy=("reverse ", Argument("classes"), ", or rename the column"),
            )


def positive_of(column: Hashable, labels: list[Any]) -> Any:
    """Return the label named by the only column, or None if the name says nothing.

    The label 1 of 0 and 1 is positive anyway. A bare 0 may be the class or a counted column.
    """
    if len(labels) > 2:
        return None  # whatever the name: one column is too few
    name, is_bare = _class_of(column)
    number, truth = number_of(name), truth_of(name)
    if any(isinstance(label, str) for label in labels):
        return name if name in labels and not (is_bare and number is not None) else None
    binary = set(labels) <= {0, 1}
    opposite = number is None and truth is None and binary and says_opposite(name)
    if number is None and not opposite:
        return type(labels[0])(0) if binary and truth is False else None
    if binary and number == 1:
        return None
    if opposite or is_bare or not (number in labels or (binary and number == 0)):
        raise DataError(
            Problem.POSITIVE_CLASS,
            "the only column must name the class that it is the probability of",
            got=f"{column!r} with the labels {listed(labels)}",
            remedy=("name the class with ", POS_LABEL),
        )
    return type(labels[0])(number)


def likely_positive(labels: list[Any]) -> Any:
    """Return the label of two that a message should propose as the positive one, or None."""
    words = {str(label).casefold().removeprefix("+"): label for label in labels}
    found = [label for word, label in words.items() if truth_of(word) or word in _POSITIVE]
    return found[0] if len(found) == 1 else None


def names_around(labels: list[Any], pos_label: Any) -> Names:
    """Return the names of the two classes as the labels are spelled, with `pos_label` last."""
    pos_label = next((label for label in labels if label == pos_label), python_value(pos_label))
    if isinstance(pos_label, bool) and all(type(label) is int for label in labels):
        pos_label = int(pos_label)
    others = [label for label in labels if label != pos_label]
    if len(others) > 1:
        raise _refuse(
            "must be one of at most two labels",
            got=f"{pos_label!r} for the labels {listed(labels)}",
            remedy=("for more classes pass one column per class, and ", Argument("classes")),
        )
    if len(others) == len(labels) and _look_alike(others[0], pos_label):
        raise _refuse(
            f"must be one of the labels, which are all {others[0]!r}",
            value=pos_label,
            remedy="use the spelling and the type of the labels",
        )
    if others:
        return others[0], pos_label
    if pos_label in (0, 1):
        return type(pos_label)(1 - pos_label), pos_label
    return f"not {pos_label}", pos_label


def _refuse(rule: str, **fields: Any) -> DataError:
    return DataError(Problem.POSITIVE_CLASS, rule, argument="pos_label", **fields)


def _class_of(column: Hashable) -> tuple[Hashable, bool]:
    """Return the class in a column's name, and whether it is the whole name."""
    found = class_in_columns((column,)) if isinstance(column, str) else {}
    return (found[column], False) if isinstance(column, str) and found else (column, True)


def _look_alike(label: Any, pos_label: Any) -> bool:
    if isinstance(label, str) != isinstance(pos_label, str):
        return True
    return str(label).strip().casefold() == str(pos_label).strip().casefold()
