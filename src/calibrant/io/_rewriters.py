"""Copying files with other probabilities, batch by batch, by file format."""

from __future__ import annotations

import csv
import io
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import IO, Any

import numpy as np

from calibrant._native import FloatArray
from calibrant._predictions import Precision, Source
from calibrant.errors import DataError, InputError, Problem, RowSumWarning
from calibrant.io._arrow import ArrowTable, ParquetTable
from calibrant.io._csv import CsvTable
from calibrant.io._csv_dialect import Dialect, records
from calibrant.io._csv_numbers import floats
from calibrant.io._errors import located_without_labels
from calibrant.io._npz import ArrayTable
from calibrant.io._options import DROP_MISSING, PROB, WEIGHT
from calibrant.io._rewritten_columns import ProbabilityColumns
from calibrant.io._rewritten_numbers import Numbers
from calibrant.io._table import Table

#: maps probabilities of some rows, class-major (m, rows), to new ones
Change = Callable[[FloatArray], FloatArray]
#: rows of a text file that are converted together
_TEXT_ROWS = 8192
#: largest deviation of a row sum from 1 that needs no further check
_EXACT = 1e-6
_SUFFIXES = {
    "csv": (".csv", ".tsv", ".tab", ".txt"),
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".feather", ".ipc"),
    "npz": (".npz",),
}


class Job:
    """Checks and changes batches one after another, and counts their rows."""

    def __init__(self, found: ProbabilityColumns, numbers: Numbers, change: Change) -> None:
        self.found = found
        self.numbers = numbers
        self.n_rows = 0
        self._change = change
        self._worst = 0.0
        self._divided = 0

    def run(self, values: FloatArray, precision: Precision = "float64") -> FloatArray:
        """Return the new numbers of a batch, column by column (columns, rows)."""
        table = self.numbers.read(values, self.found.order)
        changed = self._change(self._checked(table, precision))
        self.n_rows += values.shape[1]
        return self.numbers.write(changed, self.found.order)

    def warn(self) -> None:
        """Warn once about the number of rows that were divided by their sums."""
        if self._divided:
            text = f"{self._divided} of {self.n_rows} rows"
            warnings.warn(RowSumWarning(text, self._worst), stacklevel=2)

    def _checked(self, table: FloatArray, precision: Precision) -> FloatArray:
        off = np.abs(table.sum(axis=0) - 1.0)
        if self.numbers.are_plain and table.min() >= 0.0 and off.max() <= _EXACT:
            return table
        try:
            with warnings.catch_warnings(record=True) as heard:
                warnings.simplefilter("always", RowSumWarning)
                source = Source(np.ascontiguousarray(table.T), precision)
                rows, were_rounded = self.numbers.check(source)
        except DataError as error:
            # convert to the order of the columns in the file, and count the rows before this batch
            column = error.column
            if isinstance(column, int):
                column = self.found.order.index(column) if column in self.found.order else None
            row = None if error.row is None else error.row + self.n_rows
            moved = replace(error, row=row, column=column)
            raise located_without_labels(moved, self.found.name, self.found.columns) from error
        if heard or were_rounded:
            self._worst = max(self._worst, float(off.max()))
            self._divided += int(np.count_nonzero(off > _EXACT))
        return np.ascontiguousarray(rows.T)


#: yields (done, total)
Rewrite = Callable[[Any, Job, IO[bytes]], Iterator[tuple[int, int]]]


def find_writer(table: Table, output: str) -> Rewrite:
    """Return the writer for the table's format, which must be that of the output."""
    kind = {"arrow stream": "arrow", "tsv": "csv"}.get(table.format, table.format)
    suffixes = [suffix.lower() for suffix in Path(output).suffixes]
    if suffixes[-1:] == [".gz"] and kind == "csv":
        suffixes.pop()
    if kind not in _SUFFIXES or suffixes[-1:] not in [[end] for end in _SUFFIXES[kind]]:
        ends = ", ".join(_SUFFIXES.get(kind, ()))
        raise InputError(
            Problem.FORMAT,
            f"must have the format of the input, {kind}",
            source=output,
            argument="the output",
            remedy=f"let its name end with {ends}" if ends else "write the input as CSV or npz",
        )
    writers: dict[str, Rewrite] = {
        "csv": _rewrite_csv,
        "parquet": _rewrite_parquet,
        "arrow": _rewrite_arrow,
        "npz": _rewrite_npz,
    }
    return writers[kind]


def _rewrite_csv(table: CsvTable, job: Job, stream: IO[bytes]) -> Iterator[tuple[int, int]]:
    source, dialect = table.source, table.dialect
    rows = records(source, dialect)
    done = 0
    if dialect.has_names:
        stream.write(_csv_bytes([dialect.columns], dialect.delimiter))
    while block := list(islice(rows, _TEXT_ROWS)):
        cells = _changed_cells(table, block, job)
        stream.write(_csv_bytes(cells, dialect.delimiter))
        done += sum(map(len, map("".join, cells)))
        yield min(done, source.size), source.size


