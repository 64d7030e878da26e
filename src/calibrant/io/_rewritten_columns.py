"""The probability columns of a file to change, and the class of each."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

from calibrant._predictions import class_in_columns, listed, match_columns
from calibrant.errors import InputError, Problem
from calibrant.io._columns import Columns, find_columns
from calibrant.io._csv import CsvTable
from calibrant.io._options import PROB, ReadOptions
from calibrant.io._table import Table


@dataclass(frozen=True)
class ProbabilityColumns:
    """The probability columns of a table, with the class of each column or number."""

    name: str
    columns: Columns
    order: tuple[int, ...]
    n_classes: int

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.columns.probabilities

    @property
    def is_matrix(self) -> bool:
        """Whether one column contains all numbers of a row."""
        return len(self.names) == 1 and len(self.order) > 1


def find_probabilities(
    table: Table, options: ReadOptions, classes: tuple[Hashable, ...]
) -> ProbabilityColumns:
    """Return the columns to change, named by the classes; refuse anything ambiguous."""
    columns = _find_columns(table, options, classes)
    names, m = columns.probabilities, len(classes)
    width = sum(table.widths[name] for name in names)
    if names[0] in table.inner_names or (width > len(names) and isinstance(table, CsvTable)):
        raise InputError(
            Problem.FORMAT,
            "has several numbers in a cell, which cannot be written again",
            source=table.name,
            column=names[0],
            remedy="write one column per class",
        )
    if len(names) > 1 and table.has_names:
        shown = tuple(class_in_columns(names).values()) or names
        order = match_columns(shown, classes) if len(shown) == m else None
        if order is None:
            raise _other_classes(table.name, shown, classes)
        return ProbabilityColumns(table.name, columns, tuple(order), m)
    if not table.has_names and width == m:
        return ProbabilityColumns(table.name, columns, tuple(range(m)), m)
    if width == 1 and m == 2:
        return ProbabilityColumns(table.name, columns, (_place_of_one(table, names, classes),), m)
    if width != m:
        raise _other_classes(table.name, [f"{width} columns"], classes)
    order = list(range(m))
    if table.class_names is not None:
        order = match_columns(tuple(table.class_names), classes) or []
        if not order:
            raise _other_classes(table.name, table.class_names, classes)
    return ProbabilityColumns(table.name, columns, tuple(order), m)


def _place_of_one(table: Table, names: tuple[str, ...], classes: tuple[Hashable, ...]) -> int:
    """Return the class of a single column: the one in its name, or the last."""
    if not table.has_names:
        return len(classes) - 1
    shown = [name.casefold() for name in class_in_columns(names).values()]
    texts = [str(name).casefold() for name in classes]
    if shown and shown[0] not in texts:
        raise _other_classes(table.name, names, classes)
    return texts.index(shown[0]) if shown else len(classes) - 1


def _find_columns(table: Table, options: ReadOptions, classes: tuple[Hashable, ...]) -> Columns:
    """Return the columns that look like probabilities, or those named by the classes."""
    columns = find_columns(table, replace(options, classes=None), own_labels=False)
    if not columns.by_elimination or not table.has_names:
        return columns
    try:
        return find_columns(table, options, own_labels=False)
    except InputError as error:
        raise _other_classes(table.name, columns.probabilities, classes) from error


def _other_classes(
    file: str, there: Sequence[Hashable], classes: tuple[Hashable, ...]
) -> InputError:
    return InputError(
        Problem.CLASSES,
        f"must have the classes {listed(classes)}",
        source=file,
        argument="the probabilities",
        got=listed(there),
        remedy=(
            "name the probability columns with ",
            PROB,
            ", or use the calibrator of this model",
        ),
    )
