"""`calibrant test`: the verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from calibrant.cli._choices import (
    LazyChoice,
    chosen_estimator,
    chosen_method,
    estimator_names,
    method_names,
    require_match,
    uses_resamples,
)
from calibrant.cli._engine import Engine, engine_options
from calibrant.cli._exit import computing
from calibrant.cli._input import Input, refuse_given, ungrouped_input_options
from calibrant.cli._output import Output, Page, output_options
from calibrant.cli._progress import shown_progress
from calibrant.cli._run_options import DRAWS, origin, refuse_idle_draws, run_options
from calibrant.cli._streams import tell

if TYPE_CHECKING:
    from calibrant.estimators import Estimator
    from calibrant.methods import Method

#: label sets of a shorter test
_FEWER = 99


@click.command("test")
@click.argument("file")
@ungrouped_input_options
@click.option("--estimator", type=LazyChoice(estimator_names), metavar="NAME",
              help="Calibration error to test, by its name in `calibrant measure`.")  # fmt: skip
@click.option("--method", type=LazyChoice(method_names), metavar="NAME",
              help="How to test it: exact, moments, asymptotic, …")  # fmt: skip
@click.option("--effects/--no-effects", default=True, help="Also measure effect sizes.")
@click.option(
    "--stream/--no-stream",
    default=None,
    help="Read Parquet in parts, in little memory (default: above 256 MB of probabilities).",
)
@DRAWS
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
    draws: bool,
    seed: int,
    resamples: int,
    jobs: int | None,
    engine: Engine,
    json: str | None,
) -> None:
    """Test whether the probabilities of FILE are calibrated.

    The default test is exact: its p-value is valid for any number of rows, and you need not choose
    anything. A test can find evidence against calibration, never for it. FILE may be a folder of
    Parquet files.
    """
    from calibrant.cli._documents import VerdictDocument
    from calibrant.io import FileFacts

    require_match(estimator, method)
    refuse_idle_draws(json)
    if not uses_resamples(method):
        refuse_given("resamples", f"--method {method} draws no label sets")
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
        _announce(rows.n_samples, rows.n_classes, *chosen, jobs, data.quiet)
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
    sections = (*result.sections, origin(file, seed))
    page = Page(result.verdict, sections, alarm=result.reject())
    if not draws:
        result = replace(result, null_distribution=None)
    Output(json).show("test", page, VerdictDocument(FileFacts.of(found), seed, result))


def _announce(
    n_samples: int,
    n_classes: int,
    estimator: Estimator | None,
    method: Method,
    n_jobs: int | None,
    quiet: bool,
) -> None:
    """Announce tests of more than ten seconds on standard error."""
    from calibrant._execution import limits

    sets = getattr(method, "n_resamples", 1) + 1
    linear = n_samples * n_classes * sets
    quadratic = n_samples**2 * n_classes
    short = limits().short_work
    if quiet or (linear < short and quadratic < 10 * short):
        return  # not worth measuring
    from calibrant._calibration_test import estimate_cost
    from calibrant._output import counted, duration, short_form
    from calibrant.methods import Aggregated

    cost = estimate_cost(n_samples, n_classes, estimator=estimator, method=method, n_jobs=n_jobs)
    if cost.is_long:
        shorter = dict(cost.alternatives).get(short_form(Aggregated(_FEWER)))
        hint = f"; with --resamples {_FEWER} {duration(shorter)}" if shorter else ""
        tell(f"this takes {duration(cost.seconds)} on {counted(cost.n_jobs, 'thread')}{hint}")
