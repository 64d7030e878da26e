"""The options that say what is in a file, and reading it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from calibrant._output import one_line
from calibrant.cli._exit import Failure
from calibrant.cli._lenses import FORMS, check_lens, see_through
from calibrant.cli._progress import shown_progress
from calibrant.cli._remedies import message_of
from calibrant.cli._streams import tell
from calibrant.errors import Argument, InputError, Problem

if TYPE_CHECKING:
    from calibrant.io import PredictionFile, PredictionScan, ReadOptions, Understanding

#: options that need all rows in one file
_ONE_FILE = ("labels", "id", "groups")
#: parameters of commands that name files to read, and to write
_INPUTS = ("file", "files", "labels", "baseline", "resume", "calibrator")
_OUTPUTS = ("output", "json", "text", "junit", "checkpoint", "save")


@dataclass(frozen=True)
class Input:
    """What the user said about the files, and how they are read."""

    options: ReadOptions
    lens: str | None
    quiet: bool

    @property
    def id(self) -> str | None:
        """The column that identifies the rows."""
        return self.options.id

    def with_group(self, name: str | None) -> Input:
        """Read one more column of groups."""
        if name is None or name in self.options.groups:
            return self
        return replace(self, options=replace(self.options, groups=(*self.options.groups, name)))

    def read(self, path: str, minimum: int = 1) -> PredictionFile:
        """Read a file, or a folder, of so many rows at least, with progress, through the lens."""
        from calibrant.io import read_file

        if path == self.options.labels == "-":
            raise click.UsageError("standard input (-) can be one file only: data or --labels")
        if os.path.isdir(path):  # noqa: PTH112 - False, not an error, for a name that is too long
            scan = self.scan(path)
            with shown_progress(f"reading {path}", self.quiet) as progress:
                return self._through_lens(scan.read(progress), path, minimum)
        with shown_progress(f"reading {path}", self.quiet) as progress:
            return self._through_lens(read_file(path, self.options, progress), path, minimum)

    def scan(self, path: str, in_memory: int | None = None) -> PredictionScan:
        """Look at a folder of Parquet files, or at one; labels are in the same files."""
        from calibrant.io import IN_MEMORY, scan_files

        given = [name for name in _ONE_FILE if getattr(self.options, name)]
        if given:
            raise InputError(
                Problem.COLUMNS,
                (
                    Argument(given[0]),
                    " needs one file; this is a folder of Parquet files, or is streamed",
                ),
                source=path,
                remedy="put labels and groups into the same files, or name one of them",
            )
        return scan_files(path, self.options, IN_MEMORY if in_memory is None else in_memory)

    def streamed(self, path: str, wanted: bool | None) -> PredictionScan | None:
        """Look at Parquet files that are to be streamed: large, or by wish."""
        whole = self.lens or any(getattr(self.options, name) for name in _ONE_FILE)
        is_folder = os.path.isdir(path)  # noqa: PTH112 - as above
        is_parquet = is_folder or Path(path).suffix.lower() in (".parquet", ".pq")
        if wanted and not is_parquet:
            raise InputError(
                Problem.FORMAT,
                "only Parquet files can be streamed",
                source=path,
                remedy="write it as Parquet, or leave --stream out",
            )
        if wanted and self.lens:
            rule = "--lens needs all rows in memory"
            raise InputError(Problem.LENS, rule, source=path, remedy="leave --stream out")
        if wanted is False or not is_parquet or (whole and not wanted):
            return None
        scan = self.scan(path, 0 if wanted else None)
        return scan if scan.is_streamed else None

    def _through_lens(self, file: PredictionFile, path: str, minimum: int) -> PredictionFile:
        if len(file.predictions) < minimum:
            raise InputError(
                Problem.TOO_FEW_ROWS,
                f"this needs at least {minimum} rows",
                source=path,
                value=len(file.predictions),
                remedy="collect more predictions",
            )
        self._tell_rounding(file.understood)
        if self.lens is None:
            return file
        try:
            return replace(file, predictions=see_through(self.lens, file.predictions))
        except ValueError as error:
            raise Failure(f"--lens {self.lens}: {message_of(error)}") from error

    def _tell_rounding(self, found: Understanding) -> None:
        if found.decimals is not None and found.row_sums is not None and not self.quiet:
            low, high = found.row_sums
            tell(
                f"{one_line(found.file)}: probabilities are rounded to {found.decimals} decimals; "
                f"rows were divided by their sums ({low:.7g} to {high:.7g})"
            )


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
    click.option("--group", "groups", metavar="NAME", multiple=True, help="Column that puts rows "
                 "into groups; may be repeated."),
    click.option("--logits", is_flag=True, help="The columns hold logits (or log-probabilities)."),
    click.option("--onehot", is_flag=True, help="The labels are one-hot columns (y_cat, y_dog, or "
                 "--label 'y_*')."),
    click.option("--one-based", is_flag=True, help="The labels are positions that start at 1."),
    click.option("--normalize", is_flag=True, help="Divide every row by its sum."),
    click.option("--delimiter", metavar="MARK", callback=lambda _c, _p, v: read_delimiter(v),
                 help="Between the cells of a text file: ',', ';', '|' or tab."),
    click.option("--lens", metavar="LENS", callback=lambda _c, _p, v: check_lens(v),
                 help=f"Ask a smaller question: {FORMS}."),
    click.option("-q", "--quiet", is_flag=True, help="No progress."),
)  # fmt: skip


def input_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command all options about files; it gets them as its argument `data`."""

    @wraps(function)
    def collected(lens: str | None, quiet: bool, classes: str | None, **values: Any) -> Any:
        # here, since --help need not pay for NumPy
        from calibrant.io import ReadOptions, class_texts, split_names

        names = None if classes is None else class_texts(split_names(classes))
        refuse_overwriting()
        known = {f.name: values.pop(f.name) for f in fields(ReadOptions) if f.name in values}
        data = Input(ReadOptions(classes=names, **known), lens, quiet)
        return function(data=data, **values)

    command: Callable[..., Any] = collected
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def refuse_overwriting() -> None:
    """Refuse, before anything is computed, an output that is an input or another output."""
    params = click.get_current_context().params
    named = [(name, params[name]) for name in _INPUTS if params.get(name)]
    paths = [(name, path) for name, given in named for path in _listed(given)]
    for name in _OUTPUTS:
        path = params.get(name)
        if path is None or path == "-":
            continue
        same = next((other for other, there in paths if _are_same(path, there)), None)
        if same is not None:
            what = "is read" if same in _INPUTS else f"is written by --{same}"
            raise click.UsageError(f"--{name} {path} {what}, too; give another name")
        paths.append((name, path))


def _listed(given: str | tuple[str, ...]) -> list[str]:
    """Return paths as they were given, and behind NAME=."""
    several = (given,) if isinstance(given, str) else given
    return [path for one in several for path in (one, one.partition("=")[2])]


def _are_same(one: str, other: str) -> bool:
    if os.path.exists(one) and os.path.exists(other):  # noqa: PTH110 - never an error
        return os.path.isfile(one) and os.path.samefile(one, other)  # noqa: PTH113, PTH121
    return os.path.realpath(one) == os.path.realpath(other) and other != ""


def read_delimiter(value: str | None) -> str | None:
    """Return the mark that an option names."""
    if value is None:
        return None
    mark = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";"}.get(value, value)
    if len(mark) != 1 or mark in '"\r\n':
        raise click.BadParameter(f"{value!r} is not a single mark; use ',', ';', '|' or tab")
    return mark
