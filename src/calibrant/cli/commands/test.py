"""`calibrant test`: the verdict."""

from __future__ import annotations

from typing import Any

import click

from calibrant.cli._announce import announce
from calibrant.cli._choices import ESTIMATORS, METHODS, chosen_estimator, chosen_method
from calibrant.cli._engine import Engine, engine_options
from calibrant.cli._exit import computing
from calibrant.cli._input import Input, input_options
from calibrant.cli._output import Output, Page, output_options
from calibrant.cli._progress import shown_progress
from calibrant.cli._run_options import origin_lines, run_options
from calibrant.cli.commands.check import described


@click.command("test")
@click.argument("file")
@input_options
@click.option("--estimator", type=click.Choice(ESTIMATORS), help="Calibration error to test.")
@click.option("--method", type=click.Choice(METHODS), help="How to test it.")
@click.option("--effects/--no-effects", default=True, help="Also measure effect sizes.")
@click.option(
    "--stream/--no-stream",
    default=None,
    help="Read Parquet in parts, in little memory (default: above 256 MB of probabilities).",
)
@run_options
@engine_options
@output_options
def command(
    file: str,
    data: Input,
    estimator: str | None,
    method: str | None,
    effects: bool,
    stream: bool | None,
    seed: int,
    resamples: int,
    jobs: int | None,
    engine: Engine,
    json: str | None,
) -> None:
    """Test whether the probabilities of FILE are calibrated.

    By default the exact aggregated test: its p-value is valid at every number of rows and needs
    no choices. A test can speak against calibration, never for it. FILE may be a folder of
    Parquet files.
    """
    kept_in = engine.kept_in
    scan = data.streamed(file, stream)
    found = data.read(file, minimum=2) if scan is None else scan
    with (
        engine.executor(jobs) as executor,
        computing(),
        shown_progress("testing", data.quiet) as progress,
    ):
        import calibrant as cal
        from calibrant.io import PredictionFile

        rows = found.predictions if isinstance(found, PredictionFile) else found
        chosen = chosen_estimator(estimator), chosen_method(method, estimator, resamples)
        announce(rows.n_samples, rows.n_classes, *chosen, jobs, data.quiet)
        result = cal.calibration_test(
            rows,
            estimator=chosen[0],
            method=chosen[1],
            rng=seed,
            n_jobs=jobs,
            executor=executor,
            checkpoint=kept_in,
            progress=progress,
            effects=effects,
        )
    headline, _, body = result.summary().partition("\n")
    page = Page(headline, "\n".join([body, *origin_lines(file, seed)]), alarm=result.pvalue <= 0.05)
    content: dict[str, Any] = {"input": described(found), "seed": seed, "result": result.to_dict()}
    Output(json).show("test", page, content)
