"""`calibrant measure`: every calibration error and score, no test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from calibrant.cli._exit import computing
from calibrant.cli._input import Input, input_options
from calibrant.cli._output import Output, Page, output_options
from calibrant.cli._progress import shown_progress
from calibrant.cli._run_options import JOBS
from calibrant.cli.commands.check import described

if TYPE_CHECKING:
    from collections.abc import Callable

    from calibrant._predictions import Predictions

#: rows up to which errors over all pairs are computed without being asked for
PAIR_ROWS = 20_000


@click.command("measure", short_help="Measure calibration errors and scores, without a test.")
@click.argument("file")
@input_options
@click.option("--bins", type=click.IntRange(min=1), default=10, show_default=True,
              help="Bins of every class for ece_joint and mce.")  # fmt: skip
@click.option("--bandwidth", type=click.FloatRange(min=0, min_open=True),
              help="Bandwidth of the kernel (default: the median distance).")  # fmt: skip
@click.option("--all-pairs", is_flag=True,
              help=f"Also above {PAIR_ROWS} rows: errors over all pairs of rows.")  # fmt: skip
@JOBS
@output_options
def command(
    file: str,
    data: Input,
    bins: int,
    bandwidth: float | None,
    all_pairs: bool,
    jobs: int | None,
    json: str | None,
) -> None:
    """Measure the calibration errors and scores of FILE, without a test.

    Errors of a finite sample are not 0 even for a perfect model; `calibrant test` says how large
    they would be by chance.
    """
    found = data.read(file, minimum=2)
    predictions = found.predictions
    pairs = all_pairs or predictions.n_samples <= PAIR_ROWS or predictions.n_classes == 2
    with computing(), shown_progress("measuring", data.quiet) as progress:
        measured = _measured(predictions, bins, bandwidth, pairs, jobs, progress)
    content = {"input": described(found), "measures": measured}
    rows = [(m["name"], _value(m), m["meaning"]) for m in measured]
    widths = [max(len(row[k]) for row in rows) for k in range(2)]
    lines = [f"  {a:<{widths[0]}}  {b:<{widths[1]}}  {c}" for a, b, c in rows]
    if not pairs:
        lines.append(f"\nLeft out above {PAIR_ROWS} rows: errors over all pairs (--all-pairs).")
    headline = f"{file}: {predictions.n_samples} rows, {predictions.n_classes} classes."
    Output(json).show("measure", Page(headline, "\n".join(["", *lines])), content)


def _measured(
    predictions: Predictions,
    bins: int,
    bandwidth: float | None,
    pairs: bool,
    jobs: int | None,
    progress: Callable[[int, int], None],
) -> list[dict[str, Any]]:
    from calibrant._measures import every_measure, measured
    from calibrant.effects import summarise

    errors = [m for m in every_measure(bins, bandwidth) if pairs or not m.over_pairs]
    found = measured(predictions, errors, n_jobs=jobs, progress=progress)
    return [effect.to_dict() for effect in [*summarise(predictions).values(), *found]]


def _value(measure: dict[str, Any]) -> str:
    estimate, interval = measure["estimate"], measure["interval"]
    if estimate is None:
        return "unknown"
    text = f"{float(estimate):.4g}"
    if interval["low"] is None:
        return text
    return f"{text} [{float(interval['low']):.4g}, {float(interval['high']):.4g}]"
