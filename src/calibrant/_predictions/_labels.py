"""Conversion of labels to class indices, without guessing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._native import BoolArray, FloatArray, IntArray
from calibrant._output import counted
from calibrant._predictions._arrays import refuse_rounded
from calibrant._predictions._first_label import refuse_counting_from_one
from calibrant._predictions._meaning import (
    columns_of,
    deny_positions,
    match_columns,
    numbers_in,
)
from calibrant._predictions._messages import DROP_ROWS, count, first_of, listed
from calibrant._predictions._names import Names, column_names, is_missing
from calibrant._predictions._positive import (
    POS_LABEL,
    check_only_column,
    check_positive,
    check_two_columns,
    likely_positive,
    names_around,
    positive_of,
)
from calibrant.errors import Argument, DataError, Problem

if TYPE_CHECKING:
    from calibrant._predictions._arrays import Source
    from calibrant.errors import Words

Labels = np.ndarray[Any, Any]
CLASSES = Argument("classes")


def encode(
    y_true: Source, y_prob: Source, table: FloatArray, classes: Any, pos_label: Any
) -> tuple[IntArray, Names]:
    """Return the class index of every row, and the class names (0..m−1 when unnamed).

    `table` contains the checked probabilities of `y_prob`, which may contain logits.
    """
    one_column, n_classes = y_prob.values.ndim == 1, table.shape[1]
    header = None if one_column else y_prob.names
    names = column_names(classes, header, n_classes)
    codes: IntArray | None = None
    if y_true.values.ndim == 2:
        codes, names = _named_one_hot_codes(y_true, names, n_classes)
    if pos_label is not None:
        check_positive(names, pos_label, n_classes)
    elif one_column and y_prob.names and names is not None:
        check_only_column(y_prob.names[0], names)
    if codes is not None:
        return codes, names or tuple(range(n_classes))
    labels = _plain(y_true.values)
    if names is None and one_column and y_prob.names and pos_label is None:
        pos_label = positive_of(y_prob.names[0], _distinct(labels))
    if names is None and pos_label is not None:
        names = names_around(_distinct(labels), pos_label)
        if not one_column:
            check_two_columns(names)
    numbers = tuple(range(n_classes))
    if names is None:
        codes, names, are_positions = _codes(labels, n_classes, one_column), numbers, True
    elif names == numbers and labels.dtype.kind in "iu":
        # a frame's numbers may be pandas' default: only `classes` shows that labels start at 0
        codes, are_positions = _codes(labels, n_classes, one_column=False), classes is None
    else:
        codes, are_positions = _named_codes(labels, names, header)
    if are_positions:
        refuse_counting_from_one(codes, table)
    return codes, names


def _plain(labels: Labels) -> Labels:
    """Return booleans, integers, or an object array of other names; refuse missing labels."""
    kind = labels.dtype.kind
    if kind in "iub":
        return labels
    if kind == "f":
        return _whole(labels)
    if kind == "c":
        raise DataError(
            Problem.NOT_NUMBERS, "must be labels", argument="y_true", got=f"dtype {labels.dtype}"
        )
    objects = labels.astype(object, copy=False)
    kinds = set(map(type, objects))
    if kinds == {str}:
        return objects
    _refuse_missing(np.array([is_missing(value) for value in objects]))
    if any(kind.__hash__ is None for kind in kinds):
        raise DataError(
            Problem.SHAPE,
            "must have one label per row",
            argument="y_true",
            got=listed(kind.__name__ for kind in kinds),
            remedy="pass one-hot rows as a matrix",
        )
    if all(issubclass(kind, int | float | np.number | np.bool_) for kind in kinds):
        numbers = np.array(objects.tolist())
        are_whole = all(issubclass(kind, int | np.integer | np.bool_) for kind in kinds)
        beyond_64_bits = numbers.dtype.kind == "O" or (are_whole and numbers.dtype.kind == "f")
        return objects if beyond_64_bits else _plain(numbers)
    return objects


def _whole(labels: Labels) -> IntArray:
    _refuse_missing(np.isnan(labels))
    wrong = ~np.isfinite(labels) | (labels != np.trunc(labels))
    if wrong.any():
        raise DataError(
            Problem.FRACTIONS,
            "must be whole numbers",
            argument="y_true",
            got=f"{count(wrong, 'value')} not whole",
            remedy="if these are probabilities, pass them as the second argument",
            **first_of(wrong, labels),
        )
    refuse_rounded(labels, "y_true")
    return labels.astype(np.int64)


def _refuse_missing(missing: BoolArray) -> None:
    if missing.any():
        raise DataError(
            Problem.MISSING,
            "must not have missing labels",
            argument="y_true",
            got=count(missing, "missing label"),
            remedy=DROP_ROWS,
            **first_of(missing),
        )


def _distinct(labels: Labels) -> list[Any]:
    if labels.dtype.kind == "O":
        return list(dict.fromkeys(labels.tolist()))
    found: list[Any] = np.unique(labels).tolist()
    return found


def _codes(labels: Labels, n_classes: int, one_column: bool) -> IntArray:
    """Check integers in [0, m)."""
    if labels.dtype.kind == "O":
        raise _nameless(_distinct(labels), n_classes, one_column)
    if labels.dtype.kind == "b":
        _refuse_booleans(n_classes)
    elif not (labels.min() >= 0 and labels.max() < n_classes):
        raise _out_of_range(labels, n_classes, one_column)
    return labels.astype(np.int64, copy=False)


def _refuse_booleans(n_classes: int) -> None:
    if n_classes != 2:
        raise DataError(
            Problem.LABEL_RANGE,
            f"must not be booleans if there are {n_classes} classes",
            argument="y_true",
            remedy="pass the P(True) column alone, or labels of all classes",
        )


def _nameless(distinct: list[Any], n_classes: int, one_column: bool) -> DataError:
    if len(distinct) > n_classes:
        return _too_many(distinct, n_classes, one_column)
    if one_column:
        return DataError(
            Problem.POSITIVE_CLASS,
            "must be 0 or 1 where the predictions are one column",
            argument="y_true",
            got=f"names ({listed(distinct)})",
            remedy=_name_positive(distinct),
        )
    return DataError(
        Problem.UNKNOWN_LABEL,
        "must be positions where the classes have no names",
        argument="y_true",
        got=f"names ({listed(distinct)})",
        remedy=("pass ", CLASSES, f", the {n_classes} names in the order of the columns"),
    )


def _name_positive(distinct: list[Any]) -> Words:
    likely = likely_positive(distinct)
    if likely is None:
        return ("name the positive class with ", POS_LABEL)
    return ("name the positive class, for example ", Argument("pos_label", likely))


def _too_many(distinct: list[Any], n_classes: int, one_column: bool) -> DataError:
    has = "one column, P(positive class)" if one_column else f"{n_classes} columns"
    return DataError(
        Problem.TOO_MANY_LABELS,
        f"must have at most {n_classes} classes where the predictions have {has}",
        argument="y_true",
        got=f"{counted(len(distinct), 'class')} ({listed(distinct)})",
        remedy="pass one column per class",
    )


def _out_of_range(labels: Labels, n_classes: int, one_column: bool) -> DataError:
    low, high, distinct = int(labels.min()), int(labels.max()), _distinct(labels)
    if one_column and len(distinct) > 2:
        return _too_many(distinct, n_classes, one_column)
    wrong = (labels < 0) | (labels >= n_classes)
    error = DataError(
        Problem.LABEL_RANGE,
        f"must be integers in [0, {n_classes})",
        argument="y_true",
        got=f"{count(wrong, 'label')} outside",
        remedy=("if the labels are names of columns, pass ", CLASSES, " in their order"),
        **first_of(wrong, labels),
    )
    start_at_one = low >= 1 and high == n_classes
    if one_column:
        error.problem, error.remedy = Problem.POSITIVE_CLASS, _name_positive(distinct)
        if start_at_one:
            positive = Argument("pos_label", distinct[-1])
            error.remedy = ("if your labels start at 1, pass ", positive)
    elif start_at_one:
        names = Argument("classes", range(1, n_classes + 1))
        error.problem = Problem.ONE_BASED
        error.remedy = ("if your labels start at 1, pass ", names)
    return error


def _named_codes(labels: Labels, names: Names, header: Names | None) -> tuple[IntArray, bool]:
    """Look up labels among names; integers and booleans are positions if no name denies it.

    Return the class indices, and whether labels were read as positions.
    """
    index = columns_of(_distinct(labels), names)
    if index is not None:
        return np.array([index[label] for label in labels.tolist()], dtype=np.int64), False
    if labels.dtype.kind == "b":
        _refuse_booleans(len(names))
    if labels.dtype.kind == "O" or not all(isinstance(name, str) for name in names):
        known = set(names)
        unknown = np.array([type(y) is bool or y not in known for y in labels.tolist()])
        raise _unknown_label(labels, unknown, names)
    for said in (names, header):
        if said is not None and deny_positions(said):
            raise _uncertain(labels, said)
    return _codes(labels, len(names), one_column=False), True


def _uncertain(labels: Labels, names: Names) -> DataError:
    kind = "booleans" if labels.dtype.kind == "b" else "integers"
    return DataError(
        Problem.UNCERTAIN_LABELS,
        f"must be of the type of the classes, which are strings ({listed(names)})",
        argument="y_true",
        got=f"{kind} ({listed(_distinct(labels))}), which could be names or positions",
        remedy=("if they are positions, pass ", Argument("classes", range(len(names)))),
    )


def _unknown_label(labels: Labels, unknown: BoolArray, names: Names) -> DataError:
    error = DataError(
        Problem.UNKNOWN_LABEL,
        f"must contain the classes {listed(names)}",
        argument="y_true",
        got=f"{count(unknown, 'label')} not among them",
        remedy=("pass ", CLASSES, " with one name per column, in their order"),
        **first_of(unknown, labels),
    )
    if str(error.value) in {str(name) for name in names}:
        error.hint = "the same text is a class of another type"
        error.remedy = "make the types equal"
    return error


def _named_one_hot_codes(
    one_hot: Source, names: Names | None, n_classes: int
) -> tuple[IntArray, Names | None]:
    """Return class indices in the order of `names`, and the names of the classes."""
    codes = _one_hot_codes(one_hot.values, n_classes)
    columns = one_hot.names
    if columns is None:
        return codes, names
    numbers = numbers_in(columns)
    if names is None and (numbers is None or list(numbers) == sorted(numbers)):
        return codes, columns
    order = None if names is None else match_columns(columns, names)
    if order is None and names and numbers == tuple(range(n_classes)) and not deny_positions(names):
        order = list(range(n_classes))
    if order is None:
        classes = "0, 1, …" if names is None else listed(names)
        raise DataError(
            Problem.CLASSES,
            "must have columns named by the classes",
            argument="y_true",
            got=f"{listed(columns)} for {classes}",
            remedy="rename them, or pass the values without names in the order of the predictions",
        )
    return np.array(order)[codes], names


def _one_hot_codes(rows: np.ndarray[Any, Any], n_classes: int) -> IntArray:
    """Return the position of the 1 in every row."""
    if rows.shape[1] != n_classes:
        raise DataError(
            Problem.SHAPE,
            f"must have one one-hot column per class, {n_classes} in all",
            argument="y_true",
            got=str(rows.shape[1]),
        )
    if rows.dtype.kind not in "biuf":
        raise DataError(
            Problem.NOT_NUMBERS,
            "must be numbers where it is one-hot",
            argument="y_true",
            got=f"dtype {rows.dtype}",
            remedy="pass one label per row instead",
        )
    ones = rows == 1
    wrong = (ones.sum(axis=1) != 1) | ~(ones | (rows == 0)).all(axis=1)
    if wrong.any():
        fields = first_of(wrong)
        row = np.array2string(rows[fields["row"]], threshold=6, edgeitems=3)
        raise DataError(
            Problem.ONE_HOT,
            "must have one 1 and otherwise 0 in every one-hot row",
            argument="y_true",
            got=f"{count(wrong, 'other row')}, such as {row}",
            remedy=(
                "pass one label per row, or use `Predictions.from_votes` if rows count votes, "
                "`Predictions.from_soft_labels` if they are shares that sum to 1, or "
                "`Predictions.from_multilabel` if rows may have several labels or none"
            ),
            **fields,
        )
    codes: IntArray = ones.argmax(axis=1).astype(np.int64, copy=False)
    return codes
