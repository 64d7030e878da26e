"""Tables and sections of text, as shown in terminals, text files and notebooks."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape

from calibrant._output._words import one_line

_GAP = "  "
#: style of a cell in a notebook
_CELL = "padding:2px 10px 2px 0;vertical-align:top"
_INDENT = "  "
#: minimum width of a terminal
_NARROWEST = 20
#: with at least this many columns, a long row continues below its first cell
_MANY = 5
#: with fewer columns, a row continues below the last one that starts within this share of the width
_ROOM = 0.55


@dataclass(frozen=True)
class Table:
    """Rows of text in columns.

    Attributes
    ----------
    rows : tuple of tuples of str
        The cells.
    columns : tuple of str
        Names of the columns; empty for a list of facts.
    numeric : frozenset of int
        Columns of numbers, which are right-aligned.
    caption : str
        The caption.
    left_out : int
        Number of rows that are not shown.
    indent : str
        Indentation of every line.

    Examples
    --------
    >>> Table((("cat", "9"), ("dog", "10")), ("class", "rows"), frozenset({1})).lines()
    ['class  rows', 'cat       9', 'dog      10']
    """

    rows: tuple[tuple[str, ...], ...]
    columns: tuple[str, ...] = ()
    numeric: frozenset[int] = frozenset()
    caption: str = ""
    left_out: int = 0
    indent: str = ""

    def cut(self, limit: int) -> Table:
        """Return the first rows."""
        if len(self.rows) <= limit:
            return self
        return replace(self, rows=self.rows[:limit], left_out=len(self.rows) - limit)

    def lines(self, width: int | None = None, paint: Callable[[str], str] = str) -> list[str]:
        """Return the table as text, wrapped to a width; `paint` colors the names of facts."""
        header = [self.columns] if self.columns else []
        rows = [tuple(map(one_line, row)) for row in self.rows]
        widths = [max(map(len, column)) for column in zip(*header, *rows, strict=True)]
        lines = [line for row in header for line in self._row(row, widths, width, str)]
        paint = str if self.columns else paint
        lines += [line for row in rows for line in self._row(row, widths, width, paint)]
        more = [f"{self.indent}… and {self.left_out} more"] if self.left_out else []
        return lines + more

    def html(self) -> str:
        """Return the table for a notebook."""
        head = (
            f"<thead>{_html_row(self.columns, 'th', self.numeric)}</thead>" if self.columns else ""
        )
        body = "".join(_html_row(row, "td", self.numeric) for row in self.rows)
        more = f"<p>… and {self.left_out} more</p>" if self.left_out else ""
        return f"<table>{head}<tbody>{body}</tbody></table>{more}"

    def without(self, names: Collection[str]) -> Table | None:
        """Return the table without the facts with these names, or None if nothing remains."""
        rows = tuple(row for row in self.rows if self.columns or row[0] not in names)
        return replace(self, rows=rows) if rows else None

    def _row(
        self,
        row: Sequence[str],
        widths: Sequence[int],
        width: int | None,
        paint: Callable[[str], str],
    ) -> list[str]:
        cells = [
            cell.rjust(size) if k in self.numeric else cell.ljust(size)
            for k, (cell, size) in enumerate(zip(row, widths, strict=True))
        ]
        line = self.indent + _GAP.join(cells).rstrip()
        lines = [line] if width is None else wrap(line, width, *self._hang(widths, width))
        start = len(self.indent)
        name = lines[0][start : start + len(row[0])]
        return [lines[0][:start] + paint(name) + lines[0][start + len(name) :], *lines[1:]]

    def _hang(self, widths: Sequence[int], width: int) -> tuple[int, int]:
        """Return the column after which a long row may break, and where it continues."""
        starts = [len(self.indent)]
        for size in widths[:-1]:
            starts.append(starts[-1] + size + len(_GAP))
        room = _ROOM * max(width, _NARROWEST) if len(starts) < _MANY else 0
        last = max((start for start in starts if start <= room), default=starts[0])
        return (last, last) if last > starts[0] else (last, last + 4)


@dataclass(frozen=True)
class Section:
    """A section of a text, all parts of which are optional.

    Attributes
    ----------
    heading : str
        The heading.
    sentences : tuple of str
        Sentences, one per line, indented.
    table : Table or None
        A table.
    verbatim : tuple of str
        Preformatted lines.
    """

    heading: str = ""
    sentences: tuple[str, ...] = ()
    table: Table | None = None
    verbatim: tuple[str, ...] = ()

    def lines(
        self,
        width: int | None = None,
        paint: Callable[[str], str] = str,
        emphasize: Callable[[str], str] = str,
    ) -> list[str]:
        """Return the section as text, wrapped to a width."""
        lines = [emphasize(one_line(self.heading))] if self.heading else []
        sentences = (_INDENT + one_line(sentence) for sentence in self.sentences)
        lines += wrap_lines((*sentences, *map(one_line, self.verbatim)), width)
        return lines if self.table is None else lines + self.table.lines(width, paint)

    def html(self) -> str:
        """Return the section for a notebook."""
        heading = f"<p>{escape(self.heading)}</p>" if self.heading else ""
        sentences = (*self.sentences, *self.verbatim)
        items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
        table = "" if self.table is None else self.table.html()
        return heading + (f"<ul>{items}</ul>" if items else "") + table

    @property
    def follows_directly(self) -> bool:
        """Whether this section follows a verdict without a blank line."""
        return not self.heading and self.table is None


def facts(rows: Iterable[tuple[str, str]], indent: str = _INDENT) -> Table:
    """Return pairs of a name and a text as a table without a header."""
    return Table(tuple(rows), indent=indent)


def join_sections(
    sections: Sequence[Section],
    width: int | None = None,
    paint: Callable[[str], str] = str,
    emphasize: Callable[[str], str] = str,
) -> str:
    """Return the text after a verdict, with blank lines between sections."""
    text = ""
    for k, section in enumerate(sections):
        between = "\n" if k == 0 and section.follows_directly else "\n\n"
        text += between + "\n".join(section.lines(width, paint, emphasize))
    return text


def wrap(line: str, width: int, begins: int, hang: int) -> list[str]:
    """Break a long line between words, after column `begins`, and continue at `hang`."""
    width = max(width, _NARROWEST)
    if len(line) <= width:
        return [line]
    return textwrap.wrap(
        line[begins:],
        width,
        initial_indent=line[:begins],
        subsequent_indent=" " * hang,
        replace_whitespace=False,
        break_on_hyphens=False,
        break_long_words=False,
    )


def wrap_lines(lines: Iterable[str], width: int | None) -> list[str]:
    """Break long lines, with continuations indented by four columns."""
    if width is None:
        return list(lines)
    starts = ((line, len(line) - len(line.lstrip())) for line in lines)
    return [part for line, start in starts for part in wrap(line, width, start, start + 4)]


def _html_row(cells: Sequence[str], tag: str, numeric: frozenset[int]) -> str:
    styles = [
        f"{_CELL};text-align:{'right' if k in numeric else 'left'}" for k in range(len(cells))
    ]
    row = (f'<{tag} style="{style}">{escape(cell)}</{tag}>'
           for style, cell in zip(styles, cells, strict=True))  # fmt: skip
    return f"<tr>{''.join(row)}</tr>"
