"""CSV and TSV, with pyarrow's reader if it is installed, else the standard library's.

The fast reader accepts only plain text, in which both see the same rows, and gives up on anything
else. The careful reader then reads the file from the start, and either understands it or names the
line that it does not understand.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._execution import limits
from calibrant.io._csv_dialect import Dialect, find_dialect, records
from calibrant.io._csv_numbers import bits, floats
from calibrant.io._growing import GrowingCodes, GrowingMatrix, Texts, cell
from calibrant.io._layouts import numbers_beside
from calibrant.io._nested import Nested, may_hold_several, named_cell, nested_in, parse_cell
from calibrant.io._options import ReadOptions
from calibrant.io._table import Content, Progress, Request, Table

if TYPE_CHECKING:
    from calibrant.io._source import Source


class CsvTable(Table):
    """A text file; the header line is optional unless `options.header` is True."""

    def __init__(self, source: Source, options: ReadOptions) -> None:
        self.name = source.name
        self._source = source
        self._dialect = find_dialect(source, options)
        self.format = "tsv" if self._dialect.delimiter == "\t" else "csv"
        self._missing = options.drop_missing  # words such as NA are missing numbers
        self._signs = options.percent  # only some numbers may have a percent sign
        self.percent = self._dialect.percent
        self.has_names, self.writing = self._dialect.has_names, self._dialect.writing
        self._nested = self._find_nested()
        #: columns that list the classes of the numbers in other columns
        self._listed = self._find_listed()
        self.lists = frozenset(
            name
            for name, cells in self.sample().items()
            if name not in self._nested and any(isinstance(parse_cell(c), list) for c in cells)
        )
        self.widths = dict.fromkeys(self._dialect.columns, 1) | {
            name: nested.width for name, nested in self._nested.items()
        }
        self.inner_names = {
            name: nested.names for name, nested in self._nested.items() if nested.names is not None
        }

    @property
    def source(self) -> Source:
        """The file."""
        return self._source

    @property
    def dialect(self) -> Dialect:
        """How the file is written."""
        return self._dialect

    def read(self, request: Request, progress: Progress | None = None) -> Content:
        """Read the requested columns: numbers as float64, labels as texts."""
        if not self._nested:
            return self._read(request, progress)
        return self._unfolded(request, self._read(self._folded(request), progress))

    def reorder(self, column: str, names: tuple[str, ...]) -> None:
        """Change the order in which the named numbers of a column's cells are returned."""
        self._nested[column] = Nested(len(names), names)
        self.inner_names = {**self.inner_names, column: names}

    def sample(self) -> Mapping[str, Sequence[str]]:
        """Return the cells of the first rows."""
        return self._sample

    @cached_property
    def _sample(self) -> Mapping[str, Sequence[str]]:
        # every column looks here, and there may be very many
        cells = zip(*self._dialect.sample, strict=True)
        return dict(zip(self._dialect.columns, cells, strict=False))

    def _read(self, request: Request, progress: Progress | None) -> Content:
        found = _read_fast(self._source, self._dialect, request, progress)
        if found is not None:
            return found
        return _read_carefully(
            self._source, self._dialect, request, progress, self._missing, self._signs
        )

    def _find_nested(self) -> dict[str, Nested]:
        """Return the columns whose cells are lists or mappings by class."""
        found = {}
        for name, cells in self.sample().items():
            if any(map(may_hold_several, cells)):
                nested = nested_in(parse_cell(text or None) for text in cells)
                if nested is not None:
                    found[name] = nested
        return found

    def _find_listed(self) -> dict[str, str]:
        """Find the columns that list the classes of columns of lists, and store these classes."""
        sample, listed = self.sample(), {}
        for name in sample:
            numbers = numbers_beside(name, self._nested)
            if numbers is None or numbers == name:
                continue
            pairs = zip(sample[name], sample[numbers], strict=True)
            nested = nested_in(named_cell(parse_cell(a), parse_cell(b)) for a, b in pairs)
            if nested is not None and nested.names is not None:
                self._nested[numbers], listed[numbers] = nested, name
        return listed

    def _folded(self, request: Request) -> Request:
        """Return a request that reads cells of several numbers as texts."""
        lists = [name for names in request.matrices.values() for name in names]
        nested = [name for name in lists if name in self._nested]
        listed = [self._listed[name] for name in nested if name in self._listed]
        texts = dict.fromkeys([*request.texts, *nested, *listed])
        matrices = {
            key: [name for name in names if name not in self._nested]
            for key, names in request.matrices.items()
        }
        return Request(matrices, request.numbers, tuple(texts))

    def _unfolded(self, request: Request, content: Content) -> Content:
        matrices = dict(content.matrices)
        for key, names in request.matrices.items():
            parts, at = [], 0
            for name in names:
                if name in self._nested:
                    cells = _cells(content.texts[name])
                    if name in self._listed:
                        cells = map(named_cell, _cells(content.texts[self._listed[name]]), cells)
                    parts.append(self._nested[name].matrix(cells, self.name, name))
                else:
                    parts.append(content.matrices[key][:, at : at + 1])
                    at += 1
            matrices[key] = np.ascontiguousarray(np.hstack(parts))
        kept = {name: texts for name, texts in content.texts.items() if name in request.texts}
        return replace(content, matrices=matrices, texts=kept)


