"""Output of results: a page of text for people, or a JSON document for programs."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import click

from calibrant._output import (
    Section,
    document,
    join_sections,
    one_line,
    replacing,
    to_json,
    wrap_lines,
)
from calibrant.cli._exit import Failure
from calibrant.cli._streams import emit


@dataclass(frozen=True)
class Page:
    """The text for people: one sentence, then sections."""

    headline: str
    sections: tuple[Section, ...] = ()
    alarm: bool = False

    def text(self, width: int | None = None, *, color: bool = False) -> str:
        """Return the page as text, for a terminal with that many columns."""
        headline = "\n".join(wrap_lines([one_line(self.headline)], width))
        if not color:
            return headline + join_sections(self.sections, width)
        looks = (partial(click.style, fg="cyan"), partial(click.style, bold=True))
        shown = click.style(headline, fg="red" if self.alarm else "green", bold=True)
        return shown + join_sections(self.sections, width, *looks)


@dataclass(frozen=True)
class Output:
    """The destination of the result: standard output, as a page or, with `-`, as JSON."""

    json: str | None = None

    def show(self, command: str, page: Page, content: Any) -> None:
        """Print the page and write the document."""
        if self.json is not None:
            text = to_json(document(command, content))
            if self.json == "-":
                emit(text, encoding="utf-8")  # JSON is UTF-8 in any terminal
                return
            write_text(self.json, text)
        show_page(page)


def as_placed(lines: Iterable[str]) -> tuple[Section, ...]:
    """Return preformatted lines as the sections of a page."""
    return (Section(verbatim=tuple(lines)),)


def output_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option --json to a command."""
    return click.option(
        "--json",
        metavar="FILE",
        help="Write the result as JSON; `-` prints it instead of the page.",
    )(function)


def show_page(page: Page) -> None:
    """Print a page, with colors if the terminal supports them."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    emit(f"{page.text(width, color=wants_color())}\n")


def wants_color() -> bool:
    """Return whether standard output is a terminal with colors."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain


def write_text(path: str, text: str) -> None:
    """Write a text file atomically."""
    # backslash escapes of lone surrogates, from file names that are not UTF-8, are valid JSON
    write_bytes(path, text.encode(errors="backslashreplace"))


def write_bytes(path: str, content: bytes) -> None:
    """Write a file atomically."""
    try:
        with replacing(Path(path)) as stream:
            stream.write(content)
    except OSError as error:
        raise unwritable(path, error) from error


def unwritable(path: str, error: OSError) -> Failure:
    """Return the failure of a file that cannot be written."""
    return Failure(f"{one_line(path)}: cannot be written: {error.strerror or error}")
