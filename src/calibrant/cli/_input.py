"""The options about files, and reading files with them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from functools import wraps
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from calibrant._output import counted, one_line
from calibrant.cli._lenses import FORMS, check_lens, see_through
from calibrant.cli._progress import shown_progress
from calibrant.cli._remedies import message_of
from calibrant.cli._streams import tell
from calibrant.errors import Argument, InputError, Problem

if TYPE_CHECKING:
    from calibrant.io import PredictionFile, PredictionScan, ReadOptions, Understanding

#: options that need all rows in one file
_ONE_FILE = ("labels", "id", "groups", "drop_missing")
#: parameters that name input files and output files
_INPUTS = ("file", "files", "labels", "baseline", "resume", "calibrator")
_OUTPUTS = ("output", "json", "text", "junit", "checkpoint", "save")


@dataclass(frozen=True)
class Input:
    """The user's options about files, with methods to read them."""

    options: ReadOptions
    lens: str | None
    quiet: bool

    @property
    def id(self) -> str | None:
        """The column that identifies the rows."""
        return self.options.id

    def read(self, path: str, minimum: int = 1) -> PredictionFile:
        """Read a file or folder with at least `minimum` rows, and apply the lens."""
        from calibrant.io import read_file

        self._refuse_lone_id()
        if path == self.options.labels == "-":
            raise click.UsageError("standard input (-) can be one file only: data or --labels")
        if os.path.isdir(path):  # noqa: PTH112 - False, not an error, for a name that is too long
            scan = self.scan(path)
            with shown_progress(f"reading {path}", self.quiet) as progress:
                return self._through_lens(scan.read(progress), path, minimum)
        with shown_progress(f"reading {path}", self.quiet) as progress:
            return self._through_lens(read_file(path, self.options, progress), path, minimum)

    def scan(self, path: str, in_memory: int | None = None) -> PredictionScan:
        """Scan a Parquet file or a folder of them, with labels in the same files."""
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
        """Scan Parquet files that should be streamed: large ones, or on request."""
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
        self._refuse_idle(file.understood)
        self._tell_reading(file)
        self._tell_repeats(file)
        if self.lens is None:
            return file
        try:
            return replace(file, predictions=see_through(self.lens, file.predictions))
        except ValueError as error:
            rule = f"--lens {self.lens}: {message_of(error).rstrip('.')}"
            raise InputError(Problem.LENS, rule, source=path) from error

    def _tell_repeats(self, file: PredictionFile) -> None:
        if file.understood.shared_column is not None and not self.quiet:
            name = one_line(file.understood.shared_column)
            tell(
                f"{one_line(file.understood.file)}: several rows have the same {name!r}; if they "
                f"depend on each other, pass --cluster {quote(name)}"
            )

    def _refuse_lone_id(self) -> None:
        context = click.get_current_context()
        several = len(context.params.get("files", ())) > 1 or context.params.get("baseline")
        if not (several or self.options.labels) and context.info_name != "check":
            refuse_given("id", "it joins FILE with other files or with --labels")

    def _refuse_idle(self, found: Understanding) -> None:
        for name in ("delimiter", "encoding"):
            if getattr(self.options, name) is not None and found.format not in ("csv", "tsv"):
                rule = f"--{name} is for CSV and TSV; {found.file} is {found.format}"
                raise click.UsageError(rule)

    def _tell_reading(self, file: PredictionFile) -> None:
        """Print a line for each unusual finding, division and omission."""
        from calibrant.io import FileFacts

        found = file.understood
        name = one_line(found.file)
        if self.quiet:
            return
        unusual = (
            found.writing
            or found.ordered
            or found.top_label_only
            or found.logits != self.options.logits
        )
        if unusual and click.get_current_context().info_name != "check":  # `check` prints it anyway
            tell(f"{name}: read as {FileFacts.of(file).line}")
        if found.decimals is not None and found.row_sums is not None:
            low, high = found.row_sums
            tell(
                f"{name}: probabilities are rounded to {found.decimals} decimals; "
                f"rows were divided by their sums ({low:.7g} to {high:.7g})"
            )
        if found.dropped_rows:
            rows = counted(found.dropped_rows, "row")
            tell(f"{name}: left out {rows} with a missing value, kept {len(file.predictions)}")


_GROUP = click.option("--group", "groups", metavar="NAME", multiple=True, help="Column that puts "
                      "rows into groups; may be repeated.")  # fmt: skip
_NO_GROUP = click.option("--group", "groups", multiple=True, hidden=True,
                         callback=lambda c, p, v: _refuse_groups(c, p, v))  # fmt: skip
