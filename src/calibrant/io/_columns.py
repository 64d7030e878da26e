"""Which column is what: found by name, never guessed."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any

from calibrant._predictions import LOGIT_PREFIXES, class_in_columns, class_in_name, match_columns
from calibrant.errors import Argument, InputError, Problem, Words
from calibrant.io._errors import listed
from calibrant.io._layouts import (
    CONFIDENCE_NAMES,
    CORRECT_NAMES,
    GRADE_NAMES,
    LABEL_NAMES,
    LISTS_OF_NAMES,
    ONE_HOT_PREFIXES,
    PREDICTED_NAMES,
    ROW_NAMES,
    Found,
    Sight,
    by_prefix,
    classes_around_labels,
    find_probabilities,
    key,
)
from calibrant.io._missing import is_missing
from calibrant.io._options import (
    CLASSES,
    CLUSTER,
    DELIMITER,
    GROUPS,
    LABEL,
    LABELS,
    ONEHOT,
    PROB,
    WEIGHT,
    ReadOptions,
)
from calibrant.io._table import Table

#: names of labels that a message lists
_SHOWN = 15
#: in names of predicted labels
_PREDICTED = re.compile("pred|likely|forecast|response")
#: the cells of one-hot columns
_BITS = {"0", "1", "0.0", "1.0", "False", "True", "false", "true"}


@dataclass(frozen=True)
class Columns:
    """What every column was taken for."""

    labels: tuple[str, ...]  # none if the labels are in a separate file
    probabilities: tuple[str, ...]
    classes: tuple[Any, ...] | None  # names that the columns or the user give
    weight: str | None
    id: str | None
    cluster: str | None
    groups: tuple[str, ...]
    ignored: tuple[str, ...]
    by_elimination: bool = False  # probabilities are what was left, named by the classes
    logits: bool = field(default=False, repr=False)  # the user or the names say so
    predicted: str | None = None  # labels that the only number may be the confidence in


def find_columns(table: Table, options: ReadOptions, *, own_labels: bool = True) -> Columns:
    """Say what every column is, or refuse with the candidates."""
    chosen = (options.weight, options.id, options.predicted, options.cluster)
    named = [name for name in chosen if name is not None]
    for name in [*named, *options.groups]:
        _require(table, name)
    taken = {*named, *options.groups}
    labels = find_labels(table, options, taken) if own_labels else ()
    taken |= set(labels)
    if not own_labels:  # labels come from another file: a column of labels is none of ours
        taken |= {name for name in table.column_names if key(name) in LABEL_NAMES}
    sight = Sight(table, options, frozenset(taken), labels)
    found = _probabilities(sight)
    probabilities, names = _in_order(table, options, found)
    _require_one_meaning(table, options, labels, probabilities)
    used = {*taken, *probabilities, *filter(None, (found.predicted,))}
    return Columns(
        labels,
        probabilities,
        names,
        options.weight,
        options.id,
        options.cluster,
        options.groups,
        tuple(name for name in table.column_names if name not in used),
        by_elimination=found.by_elimination and options.classes is None,
        logits=found.logits or options.logits,
        predicted=options.predicted or found.predicted,
    )


def find_labels(table: Table, options: ReadOptions, taken: set[str]) -> tuple[str, ...]:
    """Find the label column, or the one-hot columns."""
    free = [name for name in table.column_names if name not in taken]
    if options.onehot:
        return _one_hot(table, options, free)
    if options.label is not None:
        return (_require(table, options.label),)
    found = [name for name in free if key(name) in LABEL_NAMES and name not in table.lists]
    if len(found) > 1:
        found = _without_correctness(Sight(table, options, frozenset(taken)), found)
    if len(found) > 1:
        raise _refuse(
            table,
            f"{listed(found)} could all be the labels",
            ("name the label column, for example ", Argument("label", found[0])),
        )
    found = found or _grades(Sight(table, options, frozenset(taken)))
    if not found:
        raise _no_labels(table, free)
    return (found[0],)


def _grades(sight: Sight) -> list[str]:
    """Return the column of grades, right or wrong, next to a confidence in unknown answers."""
    found = [name for name in sight.named(GRADE_NAMES) if sight.says_right(name)]
    is_alone = len(found) == 1 and len(sight.named(CONFIDENCE_NAMES)) == 1
    return found if is_alone and not sight.predicted() else []


def _without_correctness(sight: Sight, found: list[str]) -> list[str]:
    """Choose between labels and a column that says what was right.

    It is left out where it says in every cell seen whether the prediction is the label. Beside a
    confidence, it is the label itself: the confidence is that in being right.
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
        return _refuse(
            table,
            "the first line holds numbers, so it looks like data, and the columns have no names",
            ("say which column holds the labels, counted from 0, for example ",
             _likely_label(table, free) or Argument("label", table.column_names[-1]),
             ", or name a file of labels with ", LABELS),
        )  # fmt: skip
    indicators = _indicators(table, free)
    if indicators:
        return _refuse(
            table,
            f"there is no label column, but {listed(indicators)} hold 0 and 1",
            ("if they are one-hot labels, pass ", ONEHOT, "; else name the label column with ",
             LABEL, ". Rows that may have several labels are for `Predictions.from_multilabel`"),
        )  # fmt: skip
    error = _refuse(
        table,
        f"there is no label column: none of the columns {listed(free)} is called "
        f"{', '.join(LABEL_NAMES[:_SHOWN])}, …",
        ("name it with ", _likely_label(table, free) or LABEL,
         ", or name a file of labels with ", LABELS),
    )  # fmt: skip
    if len(table.widths) == 1 and table.format in ("csv", "tsv"):
        header = "The first line must name all columns; what is between them, say with "
        return replace(error, notes=((header, DELIMITER),))
    return error


