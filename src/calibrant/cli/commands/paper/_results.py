"""Writing the results of an experiment to its folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from calibrant.cli._exit import Failure
from calibrant.cli._output import Page, show_page, write_text
from calibrant.cli._progress import shown_progress

if TYPE_CHECKING:
    from calibrant.paper import PaperFigure


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Convert write errors into failures with their messages."""
    try:
        yield
    except OSError as error:
        raise Failure(f"{folder}: cannot be written: {error.strerror or error}") from error


def write_figures(folder: Path, figures: Iterable[PaperFigure], quiet: bool) -> None:
    """Write figures as SVG and PDF to FOLDER/figures."""
    drawn = list(figures)
    with shown_progress("drawing", quiet) as progress:
        for done, figure in enumerate(drawn, start=1):
            figure.write(folder / "figures")
            if progress is not None:
                progress(done, len(drawn))


def show_summary(folder: Path, page: Page) -> None:
    """Print the summary, and store it with the results."""
    from calibrant.paper import SUMMARY

    with writing(folder):
        write_text(str(folder / SUMMARY), f"{page.text()}\n")
    show_page(page)
