"""`calibrant check`: show how a file is read, without computing anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from calibrant._output import Section, Table, counted, facts, number
from calibrant.cli._input import Input, input_options
from calibrant.cli._output import Output, Page, output_options

if TYPE_CHECKING:
    from calibrant._predictions import ClassRate

_LISTED = 20


@click.command("check")
@click.argument("file")
@input_options
@output_options
def command(file: str, data: Input, json: str | None) -> None:
    """Show how FILE is read; compute nothing.

    Shows columns, classes, rows, base rates and row sums. A file that the other commands would
    refuse is refused here, with the same message.
    """
    from calibrant._predictions import class_rates
    from calibrant.cli._documents import CheckDocument
    from calibrant.io import FileFacts

    found = data.read(file)
    rows = found.predictions
    document = CheckDocument(FileFacts.of(found), class_rates(rows))
    headline = (
        f"{found.understood.file}: {counted(rows.n_samples, 'row')}, "
        f"{counted(rows.n_classes, 'class')}. This can be tested."
    )
    sections = (
        Section(sentences=(f"Read as {document.input.line}.",)),
        Section(table=facts(document.input.facts)),
        _classes(document.classes),
    )
    Output(json).show("check", Page(headline, sections), document)


def _classes(classes: Sequence[ClassRate]) -> Section:
    rows = tuple(
        (_short(c.name), str(c.count), number(c.base_rate), number(c.mean_probability))
        for c in classes[:_LISTED]
    )
    columns = ("class", "rows", "base rate", "mean probability")
    left_out = len(classes) - len(rows)
    return Section(table=Table(rows, columns, frozenset({1, 2, 3}), left_out=left_out, indent="  "))


def _short(name: str) -> str:
    text = "".join(c if c.isprintable() else "?" for c in name)
    return text if len(text) <= 40 else f"{text[:39]}…"
