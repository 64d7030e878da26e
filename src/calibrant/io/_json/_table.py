"""JSON and JSON Lines as a table: one record per row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from calibrant._output import counted
from calibrant.errors import InputError, Problem
from calibrant.io._csv_dialect import PERCENT
from calibrant.io._growing import EXACT, GrowingCodes, Texts, cell
from calibrant.io._json._archive import read_samples
from calibrant.io._json._logs import LOGS
from calibrant.io._json._records import Record, read_records
from calibrant.io._layouts import numbers_beside
from calibrant.io._missing import is_missing
from calibrant.io._nested import Nested, are_names, may_hold_several, nested_in, parse_cell
from calibrant.io._options import PROB
from calibrant.io._source import Source
from calibrant.io._table import Array, Content, Progress, Request, Table

#: the object with the answer in a logged event of OpenAI's evals
_EVENT = "data"
#: most cells of a table of objects, in all and for each given cell
_CELLS, _HOLES = 1 << 20, 50


class JsonTable(Table):
    """The records of a JSON file, all in memory; lists and objects of numbers are matrices."""

    def __init__(self, source: Source, missing: bool = False, percent: bool = False) -> None:
        self.name = source.name
        self._missing, self._signs = missing, percent
        self.format, records, self.class_names = _records(source)
        for log in LOGS:
            if log.fits(records):
                n_records = len(records)
                records = log.read(records, source.name)
                self.writing = (log.title, *_unscored(n_records - len(records)))
                break
        columns = _paired(_columns(records, source.name))
        self._columns = {name: _single(cells) for name, cells in columns.items()}
        self._nested = {
            name: nested
            for name, cells in self._columns.items()
            if (nested := nested_in(cells)) is not None
        }
        self.percent = frozenset(filter(self._is_percent, self._columns))
        if self.percent:
            self.writing = (*self.writing, "percent signs")
        self.lists = frozenset(
            name
            for name, cells in self._columns.items()
            if name not in self._nested and any(isinstance(one, list) for one in cells)
        )
        self.widths = {
            name: self._nested[name].width if name in self._nested else 1 for name in self._columns
        }
        self.inner_names = {
            name: nested.names for name, nested in self._nested.items() if nested.names is not None
        }

    def reorder(self, column: str, names: tuple[str, ...]) -> None:
        """Change the order in which the named numbers of a column's cells are returned."""
        self._nested[column] = Nested(len(names), names)
        self.inner_names = {**self.inner_names, column: names}

    def sample(self) -> Mapping[str, Sequence[Any]]:
        """Return the cells of the first rows."""
        return self._sample

    @cached_property
    def _sample(self) -> Mapping[str, Sequence[Any]]:
        return {name: cells[:100] for name, cells in self._columns.items() if self.widths[name] < 2}

    def read(self, request: Request, progress: Progress | None = None) -> Content:
        """Return the requested columns."""
        matrices = {
            key: np.hstack([self._matrix(name, key == "labels") for name in names])
            for key, names in request.matrices.items()
        }
        numbers = {name: self._matrix(name)[:, 0] for name in request.numbers}
        return Content(matrices, numbers, {name: self._labels(name) for name in request.texts})

    def _matrix(self, name: str, one_hot: bool = False) -> Array:
        cells = self._columns[name]
        if one_hot and all(isinstance(one, bool) for one in cells):
            return np.array(cells, dtype=np.float64)[:, None]
        nested: Nested | None = self._nested.get(name)
        if nested is not None:
            return nested.matrix(cells, self.name, name)
        return np.array([self._number(value, name, i) for i, value in enumerate(cells)])[:, None]

    def _is_percent(self, name: str) -> bool:
        """Return whether every number of a column has a percent sign."""
        cells = [one for one in self._columns[name] if not is_missing(one)]
        return bool(cells) and all(isinstance(o, str) and PERCENT.fullmatch(o) for o in cells)

    def _number(self, value: Any, name: str, row: int) -> float:
        if value is None or (self._missing and is_missing(value)):
            return float("nan")
        scale = 1.0
        try:
            if isinstance(value, int | float) and not isinstance(value, bool):
                return float(value)
            text = value.strip()
            if self._signs or name in self.percent:
                scale = 100.0 if name in self.percent else 1.0
                text = text.removesuffix("%").rstrip()
            if "_" not in text and text.isascii():
                return float(text) / scale
        except (AttributeError, ValueError, OverflowError):
            pass
        shown = str(value)
        raise InputError(
            Problem.NOT_NUMBERS,
            "must be a number",
            source=self.name,
            column=name,
            row=row,
            value=shown if len(shown) <= 40 else f"{shown[:37]}...",
            remedy=("write numbers only, or choose other columns with ", PROB),
        )

    def _labels(self, name: str) -> Array | Texts:
        cells = self._columns[name]
        kinds = {type(value) for value in cells}
        if kinds == {bool}:
            return np.array(cells, dtype=np.bool_)
        if kinds == {int} and all(abs(value) < 1 << 62 for value in cells):
            return np.array(cells, dtype=np.int64)
        is_exact = all(abs(value) < EXACT for value in cells if type(value) is int)
        if kinds <= {int, float, type(None)} and is_exact:
            return np.array([np.nan if v is None else float(v) for v in cells], dtype=np.float64)
        if kinds & {list, dict}:
            raise InputError(
                Problem.COLUMNS, "must contain numbers or text", source=self.name, column=name
            )
        texts = GrowingCodes(len(cells))
        texts.append([None if value is None else cell(str(value)) for value in cells])
        return texts.finish(are_strings=kinds <= {str, type(None)})