def _changed_cells(
    table: CsvTable, block: list[tuple[int, list[str]]], job: Job
) -> list[list[str]]:
    lines, cells = [line for line, _ in block], [record for _, record in block]
    places = [table.dialect.columns.index(name) for name in job.found.names]
    values = [
        _numbers(table, name, [record[k] for record in cells], lines, job)
        for name, k in zip(job.found.names, places, strict=True)
    ]
    changed = job.run(np.array(values)).tolist()
    for name, k, column in zip(job.found.names, places, changed, strict=True):
        for record, value in zip(cells, column, strict=True):
            record[k] = _written(value, table.dialect, name)
    return cells


def _numbers(
    table: CsvTable, name: str, cells: list[str], lines: list[int], job: Job
) -> FloatArray:
    signs = job.numbers.unit is not None
    try:
        found = floats(table.source, name, cells, lines, table.dialect, signs=signs)
    except InputError as error:
        if {DROP_MISSING, WEIGHT}.intersection(error.remedy):  # arguments that only reading has
            remedy = ("correct this number, or remove its row, or choose other columns with ", PROB)
            raise replace(error, remedy=remedy) from None
        raise
    return np.asarray(found)


def _written(value: float, dialect: Dialect, column: str) -> str:
    """Format a number like the others in its column."""
    text = f"{100.0 * value!r}%" if column in dialect.percent else repr(value)
    return text.replace(".", ",") if dialect.decimal == "," else text


def _csv_bytes(rows: Iterable[Sequence[str]], delimiter: str) -> bytes:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def _rewrite_parquet(table: ParquetTable, job: Job, stream: IO[bytes]) -> Iterator[tuple[int, int]]:
    import pyarrow.parquet as pq

    schema = _new_schema(table.schema, job.found)
    others = [name for name in schema.names if name not in job.found.names]
    # distinct numbers need no dictionary, which would be built and discarded
    with pq.ParquetWriter(stream, schema, use_dictionary=others) as writer:
        for batch in _changed(table, job):
            writer.write_batch(batch)
            yield job.n_rows, table.n_rows


def _rewrite_arrow(table: ArrowTable, job: Job, stream: IO[bytes]) -> Iterator[tuple[int, int]]:
    import pyarrow as pa

    with pa.ipc.new_file(stream, _new_schema(table.schema, job.found)) as writer:
        for batch in _changed(table, job):
            writer.write_batch(batch)
            yield job.n_rows, job.n_rows


def _new_schema(schema: Any, found: ProbabilityColumns) -> Any:
    import pyarrow as pa

    kind = pa.list_(pa.float64(), len(found.order)) if found.is_matrix else pa.float64()
    for name in found.names:
        place = schema.get_field_index(name)
        schema = schema.set(place, pa.field(name, kind))
    return schema


def _changed(table: ArrowTable, job: Job) -> Iterator[Any]:
    """Yield batches with other probabilities, computing two ahead while one is written."""
    from concurrent.futures import Future, ThreadPoolExecutor

    schema, batches = _new_schema(table.schema, job.found), table.batches()
    with ThreadPoolExecutor(1) as reader, ThreadPoolExecutor(1) as changer:
        reading: Future[Any] = reader.submit(next, batches, None)
        changing: Future[Any] | None = None
        while (batch := reading.result()) is not None:
            reading = reader.submit(next, batches, None)
            upcoming = changer.submit(_change_batch, table, batch, job, schema)
            if changing is not None:
                yield changing.result()
            changing = upcoming
        if changing is not None:
            yield changing.result()


def _change_batch(table: ArrowTable, batch: Any, job: Job, schema: Any) -> Any:
    import pyarrow as pa

    found = job.found
    values = table.numbers(batch, found.names)
    changed = job.run(values, table.precision(found.names))
    columns = {name: batch.column(name) for name in schema.names}
    if found.is_matrix:
        flat = pa.array(np.ascontiguousarray(changed.T).ravel())
        columns[found.names[0]] = pa.FixedSizeListArray.from_arrays(flat, len(found.order))
    else:
        columns |= {name: pa.array(row) for name, row in zip(found.names, changed, strict=True)}
    return pa.record_batch(list(columns.values()), schema=schema)


def _rewrite_npz(table: ArrayTable, job: Job, stream: IO[bytes]) -> Iterator[tuple[int, int]]:
    arrays = {name: member.load() for name, member in table.members.items()}
    names = job.found.names
    parts = [np.atleast_2d(np.asarray(arrays[name], dtype=np.float64).T) for name in names]
    values = np.concatenate(parts)
    changed = job.run(values)
    start = 0
    for name, part in zip(names, parts, strict=True):
        own = changed[start : start + len(part)]
        arrays[name] = own.T if arrays[name].ndim == 2 else own[0]
        start += len(part)
    np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]
    yield job.n_rows, job.n_rows
