"""Which column is what: found by name, never guessed."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from calibrant._predictions import (
    LOGIT_PREFIXES,
    PROB_PREFIXES,
    class_in_name,
    match_columns,
)
from calibrant.errors import Argument, InputError, Problem, Words
from calibrant.io._errors import listed
from calibrant.io._npz import ONLY
from calibrant.io._options import (
    CLASSES,
    DELIMITER,
    GROUPS,
    LABEL,
    LABELS,
    LOGITS,
    PROB,
    WEIGHT,
    ReadOptions,
)
from calibrant.io._table import Table

#: names of a column of labels, in small letters
LABEL_NAMES = ("label", "labels", "y_true", "target", "y", "class")
#: names of the probability of the positive class, or of a matrix of all
PROB_NAMES = ("p", "prob", "probs", "proba", "probability", "probabilities", "y_prob", "y_proba",
              "y_score", "score")  # fmt: skip
LOGIT_NAMES = ("logit", "logits", "z")
ONE_HOT_PREFIXES = ("y_", "label_", "true_", "target_", "onehot_", "y.", "label.")
#: what pandas calls the column of its index
INDEX_NAMES = ("", "unnamed: 0", "__index_level_0__")
#: columns that number or name the rows, where row sums would tell if one of them were a class
ROW_NAMES = (*INDEX_NAMES, "index", "id", "row", "row_id", "sample", "sample_id", "uid", "uuid")


@dataclass(frozen=True)
class Columns:
    """What every column was taken for."""

    labels: tuple[str, ...]  # none where the labels are in a file of their own
    probabilities: tuple[str, ...]
    classes: tuple[Any, ...] | None  # names that the columns or the user give
    weight: str | None
    id: str | None
    groups: tuple[str, ...]
    ignored: tuple[str, ...]
    by_elimination: bool = False  # probabilities are what was left, named by the classes


def find_columns(table: Table, options: ReadOptions, *, own_labels: bool = True) -> Columns:
    """Say what every column is, or refuse with the candidates."""
    named = [*((options.weight,) if options.weight else ()), *((options.id,) if options.id else ())]
    for name in [*named, *options.groups]:
        _require(table, name)
    taken = {*named, *options.groups}
    labels = find_labels(table, options, taken) if own_labels else ()
    taken |= set(labels)
    if not own_labels:  # labels come from another file: a column of labels is none of ours
        taken |= {name for name in table.column_names if name.lower() in LABEL_NAMES}
    probabilities, suffixes = _probabilities(table, options, taken)
    probabilities, names = _in_order(table, options, probabilities, suffixes)
    _require_one_meaning(table, options, labels, probabilities)
    used = {*taken, *probabilities}
    return Columns(
        labels,
        probabilities,
        names,
        options.weight,
        options.id,
        options.groups,
        tuple(name for name in table.column_names if name not in used),
        by_elimination=options.prob is None
        and options.classes is None
        and len(probabilities) > 1
        and all(column == suffix for column, suffix in suffixes.items()),
    )


def find_labels(table: Table, options: ReadOptions, taken: set[str]) -> tuple[str, ...]:
    """Find the label column, or the one-hot columns."""
    free = [name for name in table.column_names if name not in taken]
    if options.onehot:
        return _one_hot(table, options, free)
    if options.label is not None:
        return (_require(table, options.label),)
    found = [name for name in free if name.lower() in LABEL_NAMES]
    if len(found) > 1:
        raise _refuse(
            table,
            f"{listed(found)} could all be the labels",
            ("name the label column, for example ", Argument("label", found[0])),
        )
    if not found:
        raise _no_labels(table, free)
    return (found[0],)


def _no_labels(table: Table, free: list[str]) -> InputError:
    error = _refuse(
        table,
        f"there is no label column: none of the columns {listed(free)} is called "
        f"{', '.join(LABEL_NAMES)}",
        ("name it with ", LABEL, ", or name a file of labels with ", LABELS),
    )
    if len(table.widths) == 1 and table.format == "csv":
        header = "The first line must name all columns; what is between them, say with "
        return replace(error, notes=((header, DELIMITER),))
    return error


def _require_one_meaning(
    table: Table, options: ReadOptions, labels: tuple[str, ...], probabilities: tuple[str, ...]
) -> None:
    """Refuse labels that are also something else: no test of them would be valid."""
    others = {PROB: probabilities, GROUPS: options.groups, WEIGHT: (options.weight,)}
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
    groups = _by_prefix([name for name in free if table.widths[name] == 1], ONE_HOT_PREFIXES)
    wide = [name for name in free if name.lower() in LABEL_NAMES and table.widths[name] > 1]
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


def _probabilities(
    table: Table, options: ReadOptions, taken: set[str]
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the probability columns, and the class that each one's name says."""
    free = [name for name in table.column_names if name not in taken]
    if options.prob is not None:
        chosen = _selected(table, options.prob, PROB)
        return tuple(chosen), _suffixes(chosen, options.logits, explicit=True)
    prefixes = LOGIT_PREFIXES if options.logits else PROB_PREFIXES
    groups = _by_prefix(free, prefixes)
    names = LOGIT_NAMES if options.logits else PROB_NAMES
    single = [name for name in free if name.lower() in names or name == ONLY]
    if not single and not groups:
        single = [name for name in free if table.widths[name] > 1]
    candidates = [tuple(group) for group in groups.values()] + [(name,) for name in single]
    if len(candidates) > 1:
        told = " or ".join(f"({listed(group)})" for group in candidates)
        raise _refuse(
            table,
            f"the probabilities could be {told}",
            ("name them, for example ", Argument("prob", ",".join(candidates[0][:3]))),
        )
    if candidates:
        return candidates[0], _suffixes(candidates[0], options.logits)
    no_class = INDEX_NAMES if options.logits or options.normalize else ROW_NAMES
    rest = [name for name in free if name.lower() not in no_class]
    if not options.logits and _by_prefix(free, LOGIT_PREFIXES):
        logits = f"there are no probabilities, but columns of logits ({listed(free)})"
        raise _refuse(table, logits, ("pass ", LOGITS))
    if len(rest) < 2:
        what = "logit" if options.logits else "probability"
        raise _refuse(
            table,
            f"there is no {what} column; the columns are {listed(table.column_names)}",
            (f"call them {prefixes[0]}CLASS, one per class, or name them with ", PROB),
        )
    # what is left must be columns named by the classes; values and labels are checked later
    return tuple(rest), {name: name for name in rest}


def _in_order(
    table: Table, options: ReadOptions, columns: tuple[str, ...], suffixes: dict[str, str]
) -> tuple[tuple[str, ...], tuple[Any, ...] | None]:
    """Put columns and class names together; names given by the user find their columns."""
    said = options.classes
    if said is None and table.class_names is not None:
        if len(columns) == 1:
            return columns, _named_in_file(table, max(2, table.widths[columns[0]]))
        said = tuple(map(str, table.class_names))
    if said is None:
        return columns, tuple(suffixes[c] for c in columns) if suffixes else None
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


def _by_prefix(names: Sequence[str], prefixes: Sequence[str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for name in names:
        for prefix in prefixes:
            if name.lower().startswith(prefix) and len(name) > len(prefix):
                groups.setdefault(prefix, []).append(name)
                break
    return groups


def _suffixes(columns: Sequence[str], logits: bool, explicit: bool = False) -> dict[str, str]:
    """Return the class in each name: after a common prefix, or the whole name."""
    found = class_in_name(columns, LOGIT_PREFIXES if logits else PROB_PREFIXES)
    if not found and explicit and len(columns) > 1:
        return {column: column for column in columns}
    return found
