"""The right reader for a file."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from calibrant.io._csv import CsvTable
from calibrant.io._npz import read_npy, read_npz
from calibrant.io._source import open_source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibrant.io._table import Table


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
            from calibrant.io._arrow import ArrowTable

            yield ArrowTable(source)
