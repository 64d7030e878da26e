"""`calibrant measure`: calibration errors and scores, without a test."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from calibrant._output import Section, Table, counted, estimate_text
from calibrant.cli._choices import LazyChoice, measure_names
from calibrant.cli._exit import computing
from calibrant.cli._input import Input, refuse_given, ungrouped_input_options
from calibrant.cli._numbers import POSITIVE
from calibrant.cli._output import Output, Page, output_options
from calibrant.cli._progress import shown_progress
from calibrant.cli._run_options import JOBS

if TYPE_CHECKING:
    from calibrant._predictions import Predictions
    from calibrant.effects import Effect, Measure


@click.command("measure", short_help="Measure calibration errors and scores, without a test.")
@click.argument("file")
@ungrouped_input_options
@click.option("--bins", type=click.IntRange(min=1), default=10, show_default=True,
              help="Bins of every class for ece_joint and mce.")  # fmt: skip
@click.option("--bandwidth", type=POSITIVE,
              help="Bandwidth of the kernel (default: the median distance).")  # fmt: skip
@click.option("--all-pairs", is_flag=True,
              help="Compute errors over all pairs of rows, for any number of rows.")  # fmt: skip
@click.option("--all", "everything", is_flag=True, help="Show every measure.")
@click.option("--only", type=LazyChoice(measure_names), multiple=True, metavar="NAME",
              help="Show only this measure; may be repeated.")  # fmt: skip
@JOBS
@output_options
def command(
    file: str,
    data: Input,
    bins: int,
    bandwidth: float | None,
    all_pairs: bool,
    everything: bool,
    only: tuple[str, ...],
    jobs: int | None,
    json: str | None,
) -> None:
    """Measure the calibration errors and scores of FILE, without a test.

    Shows the usual measures; --all adds the others, such as CORP, Kuiper, Hosmer–Lemeshow and ICI,
    and --only picks some by name. Errors of a finite sample are not 0 even for a perfect model;
    `calibrant test` says how large they would be by chance.
    """
    _refuse_idle(everything, only)
    from calibrant._execution import limits
    from calibrant.cli._documents import MeasureDocument
    from calibrant.io import FileFacts

    found = data.read(file, minimum=2)
    predictions = found.predictions
    pairs = all_pairs or predictions.n_samples <= limits().pair_rows or predictions.n_classes == 2
    measures = _chosen(everything, only, pairs=pairs, has_order=predictions.has_order)
    with computing(), shown_progress("measuring", data.quiet) as progress:
        effects = _measure(predictions, measures, bins, bandwidth, jobs, progress)
    rows, classes = counted(predictions.n_samples, "row"), counted(predictions.n_classes, "class")
    sections = [Section(table=_table(effects))]
    if not (pairs or only):
        missing = f"Left out above {limits().pair_rows} rows: errors over all pairs (--all-pairs)."
        sections.append(Section(verbatim=(missing,)))
    document = MeasureDocument(FileFacts.of(found), effects)
    Output(json).show("measure", Page(f"{file}: {rows}, {classes}.", tuple(sections)), document)


def _refuse_idle(everything: bool, only: tuple[str, ...]) -> None:
    """Refuse options that none of the chosen measures uses."""
    from calibrant.effects import find_measure

    if not only:
        return
    if everything:
        raise click.UsageError("--all shows every measure and --only some; use one of them")
    chosen = [find_measure(name.replace("-", "_")) for name in only]
    reason = f"{only[0]} does not use it" if len(only) == 1 else "none of them uses it"
    if all(one.adjusted(1, None) == one.adjusted(2, None) for one in chosen):
        refuse_given("bins", reason)
    if all(one.adjusted(10, 1.0) == one.adjusted(10, 2.0) for one in chosen):
        refuse_given("bandwidth", reason)
    refuse_given("all_pairs", "--only measures what it names, for any number of rows")


def _chosen(
    everything: bool, only: tuple[str, ...], *, pairs: bool, has_order: bool
) -> list[Measure]:
    from calibrant.effects import MEASURES, find_measure

    if only:
        return [find_measure(name.replace("-", "_")) for name in only]
    shown = [
        one for one in MEASURES if everything or one.by_default or (has_order and one.for_order)
    ]
    return [one for one in shown if pairs or not one.over_pairs]


def _measure(
    predictions: Predictions,
    measures: list[Measure],
    bins: int,
    bandwidth: float | None,
    jobs: int | None,
    progress: Callable[[int, int], None],
) -> tuple[Effect, ...]:
    from calibrant._execution import Parallel
    from calibrant.effects import measure_all

    chosen = [one.adjusted(bins, bandwidth) for one in measures]
    return tuple(measure_all(predictions, chosen, Parallel(jobs), progress=progress))


def _table(effects: tuple[Effect, ...]) -> Table:
    rows = tuple(
        (
            one.name,
            estimate_text(one.estimate, one.interval.low, one.interval.high),
            f"{one.meaning} ({one.remark})" if one.remark else one.meaning,
        )
        for one in effects
    )
    return Table(rows, indent="  ")