def _likely_label(table: Table, free: list[str]) -> Argument | None:
    """Return the argument with the only column that repeats a few values without a point."""
    sample = table.sample()
    found = []
    for name in free:
        if key(name) in (*PREDICTED_NAMES, *ROW_NAMES) or _PREDICTED.search(key(name)):
            continue
        cells = [str(cell).strip() for cell in sample.get(name, ())]
        values = set(cells)
        if 2 <= len(values) <= len(cells) // 2 and not any("." in value for value in values):
            found.append(name)
    return Argument("label", found[0]) if len(found) == 1 else None


def _indicators(table: Table, free: list[str]) -> list[str]:
    """Return the columns that are called like one-hot labels and hold 0 and 1 only."""
    sample = table.sample()
    groups = by_prefix([name for name in free if table.widths[name] == 1], ONE_HOT_PREFIXES)
    found = [
        names
        for names in groups.values()
        if len(names) > 1
        and all({str(cell).strip() for cell in sample.get(name, "?")} <= _BITS for name in names)
    ]
    return found[0] if len(found) == 1 else []


def _require_one_meaning(
    table: Table, options: ReadOptions, labels: tuple[str, ...], probabilities: tuple[str, ...]
) -> None:
    """Refuse labels that are also something else: no test of them would be valid."""
    others = {
        PROB: probabilities,
        GROUPS: options.groups,
        WEIGHT: (options.weight,),
        CLUSTER: (options.cluster,),
    }
    for argument, names in others.items():
        twice = [name for name in labels if name in names]
        if twice:
            raise InputError(
                Problem.REPEATED,
                ("holds the labels and cannot be ", argument, ", too"),
                source=table.name,
                column=twice[0],
                hint="what depends on the labels tells nothing about calibration",
                remedy="name another column",
            )


def split_names(text: str) -> list[str]:
    """Split a list of names at commas; names with commas are quoted as in CSV."""
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]


def _require(table: Table, name: str) -> str:
    if name not in table.widths:
        there = f"there is no column {name!r}; there are {listed(table.column_names)}"
        raise _refuse(table, there, "check the spelling")
    return name


def _refuse(table: Table, rule: Words, remedy: Words = "") -> InputError:
    return InputError(Problem.COLUMNS, rule, source=table.name, remedy=remedy)


def _one_hot(table: Table, options: ReadOptions, free: list[str]) -> tuple[str, ...]:
    if options.label is not None:
        return tuple(_selected(table, options.label, LABEL))
    groups = by_prefix([name for name in free if table.widths[name] == 1], ONE_HOT_PREFIXES)
    wide = [name for name in free if key(name) in LABEL_NAMES and table.widths[name] > 1]
    candidates = [tuple(names) for names in groups.values() if len(names) > 1]
    candidates += [(name,) for name in wide]
    if len(candidates) == 1:
        return candidates[0]
    found = "; ".join(listed(names) for names in candidates) or "none"
    raise _refuse(
        table,
        f"one-hot columns must be named alike, for example y_cat, y_dog; got {found}",
        ("name them with ", LABEL, ", for example ", Argument("label", "y_*")),
    )


