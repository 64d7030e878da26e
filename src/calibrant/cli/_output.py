"""Results: a page for people on standard output, one JSON document for programs."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from calibrant.cli._exit import Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True)
class Page:
    """What a person sees: one sentence, then plain lines."""

    headline: str
    body: str = ""
    alarm: bool = False

    @property
    def text(self) -> str:
        """The page as plain text."""
        return f"{self.headline}\n{self.body.rstrip()}".rstrip()

    def wrapped(self, width: int) -> Page:
        """Return the page for a terminal of so many columns."""
        from calibrant.cli._wrap import wrapped

        return replace(self, headline=wrapped(self.headline, width), body=wrapped(self.body, width))


@dataclass(frozen=True)
class Output:
    """Where the result goes: always to standard output, as a page or, with `-`, as JSON."""

    json: str | None = None

    def show(self, command: str, page: Page, content: Mapping[str, Any]) -> None:
        """Print the page and write the document."""
        document = envelope(command, content)
        if self.json == "-":
            emit(document)
            return
        if self.json is not None:
            write_text(self.json, document)
        show_page(page)


def output_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the option --json."""
    return click.option(
        "--json",
        metavar="FILE",
        help="Write the result as JSON; `-` prints it instead of the page.",
    )(function)


def envelope(command: str, content: Mapping[str, Any]) -> str:
    """Return the JSON document of a command, the same bytes for the same result."""
    from calibrant._document import document, to_json

    return to_json(document(command, content))


def show_page(page: Page) -> None:
    """Print a page, with colours on a terminal that wants them."""
    if sys.stdout.isatty():
        page = page.wrapped(shutil.get_terminal_size().columns)
    if not wants_colour():
        emit(f"{page.text}\n")
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(soft_wrap=True, highlight=False)
    console.print(Text(page.headline, style="bold red" if page.alarm else "bold green"))
    body = Text(page.body.rstrip())
    body.highlight_regex(r"(?m)^  [\w.-]+(?: [\w.-]+)*(?=  )", "cyan")
    body.highlight_regex(r"(?m)^\S.*:$", "bold")
    console.print(body)


def wants_colour() -> bool:
    """Say whether standard output is a terminal that shows colours."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain


def emit(text: str) -> None:
    """Write to standard output; a reader that has seen enough is no error."""
    try:
        click.echo(text, nl=False)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def write_text(path: str, text: str) -> None:
    """Write a file that is there completely or not at all."""
    from calibrant.io._replace import replacing

    try:
        with replacing(Path(path)) as stream:
            stream.write(text.encode())
    except OSError as error:
        raise Failure(f"{path}: cannot be written: {error.strerror or error}") from error
