"""The meaning of each column, found by name and never guessed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from calibrant._predictions import LOGIT_PREFIXES, class_in_columns, class_in_name, match_columns
from calibrant.errors import InputError, Problem
from calibrant.io._chosen import refuse_columns, require, selected
from calibrant.io._errors import listed
from calibrant.io._label_columns import find_labels
from calibrant.io._layouts import (
    LABEL_NAMES,
    LISTS_OF_NAMES,
    Found,
    Sight,
    classes_around_labels,
    find_probabilities,
    is_log,
    key,
)
from calibrant.io._options import (
    CLASSES,
    CLUSTER,
    GROUPS,
    PROB,
    WEIGHT,
    ReadOptions,
)
from calibrant.io._table import Table


@dataclass(frozen=True)
class Columns:
    """The meaning of each column."""

    labels: tuple[str, ...]  # empty if the labels are in a separate file
    probabilities: tuple[str, ...]
    classes: tuple[Any, ...] | None  # names from the columns or the user
    weight: str | None
    id: str | None
    cluster: str | None
    groups: tuple[str, ...]
    ignored: tuple[str, ...]
    by_elimination: bool = False  # probabilities are the remaining columns, named by the classes
    logits: bool = field(default=False, repr=False)  # from the user or the names
    logs: bool = field(default=False, repr=False)  # log-probabilities in one column
    predicted: str | None = None  # labels whose confidence the only number may be


def find_columns(table: Table, options: ReadOptions, *, own_labels: bool = True) -> Columns:
    """Return the meaning of each column, or raise an error that lists the candidates."""
    chosen = (options.weight, options.id, options.predicted, options.cluster)
    named = [name for name in chosen if name is not None]
    for name in [*named, *options.groups]:
        require(table, name)
    taken = {*named, *options.groups}
    labels = find_labels(table, options, taken) if own_labels else ()
    taken |= set(labels)
    if not own_labels:  # labels come from another file, so a label column in this one is ignored
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
        logits=(found.logits or options.logits) and not found.logs,
        logs=found.logs,
        predicted=options.predicted or found.predicted,
    )


def _require_one_meaning(
    table: Table, options: ReadOptions, labels: tuple[str, ...], probabilities: tuple[str, ...]
) -> None:
    """Refuse label columns that also have another meaning: no test of them would be valid."""
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
                ("contains the labels and cannot be ", argument, ", too"),
                source=table.name,
                column=twice[0],
                hint="what depends on the labels says nothing about calibration",
                remedy="name another column",
            )


def _probabilities(sight: Sight) -> Found:
    """Return the probability columns, from the user's choice or by name."""
    options = sight.options
    if options.prob is None:
        return find_probabilities(sight)
    chosen = selected(sight.table, options.prob, PROB)
    classes = _classes_in(chosen, options.logits)
    if len(chosen) > 1 and not sight.label_values & set(classes.values()):
        classes = classes_around_labels(sight.label_values, chosen) or classes
    predicted = sight.predicted() if len(chosen) == 1 and not sight.is_wide(chosen[0]) else []
    only = predicted[0] if len(predicted) == 1 and predicted != chosen else None
    logs = len(chosen) == 1 and is_log(sight, chosen[0])
    return Found(tuple(chosen), classes, options.logits, logs, predicted=only)


def _in_order(
    table: Table, options: ReadOptions, found: Found
) -> tuple[tuple[str, ...], tuple[Any, ...] | None]:
    """Match columns and class names; names given by the user select their columns."""
    said, columns, suffixes = options.classes, found.columns, found.classes
    _refuse_classes_by_row(table, columns)
    inner = table.inner_names.get(columns[0])
    if said is None and inner is not None:
        return columns, inner
    if said is None and table.class_names is not None:
        if len(columns) == 1:
            return columns, _named_in_file(table, max(2, table.widths[columns[0]]))
        said = tuple(map(str, table.class_names))
    if said is None:
        return columns, tuple(suffixes[c] for c in columns) if suffixes else None
    if inner is None:
        return _columns_of(said, table, options, found), said
    if set(said) != set(inner):
        raise refuse_columns(
            table,
            (CLASSES, f" must be as the cells of {columns[0]!r} say; got {listed(said)}"),
            ("leave ", CLASSES, f" out: they are {listed(inner)}"),
        )
    table.reorder(columns[0], said)
    return columns, said


def _refuse_classes_by_row(table: Table, columns: tuple[str, ...]) -> None:
    """Refuse lists of numbers whose classes another column lists row by row."""
    orders = [name for name in table.lists if key(name.rpartition(".")[2]) in LISTS_OF_NAMES]
    if orders and len(columns) == 1 and columns[0] not in table.inner_names:
        raise refuse_columns(
            table,
            f"{orders[0]!r} lists the classes of {columns[0]!r} row by row, in any order",
            "write one column per class, or cells such as "
            '[{"label": "cat", "score": 0.7}, {"label": "dog", "score": 0.3}]',
        )


def _columns_of(
    said: tuple[str, ...], table: Table, options: ReadOptions, found: Found
) -> tuple[str, ...]:
    """Return the columns in the order of the classes, if their names determine it."""
    columns, suffixes = found.columns, found.classes
    column_of = {suffix: column for column, suffix in suffixes.items()}
    if len(said) == len(column_of):
        order = match_columns(said, tuple(column_of))
        if order is not None:
            return tuple(columns[i] for i in order)
    bare = all(column == suffix for column, suffix in suffixes.items())
    if suffixes and bare and options.prob is None and set(said) < set(column_of):
        # columns named by classes, among other columns
        return tuple(column_of[name] for name in said)
    if any(name in column_of for name in said):
        raise refuse_columns(
            table,
            (
                CLASSES,
                " and the columns must name the same classes; got "
                f"{listed(said)} and {listed(tuple(column_of))}",
            ),
            ("correct ", CLASSES, ", or choose the columns with ", PROB),
        )
    return columns


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


def _classes_in(columns: Sequence[str], logits: bool) -> dict[str, str]:
    """Return the class in each chosen column name: the part after a prefix, or the whole name."""
    found = class_in_name(columns, LOGIT_PREFIXES) if logits else class_in_columns(columns)
    if not found and len(columns) > 1:
        return {column: column for column in columns}
    return found
