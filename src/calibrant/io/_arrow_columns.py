"""The requested columns of Arrow tables as NumPy arrays, batch by batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from calibrant._predictions import Precision
from calibrant.errors import InputError, Problem
from calibrant.io._arrow_types import is_decimal, is_list, is_number, is_text_of_any_kind
from calibrant.io._growing import EXACT, GrowingCodes, GrowingMatrix, Texts, cell
from calibrant.io._nested import Nested
from calibrant.io._table import Array, Content, Request


class Shape(Protocol):
    """The needed facts about a table: how many numbers its cells contain, and their precision."""

    name: str
    widths: Mapping[str, int]

    @property
    def nested(self) -> Mapping[str, Nested]:
        """The columns whose cells contain probabilities by class."""

    def precision(self, columns: Sequence[str]) -> Precision:
        """Return the precision of the coarsest of some columns."""


class ArrowSink:
    """The requested columns of a table, growing batch by batch."""

    def __init__(self, shape: Shape, request: Request, n_rows: int | None) -> None:
        self._shape = shape
        self._request = request
        self._matrices = {}
        for name, columns in request.matrices.items():
            width = sum(shape.widths[column] for column in columns)
            self._matrices[name] = GrowingMatrix(width, np.float64, n_rows)
        self._numbers = {name: GrowingMatrix(1, np.float64, n_rows) for name in request.numbers}
        self._texts: dict[str, _Labels] = {name: _Labels(n_rows) for name in request.texts}

    def add(self, batch: Any) -> None:
        """Append the rows of a batch."""
        for name, columns in self._request.matrices.items():
            if all(self._shape.widths[column] == 1 for column in columns) and not any(
                is_list(batch.column(column).type) for column in columns
            ):
                self._matrices[name].append(
                    [numbers_of(batch.column(column)) for column in columns]
                )
            else:
                parts = [self._matrix(batch.column(column), column) for column in columns]
                self._matrices[name].append_rows(np.column_stack(parts))
        for name, numbers in self._numbers.items():
            numbers.append([numbers_of(batch.column(name))])
        for name, labels in self._texts.items():
            labels.add(batch.column(name))

    def content(self) -> Content:
        """Return all rows."""
        return Content(
            {name: matrix.finish() for name, matrix in self._matrices.items()},
            {name: numbers.finish()[:, 0] for name, numbers in self._numbers.items()},
            {name: labels.finish() for name, labels in self._texts.items()},
            {
                name: self._shape.precision(columns)
                for name, columns in self._request.matrices.items()
            },
        )

    def _matrix(self, column: Any, name: str) -> Array:
        width = self._shape.widths[name]
        nested = self._shape.nested.get(name)
        if nested is not None:
            return nested.matrix(column.to_pylist(), self._shape.name, name)
        if not is_list(column.type):
            return numbers_of(column)[:, None]
        lengths = column.value_lengths().to_pylist()
        wrong = [i for i, length in enumerate(lengths) if length != width]
        if wrong:
            raise InputError(
                Problem.SHAPE,
                f"must contain {width} numbers in every row",
                source=self._shape.name,
                column=name,
                got=f"{lengths[wrong[0]] or 'none'} in one",
                remedy="write lists of one length",
            )
        return numbers_of(column.flatten()).reshape(-1, width)


class _Labels:
    """A column of labels: numbers stay numbers, texts become codes."""

    def __init__(self, n_rows: int | None) -> None:
        self._texts = GrowingCodes(n_rows)
        self._are_strings = True
        self._parts: list[Array] = []
        self._gaps: list[Array] = []

    def add(self, column: Any) -> None:
        import pyarrow as pa

        if pa.types.is_dictionary(column.type) and is_number(column.type.value_type):
            column = column.dictionary_decode()
        kind = column.type
        if pa.types.is_integer(kind):
            self._gaps.append(column.is_null().to_numpy(zero_copy_only=False))
            column = column.fill_null(0)
        if is_number(kind) and not is_decimal(kind):
            self._parts.append(column.to_numpy(zero_copy_only=False))
            return
        coded = column if pa.types.is_dictionary(kind) else column.dictionary_encode()
        distinct, codes = coded.dictionary, coded.indices
        if "binary" in str(distinct.type):
            distinct = distinct.cast(pa.string())
        self._are_strings &= is_text_of_any_kind(distinct.type)
        values = [None if v is None else cell(str(v)) for v in distinct.to_pylist()]
        codes = codes.cast(pa.int64()).fill_null(len(values)).to_numpy()
        self._texts.append_coded(codes, [*values, None] if coded.null_count else values)

    def finish(self) -> Array | Texts:
        if not self._parts:
            return self._texts.finish(self._are_strings)
        values = np.concatenate(self._parts)
        return _with_gaps(values, np.concatenate(self._gaps)) if self._gaps else values


def _with_gaps(values: Array, gaps: Array) -> Array | Texts:
    """Return whole numbers with gaps: as floats with NaN if that is exact, else as texts."""
    if not gaps.any():
        return values
    if np.all((values > -EXACT) & (values < EXACT)):
        return np.where(gaps, np.nan, values)
    texts = GrowingCodes(len(values))
    rows = zip(values.tolist(), gaps.tolist(), strict=True)
    texts.append([None if gap else str(value) for value, gap in rows])
    return texts.finish()


def numbers_of(column: Any) -> Array:
    """Return the numbers of a column; a missing one is NaN."""
    import pyarrow as pa

    if is_decimal(column.type) or (column.null_count and pa.types.is_integer(column.type)):
        column = column.cast(pa.float64())
    values: Array = column.to_numpy(zero_copy_only=False)
    return values.astype(float) if values.dtype == object else values
