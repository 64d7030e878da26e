"""How a text file is written: its encoding, its delimiter, its header."""

from __future__ import annotations

import codecs
import csv
import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from calibrant.errors import Argument, InputError, Problem, Words
from calibrant.io._options import DELIMITER

if TYPE_CHECKING:
    from calibrant.io._source import Source

#: a longer line is not a row of predictions
LONGEST_LINE = 8 << 20
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LISTED = 8


@dataclass(frozen=True)
class Dialect:
    """What is needed to read the rows."""

    encoding: str
    delimiter: str
    columns: tuple[str, ...]
    header_lines: int


def find_dialect(source: Source, delimiter: str | None, header: bool | None = True) -> Dialect:
    """Read the first line and find out how the file is written.

    `header` says whether that line names the columns; None: unless it looks like data. Columns
    without names are numbered from 0.
    """
    encoding = _encoding(source)
    with text_lines(source, encoding) as lines:
        first = next((line for line in lines if line.strip()), "")
    if not first:
        raise InputError(
            Problem.EMPTY,
            "the file holds blank lines only",
            source=source.name,
            remedy="write a header line and one row per prediction",
        )
    found = delimiter or _delimiter(first, source)
    with text_lines(source, encoding) as lines:
        rows = csv.reader(lines, delimiter=found, skipinitialspace=True, strict=True)
        names = tuple(cell.strip() for cell in next(_records(rows, source)))
        used = rows.line_num
    if header is False or (header is None and _looks_like_data(names)):
        names, used = tuple(map(str, range(len(names)))), 0
        return Dialect(encoding, found, names, used)
    _check_header(names, source, found, delimiter is not None)
    return Dialect(encoding, found, names, used)


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


class text_lines:  # noqa: N801 - read as a verb
    """The lines of a text file, none of them too long to hold."""

    def __init__(self, source: Source, encoding: str) -> None:
        self._source = source
        self._encoding = encoding
        self._number = 0

    def __enter__(self) -> text_lines:
        self._bytes: IO[bytes] = self._source.open()
        # csv wants line ends as they are
        self._text = io.TextIOWrapper(self._bytes, encoding=self._encoding, newline="")
        return self

    def __exit__(self, *_: object) -> None:
        self._text.close()

    def __iter__(self) -> text_lines:
        return self

    def __next__(self) -> str:
        self._number += 1
        name = self._source.name
        try:
            line = self._text.readline(LONGEST_LINE)
        except UnicodeError as error:
            reason = error.reason if isinstance(error, UnicodeDecodeError) else error
            raise InputError(
                Problem.TEXT,
                f"or near it is not {self._encoding.removesuffix('-sig').upper()}: {reason}",
                source=name,
                line=self._number,
                remedy="save the file in UTF-8, for example: iconv -f latin1 -t utf-8",
            ) from error
        if len(line) >= LONGEST_LINE:
            raise InputError(
                Problem.TEXT,
                f"has more than {LONGEST_LINE:,} characters: this is not a table of predictions",
                source=name,
                line=self._number,
                remedy="write one line per prediction",
            )
        if "\0" in line:
            raise InputError(
                Problem.TEXT,
                "holds a zero byte: this is not text",
                source=name,
                line=self._number,
                hint="the file is broken or of another kind",
                remedy="write it again",
            )
        if not line:
            raise StopIteration
        return line


def _encoding(source: Source) -> str:
    with source.open() as stream:
        head = stream.read(4)
    return "utf-16" if head.startswith(_UTF16) else "utf-8-sig"


def _delimiter(first: str, source: Source) -> str:
    if source.is_tsv:
        return "\t"
    return "\t" if "\t" in first and "," not in first else ","


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
                    f"holds a cell of more than {csv.field_size_limit():,} characters: this is "
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
        if record:  # blank lines mean nothing
            yield record


def _check_header(names: tuple[str, ...], source: Source, delimiter: str, given: bool) -> None:
    if len(names) == 1:
        other = [mark for mark in (",", "\t", ";", "|") if mark in names[0] and mark != delimiter]
        if other:
            raise InputError(
                Problem.HEADER,
                f"the header is one column, {_short(names[0])!r}, when cut at {_mark(delimiter)}",
                source=source.name,
                hint=f"it looks cut at {_mark(other[0])}",
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
            f"the first line holds numbers ({_short(', '.join(names))}), so it looks like data",
            source=source.name,
            remedy="add a header line, for example: label,p_0,p_1",
        )


def _looks_like_data(names: tuple[str, ...]) -> bool:
    """Take whole numbers in order for names of classes, other numbers for data."""
    try:
        numbers = [float(name) for name in names]
    except ValueError:
        return False
    counted = [list(range(start, start + len(numbers))) for start in (0, 1)]
    return numbers not in counted or len(numbers) < 2


def _ragged(source: Source, dialect: Dialect, line: int, record: list[str]) -> InputError:
    remedy: Words = "the file was cut off or cells hold the delimiter: quote such cells"
    marks = [mark for mark in (",", "\t", ";", "|", " ") if mark != dialect.delimiter]
    if len(record) == 1 and any(mark in record[0] for mark in marks):
        looks = "it looks cut at another mark than the header: write the file again, or pass "
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