def _records(source: Source) -> tuple[str, list[Record], tuple[Any, ...] | None]:
    if source.format == "eval":
        return "eval", read_samples(source), None
    return read_records(source)


def _unscored(count: int) -> tuple[str, ...]:
    return (f"without {counted(count, 'sample')} that have no score",) if count else ()


def _columns(records: Sequence[Mapping[str, Any]], file: str) -> dict[str, list[Any]]:
    """Return the fields common to all records as columns, with nested objects flattened."""
    names = list(dict.fromkeys(name for record in records for name in record))
    n_cells, n_given = len(names) * len(records), sum(map(len, records))
    if n_cells > max(_CELLS, _HOLES * n_given):
        raise InputError(
            Problem.COLUMNS,
            "must have the same keys in every object",
            argument="the rows",
            source=file,
            got=f"{len(names):,} different ones in {len(records):,} rows",
            remedy="write the parts of every row under the same keys",
        )
    columns: dict[str, list[Any]] = {}
    for name in names:
        cells = _opened([record.get(name) for record in records])
        found = {name: cells}
        if any(isinstance(one, Mapping) for one in cells) and nested_in(cells) is None:
            inner = _columns([one if isinstance(one, Mapping) else {} for one in cells], file)
            known = names if name == _EVENT else inner  # otherwise the object is the row
            found = {f"{name}.{key}" if key in known else key: one for key, one in inner.items()}
        twice = found.keys() & columns.keys()
        if twice:
            raise InputError(
                Problem.REPEATED,
                "occurs more than once: as a key, and inside an object",
                source=file,
                column=min(twice),
                remedy="give every column its own name",
            )
        columns |= found
    return columns


def _paired(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Combine lists of names and of numbers, {"labels": […], "scores": […]}."""
    for name in list(columns):
        numbers = numbers_beside(name, columns)
        if numbers is None or not all(map(are_names, columns[name])):
            continue
        pairs = list(zip(columns[name], columns[numbers], strict=True))
        if all(isinstance(b, list) and len(a) == len(b) for a, b in pairs):
            columns[numbers] = [dict(zip(map(str, a), b, strict=True)) for a, b in pairs]
            del columns[name]
    return columns


def _single(cells: list[Any]) -> list[Any]:
    """Return numbers for lists of one number, as from a network with one output."""
    if all(one is None or (isinstance(one, list) and len(one) == 1) for one in cells):
        found = [None if one is None else one[0] for one in cells]
        return cells if any(isinstance(one, list | Mapping) for one in found) else found
    return cells


def _opened(cells: list[Any]) -> list[Any]:
    """Parse texts that contain lists and mappings, up to the first that only looks like one."""
    for i, text in enumerate(cells):
        if isinstance(text, str) and may_hold_several(text):
            cells[i] = parse_cell(text)
            if cells[i] is text:  # a column of texts: trying all would take long
                break
    return cells
