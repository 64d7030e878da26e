"""Long lines on a narrow terminal: continued below the column that they began in."""

from __future__ import annotations

import re
import textwrap

#: where a column begins: at the first character, or after two blanks
_COLUMN = re.compile(r"(?:^ *|  +)(?=\S)")
_NARROWEST = 20


def wrapped(text: str, width: int) -> str:
    """Wrap the lines that are longer than `width`."""
    width = max(width, _NARROWEST)
    return "\n".join(
        line if len(line) <= width else "\n".join(_parts(line, width)) for line in text.split("\n")
    )


def _parts(line: str, width: int) -> list[str]:
    # the last column that leaves half of the width, so that tables stay tables
    starts = [found.end() for found in _COLUMN.finditer(line)]
    hang = max((start for start in starts if start <= width // 2), default=0)
    head, tail = line[:hang], line[hang:]
    return textwrap.wrap(
        tail,
        width,
        initial_indent=head,
        subsequent_indent=" " * hang,
        drop_whitespace=True,
        replace_whitespace=False,
        break_on_hyphens=False,
    )
