"""The options that say what is in a file, and reading it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from calibrant.cli._exit import Failure
from calibrant.cli._progress import shown_progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from calibrant._predictions import Predictions
    from calibrant.io import PredictionFile


@dataclass(frozen=True)
class Input:
    """What the user said about the columns of the files."""

    label: str | None
    labels: str | None
    prob: str | None
    classes: str | None
    pos_label: str | None
    weight: str | None
    id: str | None
    group: tuple[str, ...]
    logits: bool
    onehot: bool
    one_based: bool
    normalize: bool
    delimiter: str | None
    lens: str | None
    quiet: bool

    def read(self, path: str, minimum: int = 1) -> PredictionFile:
        """Read a file of so many rows at least, with progress; the lens is applied."""
        from dataclasses import replace

        from calibrant.io import InputError, read_predictions
        from calibrant.io._columns import split_names

        if path == self.labels == "-":
            raise click.UsageError("standard input (-) can be one file only: data or --labels")
        with shown_progress(f"reading {path}", self.quiet) as progress:
            file = read_predictions(
                path,
                label=self.label,
                labels=self.labels,
                prob=self.prob,
                classes=None if self.classes is None else split_names(self.classes),
                pos_label=self.pos_label,
                weight=self.weight,
                id=self.id,
                groups=self.group,
                logits=self.logits,
                onehot=self.onehot,
                one_based=self.one_based,
                normalize=self.normalize,
                delimiter=self.delimiter,
                progress=progress,
            )
        if len(file.predictions) < minimum:
            raise InputError(
                f"{path}: this needs at least {minimum} rows; got {len(file.predictions)}. "
                "Collect more predictions"
            )
        if self.lens is None:
            return file
        return replace(file, predictions=_seen_through(self.lens, file.predictions))


_OPTIONS = (
    click.option("--label", metavar="NAME", help="Label column (default: label, y_true, target, y "
                 "or class)."),
    click.option("--labels", metavar="FILE", help="File with the labels, row by row or joined by "
                 "--id."),
    click.option("--prob", metavar="NAMES", help="Probability columns: 'p_cat,p_dog' or 'p_*' "
                 "(default: those that begin with p_, prob_, proba_, or the names of classes)."),
    click.option("--classes", metavar="NAMES", help="Names of the classes, in the order of the "
                 "columns: 'cat,dog'."),
    click.option("--pos-label", metavar="LABEL", help="The label whose probability a single "
                 "column is."),
    click.option("--weight", metavar="NAME", help="Column of sample weights."),
    click.option("--id", metavar="NAME", help="Column that identifies the rows; joins files."),
    click.option("--group", metavar="NAME", multiple=True, help="Column that puts rows into "
                 "groups; may be repeated."),
    click.option("--logits", is_flag=True, help="The columns hold logits (or log-probabilities)."),
    click.option("--onehot", is_flag=True, help="The labels are one-hot columns (y_cat, y_dog, or "
                 "--label 'y_*')."),
    click.option("--one-based", is_flag=True, help="The labels are positions that start at 1."),
    click.option("--normalize", is_flag=True, help="Divide every row by its sum."),
    click.option("--delimiter", metavar="MARK", callback=lambda _c, _p, v: _delimiter(v),
                 help="Between the cells of a text file: ',', ';', '|' or tab."),
    click.option("--lens", metavar="LENS", callback=lambda _c, _p, v: _checked_lens(v),
                 help="Ask a smaller question: top-label, top-k:K, one-vs-rest:CLASS or "
                 "at-least:CLASS."),
    click.option("-q", "--quiet", is_flag=True, help="No progress."),
)  # fmt: skip


def input_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command all options of `Input`; it gets them as its argument `data`."""
    names = [field.name for field in fields(Input)]

    @wraps(function)
    def collected(**values: Any) -> Any:
        data = Input(**{name: values.pop(name) for name in names})
        return function(data=data, **values)

    command: Callable[..., Any] = collected
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def _delimiter(value: str | None) -> str | None:
    if value is None:
        return None
    mark = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";"}.get(value, value)
    if len(mark) != 1 or mark in '"\r\n':
        raise click.BadParameter(f"{value!r} is no single mark; use ',', ';', '|' or tab")
    return mark


def _checked_lens(value: str | None) -> str | None:
    if value is None or value == "top-label":
        return value
    name, _, argument = value.partition(":")
    if name not in ("top-k", "one-vs-rest", "at-least") or not argument:
        raise click.BadParameter(
            f"{value!r} is no lens; use top-label, top-k:K, one-vs-rest:CLASS or at-least:CLASS"
        )
    if name == "top-k" and not argument.isdecimal():
        raise click.BadParameter(f"top-k needs a whole number; got {argument!r}")
    return value


def _seen_through(lens: str, predictions: Predictions) -> Predictions:
    name, _, argument = lens.partition(":")
    if name == "top-label":
        return predictions.top_label()
    try:
        if name == "top-k":
            return predictions.top_k(int(argument))
        texts = {str(known): known for known in predictions.classes}
        chosen = texts.get(argument, argument)
        if name == "one-vs-rest":
            return predictions.one_vs_rest(chosen)
        return predictions.at_least(chosen)
    except ValueError as error:
        raise Failure(f"--lens {lens}: {error}") from error
