"""Labels become class indices; every label is found, none is guessed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._predictions._messages import count, counted, first, listed, place
from calibrant._predictions._names import Names, column_names, is_missing, with_positive
from calibrant._predictions._one_hot import one_hot_codes

if TYPE_CHECKING:
    from calibrant._predictions._arrays import Source
    from calibrant._typing import BoolArray, IntArray

Labels = np.ndarray[Any, Any]


def encode(
    y_true: Source, y_prob: Source, n_classes: int, classes: Any, pos_label: Any
) -> tuple[IntArray, Names]:
    """Return the class index of every row, and the class names (0..m−1 when unnamed)."""
    one_column = y_prob.values.ndim == 1
    names = column_names(classes, y_prob.names, n_classes)
    if y_true.values.ndim == 2:
        names = column_names(names, y_true.names, n_classes)
    if pos_label is not None:
        with_positive(names, pos_label, n_classes)
    if y_true.values.ndim == 2:
        return one_hot_codes(y_true.values, n_classes), names or tuple(range(n_classes))
    labels = _plain(y_true.values)
    if names is None and pos_label is not None:
        names = _names_around(labels, pos_label)
    if names is None:
        return _codes(labels, n_classes, one_column), tuple(range(n_classes))
    return _named_codes(labels, names), names


def _plain(labels: Labels) -> Labels:
    """Return booleans, integers, or an object array of other names; refuse missing labels."""
    kind = labels.dtype.kind
    if kind in "iub":
        return labels
    if kind == "f":
        return _whole(labels)
    if kind == "c":
        raise ValueError(f"y_true must be labels; got dtype {labels.dtype}")
    objects = labels.astype(object, copy=False)
    kinds = set(map(type, objects))
    if kinds == {str}:
        return objects
    _refuse_missing(np.array([is_missing(value) for value in objects]))
    if any(kind.__hash__ is None for kind in kinds):
        raise ValueError(
            "y_true must hold one label per row; got "
            f"{listed(kind.__name__ for kind in kinds)}. Pass one-hot rows as a matrix"
        )
    if all(issubclass(kind, int | float | np.number | np.bool_) for kind in kinds):
        return _plain(np.array(objects.tolist()))
    return objects


def _whole(labels: Labels) -> IntArray:
    _refuse_missing(np.isnan(labels))
    labels = labels.astype(np.float64)  # 2**53 is beyond float16
    wrong = ~(np.abs(labels) <= 2.0**53) | (labels != np.trunc(labels))
    if wrong.any():
        raise ValueError(
            f"y_true must be whole numbers; got {count(wrong, 'value')} not whole, the first "
            f"({first(labels, wrong)}) at {place(wrong)}. If these are probabilities, pass them "
            "as the second argument"
        )
    return labels.astype(np.int64)


def _refuse_missing(missing: BoolArray) -> None:
    if missing.any():
        raise ValueError(
            f"y_true must not have missing labels; got {count(missing, 'missing label')}, the "
            f"first at {place(missing)}. Drop these rows from y_true and y_prob alike"
        )


def _names_around(labels: Labels, pos_label: Any) -> Names:
    """Name the two classes: whatever is not `pos_label`, then `pos_label`."""
    others = [label for label in _distinct(labels) if label != pos_label]
    if len(others) > 1:
        raise ValueError(
            f"with pos_label={pos_label!r}, y_true must hold it and at most one other label; "
            f"got {listed(_distinct(labels))}. For more than two classes pass y_prob with one "
            "column per class, and classes="
        )
    if others:
        return others[0], pos_label
    if pos_label in (0, 1):
        return type(pos_label)(1 - pos_label), pos_label
    return f"not {pos_label}", pos_label


def _distinct(labels: Labels) -> list[Any]:
    if labels.dtype.kind == "O":
        return list(dict.fromkeys(labels.tolist()))
    found: list[Any] = np.unique(labels).tolist()
    return found


def _codes(labels: Labels, n_classes: int, one_column: bool) -> IntArray:
    """Check integers in [0, m)."""
    if labels.dtype.kind == "O":
        raise ValueError(_nameless(labels, n_classes, one_column))
    if labels.dtype.kind == "b":
        _refuse_booleans(n_classes)
    elif not (labels.min() >= 0 and labels.max() < n_classes):
        raise ValueError(_out_of_range(labels, n_classes, one_column))
    return labels.astype(np.int64, copy=False)


def _refuse_booleans(n_classes: int) -> None:
    if n_classes != 2:
        raise ValueError(
            f"y_true holds booleans, which need two classes; y_prob has {n_classes} columns. "
            "Pass the P(True) column alone, or labels of all classes"
        )


def _nameless(labels: Labels, n_classes: int, one_column: bool) -> str:
    distinct = _distinct(labels)
    if len(distinct) > n_classes:
        return _too_many(distinct, one_column, n_classes)
    if one_column:
        return (
            f"y_true holds names ({listed(distinct)}) and y_prob is one column: say which class "
            f"it is the probability of, e.g. pos_label={distinct[-1]!r}"
        )
    return (
        f"y_true holds names ({listed(distinct)}): pass classes=, the {n_classes} names in the "
        "order of the columns of y_prob"
    )


def _too_many(distinct: list[Any], one_column: bool, n_classes: int) -> str:
    has = "one column, P(positive class)" if one_column else f"{n_classes} columns"
    return (
        f"y_prob has {has}, but y_true holds {counted(len(distinct), 'class')} "
        f"({listed(distinct)}); pass y_prob with one column per class"
    )


def _out_of_range(labels: Labels, n_classes: int, one_column: bool) -> str:
    wrong = (labels < 0) | (labels >= n_classes)
    where = (
        f"y_true must be integers in [0, {n_classes}); got {first(labels, wrong)} at "
        f"{place(wrong)} ({count(wrong, 'label')} outside)."
    )
    low, high, distinct = int(labels.min()), int(labels.max()), _distinct(labels)
    if low >= 1 and high == n_classes:
        if one_column:
            return f"{where} If your labels start at 1, pass pos_label=2"
        return f"{where} If your labels start at 1, pass classes=range(1, {n_classes + 1})"
    if one_column and len(distinct) <= 2:
        return f"{where} Name the positive class, e.g. pos_label={distinct[-1]!r}"
    if one_column:
        return f"{where} {_too_many(distinct, one_column, n_classes)}"
    return (
        f"{where} y_prob has {n_classes} columns; if the labels are names of columns, pass "
        "classes= in the order of the columns"
    )


def _named_codes(labels: Labels, names: Names) -> IntArray:
    """Find labels among names; integers are codes where no name is a number."""
    if names == tuple(range(len(names))) and labels.dtype.kind in "iu":
        return _codes(labels, len(names), one_column=False)
    index = {name: i for i, name in enumerate(names)}
    codes = np.array([index.get(label, -1) for label in labels.tolist()], dtype=np.int64)
    unknown = codes < 0
    if not unknown.any():
        return codes
    if labels.dtype.kind != "O" and not any(isinstance(name, int | float) for name in names):
        return _codes_of_texts(labels, names)
    raise ValueError(_unknown_label(labels, unknown, names))


def _codes_of_texts(labels: Labels, names: Names) -> IntArray:
    """Read integers and booleans as codes, unless they are also written in the names."""
    texts = [str(name).strip().lower() for name in names]
    written = {str(label).lower() for label in _distinct(labels)} & set(texts)
    in_order = texts == [str(i) for i in range(len(names))] or texts == ["false", "true"]
    if written and not in_order:
        kind = "booleans" if labels.dtype.kind == "b" else "integers"
        raise ValueError(
            f"y_true holds {kind} and the classes are strings ({listed(names)}), so labels could "
            f"be names or positions; pass classes= with names of the same type as the labels"
        )
    return _codes(labels, len(names), one_column=False)


def _unknown_label(labels: Labels, unknown: BoolArray, names: Names) -> str:
    label = first(labels, unknown)
    text = (
        f"y_true must hold the classes {listed(names)}; got {count(unknown, 'label')} not among "
        f"them, the first ({label!r}) at {place(unknown)}."
    )
    if str(label) in {str(name) for name in names}:
        return f"{text} The same text is a class of another type: make the types equal"
    return f"{text} Pass classes= with one name per column of y_prob, in their order"
