"""The registry of file formats: how each is recognized, named and opened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibrant.io._options import ReadOptions
from calibrant.io._table import Table

if TYPE_CHECKING:
    from calibrant.io._source import Source


@dataclass(frozen=True)
class FileFormat:
    """A file format: its name in results and sentences, and its reader.

    A file begins with one of the `magic` bytes, if there are any; `suffixes` are the usual ends of
    file names. Text is read from a byte stream, compressed or not.
    """

    name: str
    title: str
    open: Callable[[Source, ReadOptions], Table]
    magic: tuple[bytes, ...] = ()
    suffixes: tuple[str, ...] = ()
    is_text: bool = False
    needs_pyarrow: bool = False


def _open_csv(source: Source, options: ReadOptions) -> Table:
    from calibrant.io._csv import CsvTable

    return CsvTable(source, options)


def _open_json(source: Source, options: ReadOptions) -> Table:
    from calibrant.io._json import JsonTable

    return JsonTable(source, options.drop_missing, options.percent)


def _open_npz(source: Source, options: ReadOptions) -> Table:
    from calibrant.io._npz import read_npz

    return read_npz(source)


def _open_npy(source: Source, options: ReadOptions) -> Table:
    from calibrant.io._npz import read_npy

    return read_npy(source)


def _open_parquet(source: Source, options: ReadOptions) -> Table:
    from calibrant.io._arrow import ParquetTable

    return ParquetTable(source)


def _open_arrow(source: Source, options: ReadOptions) -> Table:
    from calibrant.io._arrow import ArrowTable

    return ArrowTable(source)


_ROWS = (
    FileFormat("csv", "CSV", _open_csv, is_text=True),
    FileFormat("json", "JSON", _open_json, is_text=True),
    FileFormat("eval", "eval archive", _open_json),
    FileFormat("npz", "npz", _open_npz, (b"PK\x03\x04", b"PK\x05\x06"), (".npz",)),
    FileFormat("npy", "npy", _open_npy, (b"\x93NUMPY",), (".npy",)),
    FileFormat(
        "parquet", "Parquet", _open_parquet, (b"PAR1",), (".parquet", ".pq"), needs_pyarrow=True
    ),
    FileFormat(
        "arrow", "Arrow", _open_arrow, (b"ARROW1",), (".arrow", ".feather", ".ipc"),
        needs_pyarrow=True,
    ),
    FileFormat("arrow stream", "Arrow", _open_arrow, (b"\xff\xff\xff\xff",), needs_pyarrow=True),
)  # fmt: skip
FORMATS = {row.name: row for row in _ROWS}
#: names of formats in sentences, including the dialects of text that readers distinguish
TITLES = {row.name: row.title for row in _ROWS} | {"tsv": "TSV", "jsonl": "JSON Lines"}