def _probabilities(sight: Sight) -> Found:
    """Return the probability columns, chosen by the user or found by their names."""
    options = sight.options
    if options.prob is None:
        return find_probabilities(sight)
    chosen = _selected(sight.table, options.prob, PROB)
    classes = _classes_in(chosen, options.logits)
    if len(chosen) > 1 and not sight.label_values & set(classes.values()):
        classes = classes_around_labels(sight.label_values, chosen) or classes
    predicted = sight.predicted() if len(chosen) == 1 and not sight.is_wide(chosen[0]) else []
    only = predicted[0] if len(predicted) == 1 and predicted != chosen else None
    return Found(tuple(chosen), classes, options.logits, predicted=only)


def _in_order(
    table: Table, options: ReadOptions, found: Found
) -> tuple[tuple[str, ...], tuple[Any, ...] | None]:
    """Put columns and class names together; names given by the user find their columns."""
    said, columns, suffixes = options.classes, found.columns, found.classes
    orders = [name for name in table.lists if key(name.rpartition(".")[2]) in LISTS_OF_NAMES]
    if orders and len(columns) == 1 and columns[0] not in table.inner_names:
        raise _refuse(
            table,
            f"{orders[0]!r} lists the classes of {columns[0]!r} row by row, in any order",
            "write one column per class, or cells such as "
            '[{"label": "cat", "score": 0.7}, {"label": "dog", "score": 0.3}]',
        )
    if said is None and columns[0] in table.inner_names:
        return columns, table.inner_names[columns[0]]
    if said is None and table.class_names is not None:
        if len(columns) == 1:
            return columns, _named_in_file(table, max(2, table.widths[columns[0]]))
        said = tuple(map(str, table.class_names))
    if said is None:
        return columns, tuple(suffixes[c] for c in columns) if suffixes else None
    inner = table.inner_names.get(columns[0])
    if inner is not None:
        if set(said) != set(inner):
            raise _refuse(
                table,
                (CLASSES, f" must be as the cells of {columns[0]!r} say; got {listed(said)}"),
                ("leave ", CLASSES, f" out: they are {listed(inner)}"),
            )
        table.reorder(columns[0], said)
        return columns, said
    column_of = {suffix: column for column, suffix in suffixes.items()}
    if len(said) == len(column_of):
        order = match_columns(said, tuple(column_of))
        if order is not None:
            return tuple(columns[i] for i in order), said
    bare = all(column == suffix for column, suffix in suffixes.items())
    if suffixes and bare and options.prob is None and set(said) < set(column_of):
        # columns named by classes, among others that are not
        return tuple(column_of[name] for name in said), said
    common = [name for name in said if name in column_of]
    if common:
        raise _refuse(
            table,
            (
                CLASSES,
                " and the columns must name the same classes; got "
                f"{listed(said)} and {listed(tuple(column_of))}",
            ),
            ("correct ", CLASSES, ", or choose the columns with ", PROB),
        )
    return columns, said


def _named_in_file(table: Table, n_classes: int) -> tuple[Any, ...]:
    names = table.class_names or ()
    if len(names) != n_classes:
        raise InputError(
            Problem.CLASSES,
            f"must name the {n_classes} classes (one column means two classes)",
            source=table.name,
            column="classes",
            got=f"{len(names)}: {listed([str(name) for name in names])}",
            remedy="save one name per class, in the order of the probabilities",
        )
    return tuple(names)


def _selected(table: Table, wish: str, argument: Argument) -> list[str]:
    """Return the columns of a list of names and patterns such as ``p_*``."""
    if wish in table.widths:
        return [wish]
    chosen: list[str] = []
    for name in split_names(wish):
        if name in table.widths:
            chosen.append(name)
        elif "*" in name:
            matching = [column for column in table.column_names if fnmatchcase(column, name)]
            if not matching:
                there = f"; there are {listed(table.column_names)}"
                wanted = Argument(argument.name, name)
                raise _refuse(table, ("no column matches ", wanted, there))
            chosen += matching
        else:
            _require(table, name)
    return list(dict.fromkeys(chosen))


def _classes_in(columns: Sequence[str], logits: bool) -> dict[str, str]:
    """Return the class in each name that the user chose: after a prefix, or the whole name."""
    found = class_in_name(columns, LOGIT_PREFIXES) if logits else class_in_columns(columns)
    if not found and len(columns) > 1:
        return {column: column for column in columns}
    return found
