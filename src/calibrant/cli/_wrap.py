"""Long lines on a narrow terminal: continued below the column that they began in."""

from __future__ import annotations

import re
import textwrap

#: where a column begins: at the first character, or after two blanks
_COLUMN = re.compile(r"(?:^ *|  +)(?=\S)")
_NARROWEST = 20
#: so many columns are a table
_TABLE = 5


def wrapped(text: str, width: int) -> str:
    """Wrap the lines that are longer than `width`."""
    width = max(width, _NARROWEST)
    return "\n".join(
        line if len(line) <= width else "\n".join(_parts(line, width)) for line in text.split("\n")
    )


def _parts(line: str, width: int) -> list[str]:
    starts = [found.end() for found in _COLUMN.finditer(line)]
    # the last column that leaves room; a row of a table goes on below its first cell
    room = 0.55 * width if len(starts) < _TABLE else 0
    hang = max((start for start in starts if start <= room), default=0)
    return textwrap.wrap(
        line[hang:],
        width,
        initial_indent=line[:hang],
        subsequent_indent=" " * (hang if hang > starts[0] else hang + 4),
        replace_whitespace=False,
        break_on_hyphens=False,
        break_long_words=False,
    )
