"""Text in which every CSV reader sees the same rows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from calibrant.io._source import Source

#: bytes that are looked at together; a longer line is not plain
_BLOCK = 1 << 20


def is_plain(source: Source, delimiter: str) -> bool:
    """Say whether every line end ends a row and every delimiter outside quotes a cell.

    Plain text is UTF-8 without zero bytes. Its quotes stand around whole cells, which hold neither
    quotes nor line ends, so that no reader can take a stray quote for the beginning of a long
    cell. One pass over the file, in blocks of complete lines.
    """
    if delimiter == " ":  # several blanks may count as one
        return False
    mark = re.escape(delimiter)
    quoted_cell = re.compile(rf'"(?<![^{mark}\r\n]")[^"\r\n]*"(?![^{mark}\r\n])')
    encoding = "utf-8-sig"
    with source.open() as stream:
        while block := stream.read(_BLOCK) + stream.readline(_BLOCK):
            try:
                lines = block.decode(encoding)
            except UnicodeDecodeError:
                return False
            if len(block) == 2 * _BLOCK or "\0" in lines:
                return False
            quotes = lines.count('"')
            if quotes and quotes != 2 * len(quoted_cell.findall(lines)):
                return False
            encoding = "utf-8"  # a byte order mark stands at the beginning only
    return True
