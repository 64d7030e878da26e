"""How a text file is written: encoding, delimiter and header."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from calibrant.errors import Argument, InputError, Problem, Words
from calibrant.io._options import DELIMITER, ReadOptions
from calibrant.io._text_lines import encoding_of, text_lines

if TYPE_CHECKING:
    from calibrant.io._source import Source

_LISTED = 8
#: rows in the sample
_SAMPLE = 100
#: delimiters that are tried if the usual ones are absent, and their names
_MARKS = {";": "semicolons", "|": "bars", " ": "blanks"}
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?\s*%?")
_DECIMAL_POINT = re.compile(r"[+-]?\d*\.\d+(?:[eE][+-]?\d+)?\s*%?")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+")
#: a number with a percent sign
PERCENT = re.compile(r"\s*[+-]?\d*[.,]?\d+(?:[eE][+-]?\d+)?\s*%\s*")


@dataclass(frozen=True)
class Dialect:
    """The information needed to read the rows."""

    encoding: str
    delimiter: str
    columns: tuple[str, ...]
    header_lines: int
    has_names: bool = True
    decimal: str = "."
    #: columns whose numbers all have a percent sign
    percent: frozenset[str] = frozenset()
    #: the first rows
    sample: tuple[tuple[str, ...], ...] = field(default=(), repr=False, compare=False)
    delimiter_given: bool = True
    row_names: bool = False

    @property
    def writing(self) -> tuple[str, ...]:
        """Notes on how the text is written."""
        found = []
        if not self.delimiter_given and self.delimiter not in (",", "\t"):
            found.append(f"split at {_MARKS.get(self.delimiter, repr(self.delimiter))}")
        if self.decimal != ".":
            found.append("decimal commas")
        if self.percent:
            found.append("percent signs")
        if self.row_names:
            found.append("row names")
        if not self.has_names:
            found.append("no header")
        return tuple(found)


def find_dialect(source: Source, options: ReadOptions) -> Dialect:
    """Determine from the first rows how the file is written.

    Columns without names are numbered from 0.
    """
    delimiter, header = options.delimiter, options.header
    encoding = encoding_of(source, options.encoding)
    with text_lines(source, encoding) as lines:
        first = next((line for line in lines if line.strip()), "")
        named = lines.delimiter
    if not first:
        raise InputError(
            Problem.EMPTY,
            "the file contains only blank lines",
            source=source.name,
            remedy="write a header line and one row per prediction",
        )
    found = delimiter or named or _delimiter(first, source, encoding)
    names, rows, used = _first_rows(source, encoding, found)
    has_names = header is not False and not (header is None and _looks_like_data(names))
    if not has_names:
        rows = [names, *rows]
        names, used = tuple(map(str, range(len(names)))), 0
    row_names = has_names and _has_row_names(names, rows)
    if row_names:
        names = ("", *names)
    if has_names:
        _check_header(names, source, found, delimiter is not None)
    sample = tuple(row for row in rows if len(row) == len(names))
    decimal = "," if _has_decimal_commas(sample) else "."
    return Dialect(
        encoding,
        found,
        names,
        used,
        has_names,
        decimal,
        _percent_columns(names, sample),
        sample,
        delimiter_given=delimiter is not None,
        row_names=row_names,
    )


def _first_rows(
    source: Source, encoding: str, delimiter: str
) -> tuple[tuple[str, ...], list[tuple[str, ...]], int]:
    """Return the cells of the first row and of some below, and the lines of the first row."""
    with text_lines(source, encoding) as lines:
        rows = csv.reader(lines, delimiter=delimiter, skipinitialspace=True, strict=True)
        every = _records(rows, source)
        names = tuple(cell.strip() for cell in next(every))
        used = rows.line_num
        try:
            below = [tuple(cell.strip() for cell in row) for row in islice(every, _SAMPLE)]
        except InputError:
            below = []  # reading the whole file will report where and why
    return names, below, used


def _has_row_names(names: tuple[str, ...], rows: list[tuple[str, ...]]) -> bool:
    """Return whether rows begin with a name that the header lacks, as in R's write.table."""
    if not rows or len(names) < 2 or any(len(row) != len(names) + 1 for row in rows):
        return False
    first = [row[0] for row in rows]
    if not all(first) or len(set(first)) < len(first) or not any(row[-1] for row in rows):
        return False
    counted = first == [str(i) for i in range(1, len(first) + 1)]
    return counted or not any(map(_is_number, first))


