"""The right reader for a file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from calibrant.errors import InputError, Problem
from calibrant.io._csv import CsvTable
from calibrant.io._npz import read_npy, read_npz
from calibrant.io._source import open_source
from calibrant.io._table import Table

if TYPE_CHECKING:
    from calibrant.io._arrow import ParquetTable


@contextmanager
def open_table(
    path: str, delimiter: str | None = None, header: bool | None = True
) -> Iterator[Table]:
    """Open a file as a table; it can be read inside of the with-block."""
    with open_source(path) as source:
        if source.format == "csv":
            yield CsvTable(source, delimiter, header)
        elif source.format == "npz":
            yield read_npz(source)
        elif source.format == "npy":
            yield read_npy(source)
        else:
            from calibrant.io._arrow import ArrowTable, ParquetTable

            yield ParquetTable(source) if source.format == "parquet" else ArrowTable(source)


@contextmanager
def open_parquet(path: str) -> Iterator[ParquetTable]:
    """Open a Parquet file, of which parts can be read."""
    with open_source(path) as source:
        if source.format != "parquet":
            raise InputError(
                Problem.FORMAT,
                f"only Parquet files can be scanned; this is {source.format}",
                source=path,
                remedy="read it with `read_predictions`, or write it as Parquet",
            )
        from calibrant.io._arrow import ParquetTable

        yield ParquetTable(source)