_OPTIONS = (
    click.option("--label", metavar="NAME", help="Label column (default: label, y_true, target, y, "
                 "class, truth, actual, obs, outcome, ground_truth, … or correct)."),
    click.option("--labels", metavar="FILE", help="File with the labels, row by row or joined by "
                 "--id."),
    click.option("--prob", metavar="NAMES", help="Probability columns: 'p_cat,p_dog' or 'p_*' "
                 "(default: those that begin with p_, prob_, .pred_ or similar, P(class), or the "
                 "names of classes)."),
    click.option("--classes", metavar="NAMES", help="Names of the classes, in the order of the "
                 "columns: 'cat,dog'."),
    click.option("--pos-label", metavar="LABEL", help="The label whose probability a single "
                 "column holds."),
    click.option("--predicted", metavar="NAME", help="Column of predicted labels; a single column "
                 "holds that label's probability, and only the top label is tested."),
    click.option("--weight", metavar="NAME", help="Column of sample weights."),
    click.option("--id", metavar="NAME", help="Column that identifies the rows, to join files."),
    click.option("--cluster", metavar="NAME", help="Column that groups dependent rows, such as "
                 "the patient."),
    click.option("--ordered", is_flag=True, help="The classes are grades, such as stages or stars, "
                 "with columns in increasing order."),
    _GROUP,
    click.option("--logits", is_flag=True, help="The columns hold logits (or log-probabilities)."),
    click.option("--onehot", is_flag=True, help="The labels are one-hot columns (y_cat, y_dog, or "
                 "--label 'y_*')."),
    click.option("--one-based", is_flag=True, help="The labels are positions that start at 1."),
    click.option("--normalize", is_flag=True, help="Divide every row by its sum."),
    click.option("--percent", is_flag=True, help="The numbers are percentages."),
    click.option("--drop-missing", is_flag=True, help="Leave out rows with a missing label, "
                 "probability or weight, and say how many."),
    click.option("--delimiter", metavar="MARK", callback=lambda _c, _p, v: read_delimiter(v),
                 help="Separator of a text file: ',', ';', '|' or tab."),
    click.option("--encoding", metavar="NAME", help="Encoding of a text file, such as cp1252 "
                 "(default: UTF-8)."),
    click.option("--lens", metavar="LENS", callback=lambda _c, _p, v: check_lens(v),
                 help=f"Test a coarser view of the predictions: {FORMS}."),
    click.option("-q", "--quiet", is_flag=True, help="Print the result only: no progress, "
                 "no notes."),
)  # fmt: skip


def input_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add all options about files to a command, passed as the argument `data`."""
    return _with_options(function, _OPTIONS)


def ungrouped_input_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add all options about files except --group, which the command would ignore."""
    return _with_options(function, (*(o for o in _OPTIONS if o is not _GROUP), _NO_GROUP))


def refuse_given(name: str, reason: str) -> None:
    """Refuse an option that the user gave but that has no effect."""
    context = click.get_current_context()
    if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
        option = next(o for o in context.command.params if o.name == name)
        flag = max(option.opts, key=len)
        raise click.UsageError(f"{flag} has no effect here: {reason}; leave it out")


def refuse_file_options(reason: str) -> None:
    """Refuse all options about files if no file is read."""
    from calibrant.io import ReadOptions

    about_files = {"lens", *(field.name for field in fields(ReadOptions))}
    for option in click.get_current_context().command.params:
        if option.name in about_files:
            refuse_given(str(option.name), reason)


def _with_options(function: Callable[..., Any], options: Iterable[Any]) -> Callable[..., Any]:

    @wraps(function)
    def collected(lens: str | None, quiet: bool, classes: str | None, **values: Any) -> Any:
        # imported here, because --help does not need NumPy
        from calibrant.io import ReadOptions, class_texts, split_names

        names = None if classes is None else class_texts(split_names(classes))
        refuse_overwriting()
        known = {f.name: values.pop(f.name) for f in fields(ReadOptions) if f.name in values}
        data = Input(ReadOptions(classes=names, **known), lens, quiet)
        return function(data=data, **values)

    command: Callable[..., Any] = collected
    for option in reversed(tuple(options)):
        command = option(command)
    return command


def _refuse_groups(_context: click.Context, _option: click.Parameter, given: Any) -> Any:
    if given:
        raise click.UsageError(
            "--group has no effect here; use it with calibrant where, repair or report"
        )
    return given


def refuse_overwriting() -> None:
    """Refuse an output that is an input or another output, before computing anything."""
    params = click.get_current_context().params
    named = [(name, params[name]) for name in _INPUTS if params.get(name)]
    paths = [(name, path) for name, given in named for path in _listed(given)]
    for name in _OUTPUTS:
        path = params.get(name)
        if path is None or path == "-":
            continue
        if not path:
            raise click.UsageError(f"--{name} needs the name of a file; got an empty one")
        same = next((other for other, there in paths if _are_same(path, there)), None)
        if same is not None:
            what = "is read" if same in _INPUTS else f"is written by --{same}"
            raise click.UsageError(f"--{name} {path} {what}, too; give another name")
        paths.append((name, path))


def _listed(given: str | tuple[str, ...]) -> list[str]:
    """Return the given paths, without a prefix NAME=."""
    several = (given,) if isinstance(given, str) else given
    return [path for one in several for path in (one, one.partition("=")[2])]


def _are_same(one: str, other: str) -> bool:
    if os.path.exists(one) and os.path.exists(other):  # noqa: PTH110 - never an error
        return os.path.isfile(one) and os.path.samefile(one, other)  # noqa: PTH113, PTH121
    return os.path.realpath(one) == os.path.realpath(other) and other != ""


def read_delimiter(value: str | None) -> str | None:
    """Return the delimiter that an option names."""
    if value is None:
        return None
    mark = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";"}.get(value, value)
    if len(mark) != 1 or mark in '"\r\n':
        raise click.BadParameter(f"{value!r} is not a single mark; use ',', ';', '|' or tab")
    return mark
