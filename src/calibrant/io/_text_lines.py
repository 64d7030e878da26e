"""The lines of a text file, without comments above the header."""

from __future__ import annotations

import codecs
import io
import re
from typing import IO, TYPE_CHECKING

from calibrant.errors import InputError, Problem
from calibrant.io._options import ENCODING

if TYPE_CHECKING:
    from calibrant.io._source import Source

#: longest line of a file of predictions
LONGEST_LINE = 8 << 20
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
#: a first line that names the delimiter, as in Excel
_NAMED_DELIMITER = re.compile(r"sep=(.)\s*", re.IGNORECASE)
#: a comment above the header: `#` and a blank, or words that form one cell
_COMMENT = re.compile(r"#+(?:\s|[^,;|\t]*$)")
#: most comments above a header
_MOST_COMMENTS = 1000
_NUMBER = re.compile(r"[+-]?\d*[.,]?\d+(?:[eE][+-]?\d+)?\s*%?")


def encoding_of(source: Source, given: str | None) -> str:
    """Return the encoding of a text file: the given one, UTF-16 if it has its mark, or UTF-8."""
    with source.open() as stream:
        head = stream.read(4)
    if head.startswith(_UTF16):
        return "utf-16"
    try:
        return "utf-8-sig" if given is None else codecs.lookup(given).name
    except LookupError:
        raise InputError(
            Problem.TEXT,
            "must be the name of an encoding",
            argument="`encoding`",
            got=repr(given),
            remedy=("for example ", ENCODING),
        ) from None


class text_lines:  # noqa: N801 - read as a verb
    """The lines of a text file, with a limit on their length.

    Comments above the header, and a first line that names the delimiter, `sep=;`, are returned as
    blank lines. `np.savetxt` writes the header itself as the last comment.
    """

    #: the delimiter that the first line names
    delimiter: str | None = None

    def __init__(self, source: Source, encoding: str) -> None:
        self._source = source
        self._encoding = encoding
        self._number = 0
        self._ahead: list[str] = []

    def __enter__(self) -> text_lines:
        self._bytes: IO[bytes] = self._source.open()
        # csv needs unchanged line ends
        self._text = io.TextIOWrapper(self._bytes, encoding=self._encoding, newline="")
        return self

    def __exit__(self, *_: object) -> None:
        self._text.close()

    def __iter__(self) -> text_lines:
        return self

    def __next__(self) -> str:
        if self._ahead:
            return self._ahead.pop(0)
        line = self._read()
        if not line:
            raise StopIteration
        return self._first(line) if self._number == 1 else line

    def _read(self) -> str:
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
                remedy=(
                    "if a Western European Windows program wrote it, pass ",
                    ENCODING,
                    "; else name its encoding, or save it in UTF-8",
                ),
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
                "contains a zero byte: this is not text",
                source=name,
                line=self._number,
                hint="the file is broken or of another kind",
                remedy="write it again",
            )
        return line

    def _first(self, line: str) -> str:
        named = _NAMED_DELIMITER.fullmatch(line)
        self.delimiter = named[1] if named else None
        if named or not _COMMENT.match(line):
            return "\n" if named else line
        block = [line]
        while _COMMENT.match(block[-1]) and len(block) < _MOST_COMMENTS:
            block.append(self._read())
        *comments, last, below = block
        is_header = _has_number(below) and len(_cells(last)) == len(_cells(below)) > 1
        self._ahead = ["\n"] * len(comments)
        self._ahead += [last.lstrip("#").lstrip() if is_header else "\n", *filter(None, [below])]
        return self._ahead.pop(0)


def _cells(line: str) -> list[str]:
    """Split a line at the first usual delimiter that it contains, or at blanks."""
    text = line.lstrip("#").strip()
    marks = [mark for mark in ",;|\t" if mark in text]
    return text.split(marks[0]) if len(marks) == 1 else re.split(r"[,;|\s]+", text)


def _has_number(line: str) -> bool:
    return any(_NUMBER.fullmatch(cell.strip(' "')) for cell in _cells(line))
