"""`calibrant report`: a self-contained page to share."""

from __future__ import annotations

import hashlib
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from calibrant._output import Section, facts, one_line
from calibrant.cli._engine import Engine, place_options
from calibrant.cli._exit import Failure, computing
from calibrant.cli._input import Input, input_options
from calibrant.cli._models import aligned, lined_up, named_files
from calibrant.cli._numbers import SHARE
from calibrant.cli._output import Page, show_page, write_text
from calibrant.cli._progress import shown_progress
from calibrant.cli._run_options import run_options
from calibrant.cli._streams import emit, tell

if TYPE_CHECKING:
    from calibrant.io import PredictionScan
    from calibrant.report import Report

_FEWEST = 39
#: the mark in the first bytes of every report
_MARK = b'<meta name="generator" content="calibrant '


@click.command("report", short_help="Write an HTML page about one or several models.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("-o", "--output", metavar="PAGE", default="calibration.html", show_default=True,
              help="HTML file; `-` prints the page.")  # fmt: skip
@click.option("--repair", is_flag=True, help="Also look for a repair of each model.")
@click.option("--limit", type=SHARE,
              help="Largest typical error that is good enough, for example 0.03.")  # fmt: skip
@click.option("--title", help="Heading of the page.")
@click.option("--dataset", metavar="TEXT", help="Name of the data, printed below the title.")
@click.option("--author", metavar="TEXT", help="Printed below the title.")
@click.option("--date", metavar="TEXT", help="Printed below the title; none unless given.")
@click.option("--alpha", type=SHARE, default=0.05,
              show_default=True, help="Probability of naming anything falsely.")  # fmt: skip
@click.option("--regions", type=click.IntRange(min=1), default=5, show_default=True,
              help="Number of confidence regions.")  # fmt: skip
@click.option("--min-size", type=click.IntRange(min=2), default=20, show_default=True,
              help="Groups with fewer rows are not tested.")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace a file that calibrant did not write.")
@click.option("--json", metavar="FILE", help="Also write the summary as JSON; `-` prints it.")
@click.option("--text", metavar="FILE", help="Also write the summary as text; `-` prints it.")
@click.option(
    "--stream/--no-stream",
    default=None,
    help="Read Parquet in parts, in little memory (default: above 256 MB of probabilities).",
)
@input_options
@run_options
@place_options
def command(
    files: tuple[str, ...],
    output: str,
    repair: bool,
    limit: float | None,
    title: str | None,
    dataset: str | None,
    author: str | None,
    date: str | None,
    alpha: float,
    regions: int,
    min_size: int,
    force: bool,
    json: str | None,
    text: str | None,
    stream: bool | None,
    data: Input,
    seed: int,
    resamples: int,
    jobs: int | None,
    engine: Engine,
) -> None:
    """Write one self-contained HTML page about the model of FILE, or about several.

    The first screen shows the verdict, the size of the error, where it is, what to do and whether
    the model is good enough; collapsed sections hold reliability diagrams, every measure, the
    test, the comparison of models, and settings, versions and checksums. Several FILEs are models
    of the same rows, named after their files or NAME=FILE; rows are matched by position, or by the
    column --id. FILE may be a folder of Parquet files; where they stream, everything except the
    test, its effects and the classes uses 100,000 evenly spaced rows.
    """
    from calibrant.io import FileFacts

    if [output, json, text].count("-") > 1:
        raise click.UsageError("only one of --output, --json and --text can be `-`")
    check_report_options(output, force, resamples)
    paths = named_files(files)
    scan = _streamed(data, paths, stream)
    found = {} if scan else {name: data.read(path, minimum=2) for name, path in paths.items()}
    origin = {
        "command": _command_line(),
        "inputs": {name: FileFacts.of(file) for name, file in (scan or found).items()},
        "checksums": {name: _checksum(path) for name, path in paths.items()},
    }
    groups = None if scan else dict(next(iter(found.values())).groups) or None
    models = scan or aligned(found, data.id is not None)
    with (
        engine.executor(jobs) as executor,
        computing(),
        shown_progress("reporting", data.quiet) as progress,
    ):
        from calibrant.report import Report

        with lined_up():
            report = Report(
                None,
                models,
                groups=groups,
                title=title,
                repair=repair,
                limit=limit,
                dataset=dataset,
                author=author,
                date=date,
                n_resamples=resamples,
                alpha=alpha,
                n_regions=regions,
                min_size=min_size,
                rng=seed,
                n_jobs=jobs,
                executor=executor,
                progress=progress,
                origin=origin,
            )
        page = report.html()
    _deliver(report, page, output, json, text, data.quiet)


