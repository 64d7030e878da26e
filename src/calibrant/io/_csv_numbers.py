"""Parsing of numbers in text files: decimal commas, percent signs, and missing values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.errors import InputError, Problem, Words
from calibrant.io._csv_dialect import Dialect
from calibrant.io._missing import is_missing
from calibrant.io._options import DROP_MISSING, PERCENT, PROB, WEIGHT

if TYPE_CHECKING:
    from calibrant.io._source import Source


def bits(cells: Sequence[str]) -> Sequence[str]:
    """Convert True and False, which pandas writes in one-hot columns, to 1 and 0."""
    words = {"true": "1", "false": "0"}
    return [words.get(text.strip().lower(), text) for text in cells]


def floats(
    source: Source,
    name: str,
    cells: Sequence[str],
    lines: Sequence[int],
    dialect: Dialect | None = None,
    missing: bool = False,
    signs: bool = False,
) -> Any:
    """Return the numbers in some cells of a column; refuse the first cell without a number."""
    percent = dialect is not None and name in dialect.percent
    commas = dialect is not None and dialect.decimal == ","
    if not (percent or commas or _has_strange_digits(cells)):
        try:
            return np.array([float(text) for text in cells])
        except ValueError:
            pass
    writing = _Writing(source.name, name, percent, commas, missing, signs)
    return np.array([writing.number(text, line) for text, line in zip(cells, lines, strict=True)])


def _has_strange_digits(cells: Sequence[str]) -> bool:
    """Return whether cells have numbers that only Python accepts: 1_000 and non-ASCII digits."""
    joined = "".join(cells)
    return "_" in joined or not joined.isascii()


@dataclass(frozen=True)
class _Writing:
    """How the numbers of a column are written."""

    file: str
    column: str
    percent: bool
    commas: bool
    missing: bool
    signs: bool

    def number(self, text: str, line: int) -> float:
        stripped = text.strip()
        if not stripped or (self.missing and is_missing(stripped)):
            return math.nan
        is_signed = stripped.endswith("%")
        digits = stripped.removesuffix("%").rstrip() if self.percent or self.signs else stripped
        if self.commas and "." not in digits:
            digits = digits.replace(",", ".", 1)
        if not _has_strange_digits(digits) and (self.signs or self.percent == is_signed):
            try:
                return float(digits) / (100.0 if self.percent else 1.0)
            except ValueError:
                pass
        shown = text if len(text) <= 40 else f"{text[:37]}..."
        raise InputError(
            Problem.NOT_NUMBERS,
            "must be a number with a percent sign" if self.percent else "must be a number",
            source=self.file,
            line=line,
            column=self.column,
            value=shown,
            remedy=_remedy(stripped, self.column, self.percent),
        )


def _remedy(text: str, name: str, percent: bool) -> Words:
    if text == name:
        return "this line repeats the header: remove it"
    if is_missing(text):
        return ("pass ", DROP_MISSING, " to leave out rows without all values")
    if percent or text.endswith("%"):
        return ("if all numbers are percentages, pass ", PERCENT, "; otherwise write them alike")
    if "," in text:
        return "write decimal points, not commas, and no marks between thousands"
    return ("write numbers only, or choose other columns with ", PROB, " (or ", WEIGHT, ")")
