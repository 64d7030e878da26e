"""Selection of the columns that the user names."""

from __future__ import annotations

import csv
from fnmatch import fnmatchcase

from calibrant.errors import Argument, InputError, Problem, Words
from calibrant.io._errors import listed
from calibrant.io._table import Table


def split_names(text: str) -> list[str]:
    """Split a list of names at commas; names with commas are quoted as in CSV."""
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True), [])]


def selected(table: Table, wish: str, argument: Argument) -> list[str]:
    """Return the columns selected by a list of names and patterns such as ``p_*``."""
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
                raise refuse_columns(table, ("no column matches ", wanted, there))
            chosen += matching
        else:
            require(table, name)
    return list(dict.fromkeys(chosen))


def require(table: Table, name: str) -> str:
    if name not in table.widths:
        there = f"there is no column {name!r}; there are {listed(table.column_names)}"
        raise refuse_columns(table, there, "check the spelling")
    return name


def refuse_columns(table: Table, rule: Words, remedy: Words = "") -> InputError:
    return InputError(Problem.COLUMNS, rule, source=table.name, remedy=remedy)
