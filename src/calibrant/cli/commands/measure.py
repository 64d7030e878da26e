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
    from calibrant.estimators import Estimator

#: rows up to which errors over all pairs are computed without being asked for
PAIR_ROWS = 20_000


@click.command("measure", short_help="Measure calibration errors and scores, without a test.")
@click.argument("file")
@input_options
@click.option("--bins", type=click.IntRange(min=1), default=10, show_default=True,
              help="Bins of every class for ECE and MCE.")  # fmt: skip
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
        errors = _errors(bins, bandwidth, pairs)
        measured = _measured(predictions, errors, jobs, progress)
    content = {"input": described(found), "measures": measured}
    rows = [(m["name"], _value(m), m["meaning"]) for m in measured]
    widths = [max(len(row[k]) for row in rows) for k in range(2)]
    lines = [f"  {a:<{widths[0]}}  {b:<{widths[1]}}  {c}" for a, b, c in rows]
    if not pairs:
        lines.append(f"\nLeft out above {PAIR_ROWS} rows: errors over all pairs (--all-pairs).")
    headline = f"{file}: {predictions.n_samples} rows, {predictions.n_classes} classes."
    Output(json).show("measure", Page(headline, "\n".join(["", *lines])), content)


def _errors(bins: int, bandwidth: float | None, pairs: bool) -> dict[str, tuple[Estimator, str]]:
    import calibrant as cal

    kernel = cal.kernels.Laplacian() if bandwidth is None else cal.kernels.Laplacian(bandwidth)
    uniform = cal.binning.Uniform(bins)
    over_pairs: dict[str, tuple[Estimator, str]] = {
        "skce": (cal.SKCE(kernel), "squared kernel calibration error, unbiased; may be negative"),
        "skce_biased": (cal.SKCE(kernel, unbiased=False), "the same, at least 0"),
        "kce": (cal.KCE(kernel), "root of skce_biased"),
    }
    return {
        **(over_pairs if pairs else {}),
        "skce_linear": (cal.SKCE(kernel, block_size=2), "skce of consecutive pairs only"),
        "mmce": (cal.MMCE(), "kernel calibration error of the predicted label"),
        "ece": (cal.ECE(uniform), f"expected calibration error, {bins} bins of every class"),
        "ece_adaptive": (
            cal.ECE(cal.binning.MedianVariance(min_size=100)),
            "the same, bins of at least 100 rows",
        ),
        "mce": (cal.MCE(uniform), f"largest error of a bin and class, {bins} bins"),
    }


def _measured(
    predictions: Predictions,
    errors: dict[str, tuple[Estimator, str]],
    jobs: int | None,
    progress: Callable[[int, int], None],
) -> list[dict[str, Any]]:
    from calibrant.effects import Effect, Interval, summarise

    found = list(summarise(predictions).values())
    for done, (name, (error, meaning)) in enumerate(errors.items(), start=1):
        estimate = error.estimate(predictions, n_jobs=jobs)
        found.append(Effect(name, estimate, Interval.unknown(), meaning))
        progress(done, len(errors))
    return [effect.to_dict() for effect in found]


def _value(measure: dict[str, Any]) -> str:
    estimate, interval = measure["estimate"], measure["interval"]
    if estimate is None:
        return "unknown"
    text = f"{float(estimate):.4g}"
    if interval["low"] is None:
        return text
    return f"{text} [{float(interval['low']):.4g}, {float(interval['high']):.4g}]"