def _cells(texts: Any) -> Iterable[Any]:
    return map(parse_cell, texts.objects()) if isinstance(texts, Texts) else ()


class _Sink:
    """The requested columns, growing row by row."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._matrices = {
            name: GrowingMatrix(len(columns), np.float64)
            for name, columns in request.matrices.items()
        }
        self._numbers = {name: GrowingMatrix(1, np.float64) for name in request.numbers}
        self.texts = {name: GrowingCodes() for name in request.texts}

    def add_numbers(self, columns: dict[str, Any]) -> None:
        for name, wanted in self._request.matrices.items():
            self._matrices[name].append([columns[column] for column in wanted])
        for name, numbers in self._numbers.items():
            numbers.append([columns[name]])

    def content(self) -> Content:
        return Content(
            {name: matrix.finish() for name, matrix in self._matrices.items()},
            {name: numbers.finish()[:, 0] for name, numbers in self._numbers.items()},
            {name: codes.finish() for name, codes in self.texts.items()},
        )


def number_columns(request: Request) -> list[str]:
    """Return the columns to read as numbers, each once."""
    wanted = [name for names in request.matrices.values() for name in names]
    return list(dict.fromkeys([*wanted, *request.numbers]))


def _read_fast(
    source: Source, dialect: Dialect, request: Request, progress: Progress | None
) -> Content | None:
    """Read with pyarrow; return None if it is missing or the file is not plain text and numbers."""
    try:
        import pyarrow as pa
        import pyarrow.csv
    except ImportError:
        return None
    numbers = number_columns(request)
    if dialect.encoding != "utf-8-sig" or dialect.decimal != ".":
        return None
    if dialect.percent.intersection(numbers) or set(numbers) & set(request.texts):
        return None
    n_lines = plain_lines(source, dialect.delimiter)
    if n_lines is None:
        return None
    sink = _Sink(request)
    try:
        n_rows = _parse(source, dialect, numbers, sink, progress)
    except (pa.ArrowException, ValueError, OSError):
        return None
    has_header = dialect.header_lines > 0
    return sink.content() if n_rows == n_lines - has_header else None


def _parse(
    source: Source, dialect: Dialect, numbers: list[str], sink: _Sink, progress: Progress | None
) -> int:
    """Append the batches that pyarrow reads to the columns; return the number of rows."""
    import pyarrow as pa
    import pyarrow.csv as pa_csv

    types = dict.fromkeys(numbers, pa.float64()) | dict.fromkeys(sink.texts, pa.string())
    n_rows = 0
    # not a Python file object, an exception in which would block a pyarrow thread forever
    with pa.OSFile(os.fsencode(source.path)) as raw, _decompressed(raw, source) as stream:
        reader = pa_csv.open_csv(
            stream,
            pa_csv.ReadOptions(
                use_threads=False,
                block_size=limits().csv_bytes,
                column_names=list(dialect.columns),
                skip_rows=dialect.header_lines,
            ),
            pa_csv.ParseOptions(delimiter=dialect.delimiter),
            pa_csv.ConvertOptions(column_types=types, include_columns=list(types), null_values=[]),
            memory_pool=pa.system_memory_pool(),
        )
        for batch in reader:
            n_rows += batch.num_rows
            columns = {name: batch.column(name) for name in types}
            sink.add_numbers({name: _memory(columns[name], np.float64) for name in numbers})
            for name, codes in sink.texts.items():
                coded = columns[name].dictionary_encode()
                values = [cell(value) for value in coded.dictionary.to_pylist()]
                codes.append_coded(_memory(coded.indices, np.int32), values)
            if progress is not None:
                progress(raw.tell(), source.size)
    return n_rows


def plain_lines(source: Source, delimiter: str) -> int | None:
    """Count the non-blank lines; return None if CSV readers could disagree about the rows.

    Plain text is UTF-8 without zero bytes. Quotes enclose only whole cells without quotes and line
    ends, so that no reader can take a stray quote for the start of a long cell. Takes one pass over
    the file, in blocks of complete lines.
    """
    if delimiter == " ":  # several blanks may be one delimiter
        return None
    mark = re.escape(delimiter)
    quoted_cell = re.compile(rf'"(?<![^{mark}\r\n]")[^"\r\n]*"(?![^{mark}\r\n])')
    encoding, n_lines, size = "utf-8-sig", 0, limits().csv_bytes
    with source.open() as stream:
        while block := stream.read(size) + stream.readline(size):
            try:
                lines = block.decode(encoding)
            except UnicodeDecodeError:
                return None
            if len(block) == 2 * size or "\0" in lines:
                return None
            quotes = lines.count('"')
            if quotes and quotes != 2 * len(quoted_cell.findall(lines)):
                return None
            encoding = "utf-8"  # a byte order mark is only at the start
            n_lines += _filled_lines(block)
    return n_lines


def _filled_lines(block: bytes) -> int:
    """Count the non-blank lines."""
    if b"\r" in block or b"\n\n" in block or block[:1] == b"\n":
        return sum(map(bool, block.splitlines()))
    return block.count(b"\n") + (block[-1:] != b"\n")


def _memory(column: Any, dtype: Any) -> Any:
    """Return a column without missing values as a NumPy array; `to_numpy` would load pandas."""
    values = np.frombuffer(column.buffers()[1] or b"", dtype)
    return values[column.offset : column.offset + len(column)]


def _decompressed(raw: Any, source: Source) -> Any:
    import pyarrow as pa

    return pa.CompressedInputStream(raw, "gzip") if source.gzipped else raw


def _read_carefully(
    source: Source,
    dialect: Dialect,
    request: Request,
    progress: Progress | None,
    missing: bool = False,
    signs: bool = False,
) -> Content:
    sink = _Sink(request)
    numbers = number_columns(request)
    position = {name: i for i, name in enumerate(dialect.columns)}
    rows = records(source, dialect)
    one_hot = request.matrices.get("labels", ())
    done = 0
    while block := list(islice(rows, limits().csv_rows)):
        lines = [line for line, _ in block]
        cells = list(zip(*(record for _, record in block), strict=True))
        sink.add_numbers(
            {
                name: floats(
                    source,
                    name,
                    bits(cells[position[name]]) if name in one_hot else cells[position[name]],
                    lines,
                    dialect,
                    missing,
                    signs,
                )
                for name in numbers
            }
        )
        for name, codes in sink.texts.items():
            codes.append([cell(text) for text in cells[position[name]]])
        if progress is not None:
            # approximately the bytes of the cells and their delimiters
            done += sum(len(text) + 1 for column in cells for text in column)
            progress(min(done, source.size), source.size)
    return sink.content()
