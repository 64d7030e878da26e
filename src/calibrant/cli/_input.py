"""The options that say what is in a file, and reading it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from calibrant.cli._exit import Failure
from calibrant.cli._progress import shown_progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from calibrant._predictions import Predictions
    from calibrant.io import PredictionFile, PredictionScan


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
        """Read a file, or a folder, of so many rows at least, with progress, through the lens."""
        from calibrant.io import read_predictions

        if path == self.labels == "-":
            raise click.UsageError("standard input (-) can be one file only: data or --labels")
        if path and Path(path).is_dir():
            scan = self.scan(path)
            with shown_progress(f"reading {path}", self.quiet) as progress:
                return self._through_lens(scan.read(progress), path, minimum)
        with shown_progress(f"reading {path}", self.quiet) as progress:
            file = read_predictions(
                path,
                label=self.label,
                labels=self.labels,
                prob=self.prob,
                classes=self._class_names(),
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
        return self._through_lens(file, path, minimum)

    def scan(self, path: str, in_memory: int | None = None) -> PredictionScan:
        """Look at a folder of Parquet files, or at one; labels stand beside the probabilities."""
        from calibrant.io import InputError, scan_predictions
        from calibrant.io._scan import IN_MEMORY

        refused = {"--labels": self.labels, "--id": self.id, "--group": self.group}
        given = [name for name, value in refused.items() if value]
        if given:
            raise InputError(
                f"{path}: {given[0]} needs one file; this is a folder of Parquet files, or is "
                "streamed. Put labels and groups into the same files, or name one of them"
            )
        return scan_predictions(
            path,
            label=self.label,
            prob=self.prob,
            classes=self._class_names(),
            pos_label=self.pos_label,
            weight=self.weight,
            logits=self.logits,
            onehot=self.onehot,
            one_based=self.one_based,
            normalize=self.normalize,
            in_memory=IN_MEMORY if in_memory is None else in_memory,
        )

    def streamed(self, path: str, wanted: bool | None) -> PredictionScan | None:
        """Look at Parquet files that are to be streamed: large, or by wish."""
        from calibrant.io import InputError

        whole = self.labels or self.id or self.group or self.lens
        is_folder = path != "" and Path(path).is_dir()
        is_parquet = is_folder or Path(path).suffix.lower() in (".parquet", ".pq")
        if wanted and not is_parquet:
            raise InputError(
                f"{path}: only Parquet files can be streamed. Write it as Parquet, or leave "
                "--stream out"
            )
        if wanted and self.lens:
            raise InputError(f"{path}: --lens needs all rows in memory. Leave --stream out")
        if wanted is False or not is_parquet or (whole and not wanted):
            return None
        scan = self.scan(path, 0 if wanted else None)
        return scan if scan.is_streamed else None

    def _class_names(self) -> tuple[str, ...] | None:
        from calibrant.io._columns import split_names

        return None if self.classes is None else tuple(split_names(self.classes))

    def _through_lens(self, file: PredictionFile, path: str, minimum: int) -> PredictionFile:
        from dataclasses import replace

        from calibrant.io import InputError

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