def _streamed(data: Input, paths: dict[str, str], wanted: bool | None) -> dict[str, PredictionScan]:
    """Return the streamed files of a single model; empty if files are read completely."""
    if len(paths) > 1:
        if wanted:
            raise click.UsageError("--stream is for one model: a comparison needs rows in memory")
        return {}
    [(name, path)] = paths.items()
    scan = data.streamed(path, wanted)
    return {} if scan is None else {name: scan}


def check_report_options(output: str, force: bool, resamples: int) -> None:
    """Refuse, before computing, unwritable outputs and replacing other programs' files."""
    if resamples < _FEWEST:
        raise click.BadParameter(
            f"a report needs at least {_FEWEST}, for 95 % bands; got {resamples}",
            param_hint="--resamples",
        )
    path = Path(output)
    if output != "-" and not path.absolute().parent.is_dir():
        folder = one_line(str(path.parent))
        raise Failure(f"{one_line(output)}: cannot be written: there is no folder {folder}")
    if output == "-" or force or not path.is_file() or is_report(path):
        return
    raise click.UsageError(
        f"{output} exists and calibrant did not write it; choose another name with -o, or pass "
        "--force"
    )


def is_report(path: Path) -> bool:
    """Return whether a file is a report of calibrant, or empty."""
    try:
        with path.open("rb") as stream:
            head = stream.read(4096)
    except OSError:
        return False  # the file cannot be read
    return not head or _MARK in head


def write_page(output: str, page: str, quiet: bool) -> None:
    """Write the page and print its location."""
    write_text(output, page)
    if not quiet:
        tell(f"wrote {one_line(output)}, open it in a browser")


def _deliver(
    report: Report, page: str, output: str, json: str | None, text: str | None, quiet: bool
) -> None:
    if output != "-":
        write_page(output, page, quiet)
    for path, content in ((json, report.json), (text, report.text)):
        if path not in (None, "-"):
            write_text(str(path), content())
    if "-" in (output, json, text):
        emit(page if output == "-" else report.json() if json == "-" else report.text())
        return
    show_page(_first_screen(report))


def _first_screen(report: Report) -> Page:
    """Return the answers about every model; for a single one, start with its verdict."""
    answers = report.answers
    comparison = report.comparison
    if comparison is None:
        [(verdict, *others)] = (list(one.items()) for one in answers.values())
        against = next(iter(report.tests.values())).reject()
        return Page(verdict[1], (Section(table=facts(others)),), alarm=against)
    sections = [
        Section(f"{name}:", (one.calibrated,), facts(one.items()[1:]))
        for name, one in answers.items()
    ]
    alarm = any(test.reject() for test in report.tests.values())
    return Page(comparison.verdict, tuple(sections), alarm=alarm)


def _checksum(path: str) -> str | None:
    """Return the SHA-256 of a file, or None for a stream, which cannot be read twice."""
    try:
        with Path(path).open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None


def _command_line() -> str:
    """Return the command with every option that changes the numbers, in a fixed order."""
    context = click.get_current_context()
    words = ["calibrant", "report"]
    for option in context.command.params:
        value = context.params.get(str(option.name))
        if not isinstance(option, click.Option) or option.name in _SILENT:
            continue
        if value is None or value == () or value == option.default:
            continue
        if value is False:
            words += option.secondary_opts
            continue
        flag = max(option.opts, key=len)
        if value is True:
            words.append(flag)
        else:
            for one in value if isinstance(value, tuple) else (value,):
                words += [flag, str(one)]
    words += context.params["files"]
    return shlex.join(words)


#: options that do not change any number
_SILENT = {"output", "force", "json", "text", "quiet", "jobs", "engine", "scheduler"}