def _has_decimal_commas(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether commas are decimal commas rather than thousands separators."""
    cells = [cell for row in rows for cell in row]
    commas = [cell for cell in cells if _DECIMAL_COMMA.fullmatch(cell)]
    points = any(_DECIMAL_POINT.fullmatch(cell) for cell in cells)
    return bool(commas) and not points and not all(map(_THOUSANDS.fullmatch, commas))


def _percent_columns(names: Sequence[str], rows: Sequence[Sequence[str]]) -> frozenset[str]:
    found = set()
    for k, name in enumerate(names):
        cells = [row[k] for row in rows if row[k]]
        if cells and all(map(PERCENT.fullmatch, cells)):
            found.add(name)
    return frozenset(found)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def records(source: Source, dialect: Dialect) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows below the header, each with the number of its last line in the file."""
    with text_lines(source, dialect.encoding) as lines:
        rows = csv.reader(lines, delimiter=dialect.delimiter, skipinitialspace=True, strict=True)
        every = _records(rows, source)
        if dialect.header_lines:
            next(every)
        for record in every:
            if len(record) != len(dialect.columns):
                raise _ragged(source, dialect, rows.line_num, record)
            yield rows.line_num, record


def _delimiter(first: str, source: Source, encoding: str) -> str:
    """Return the usual delimiter if the header has it, else the only one that fits all rows."""
    usual = "\t" if source.is_tsv or ("\t" in first and "," not in first) else ","
    others = [mark for mark in (*_MARKS, "\t", ",") if mark in first and mark != usual]
    if not others or _width(source, encoding, usual) > 1:
        return usual
    fitting = [mark for mark in others if _width(source, encoding, mark) > 1]
    if " " in fitting and (len(fitting) > 1 or usual in first):
        fitting.remove(" ")  # blanks are in names and texts
    return fitting[0] if len(fitting) == 1 else usual


def _width(source: Source, encoding: str, mark: str) -> int:
    """Return the common number of cells of the header and the first rows, or 0 if they differ."""
    try:
        names, rows, _ = _first_rows(source, encoding, mark)
    except InputError:
        return 0
    if len(names) > 1 and mark in (",", "\t") and not rows:
        return len(names)
    fits = rows and (all(len(row) == len(names) for row in rows) or _has_row_names(names, rows))
    return len(names) if fits else 0


def _records(rows: Iterator[list[str]], source: Source) -> Iterator[list[str]]:
    while True:
        try:
            record = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            line = getattr(rows, "line_num", 0)
            if "field limit" in str(error):
                raise InputError(
                    Problem.TEXT,
                    f"has a cell of more than {csv.field_size_limit():,} characters: this is "
                    "not a table of predictions",
                    source=source.name,
                    line=line,
                    remedy="write one number or label per cell",
                ) from error
            raise InputError(
                Problem.TEXT,
                f"is not well-formed: {error}",
                source=source.name,
                line=line,
                remedy="double quotes inside a quoted cell, and end every quoted cell with a quote",
            ) from error
        if record:  # skip blank lines
            yield record


def _check_header(names: tuple[str, ...], source: Source, delimiter: str, given: bool) -> None:
    if len(names) == 1:
        other = [mark for mark in (",", "\t", ";", "|") if mark in names[0] and mark != delimiter]
        if other:
            raise InputError(
                Problem.HEADER,
                f"the header is one column, {_short(names[0])!r}, when split at {_mark(delimiter)}",
                source=source.name,
                hint=f"it looks split at {_mark(other[0])}",
                remedy=("pass ", Argument("delimiter", other[0])),
            )
    twice = [name for name, times in Counter(names).items() if name and times > 1]
    if twice:
        raise InputError(
            Problem.HEADER,
            f"the header names {', '.join(map(repr, twice[:_LISTED]))} more than once",
            source=source.name,
            remedy="give every column its own name",
        )
    if names.count("") > 1:
        raise InputError(
            Problem.HEADER,
            f"{names.count('')} columns have no name",
            source=source.name,
            remedy="name every column in the first line",
        )
    if _looks_like_data(names):
        raise InputError(
            Problem.HEADER,
            f"the first line contains numbers ({_short(', '.join(names))}), so it looks like data",
            source=source.name,
            remedy="add a header line, for example: label,p_0,p_1",
        )


def _looks_like_data(names: tuple[str, ...]) -> bool:
    """Return whether names are numbers other than whole numbers in order, which name classes."""
    try:
        numbers = [float(name) for name in names]
    except ValueError:
        return False
    counted = [list(range(start, start + len(numbers))) for start in (0, 1)]
    return numbers not in counted or len(numbers) < 2


def _ragged(source: Source, dialect: Dialect, line: int, record: list[str]) -> InputError:
    remedy: Words = "the file was cut off, or cells contain the delimiter: quote such cells"
    marks = [mark for mark in (",", "\t", ";", "|", " ") if mark != dialect.delimiter]
    if len(record) == 1 and any(mark in record[0] for mark in marks):
        looks = (
            "it looks split at another separator than the header: write the file again, or pass "
        )
        remedy = (looks, DELIMITER)
    return InputError(
        Problem.TEXT,
        f"must have {len(dialect.columns)} cells like the header",
        source=source.name,
        line=line,
        value=len(record),
        remedy=remedy,
    )


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


def _mark(delimiter: str) -> str:
    return "tabs" if delimiter == "\t" else repr(delimiter)
