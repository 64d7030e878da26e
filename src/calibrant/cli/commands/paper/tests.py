"""`calibrant paper tests`: how often calibration tests are wrong, at every level."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from calibrant.cli._exit import computing
from calibrant.cli._output import Page
from calibrant.cli._progress import shown_progress
from calibrant.cli.commands.paper._options import (
    DATASETS,
    JOBS,
    OUTPUT,
    PUBLISHED,
    QUIET,
    RESUME,
    SEED,
    some_of,
)
from calibrant.cli.commands.paper._results import show_summary, write_figures, writing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from calibrant._typing import FloatArray
    from calibrant.paper._tests_curves import CurveKey, Curves


@click.command("tests")
@DATASETS
@some_of("classes", (2, 10), "Only these numbers of classes.")
@some_of("alpha", (0.1, 1.0), "Only these concentrations of the predictions.")
@OUTPUT
@RESUME
@PUBLISHED
@SEED
@JOBS
@QUIET
def command(
    datasets: int,
    classes: tuple[int, ...],
    alpha: tuple[float, ...],
    output: Path,
    resume: bool,
    published: Path | None,
    seed: int,
    jobs: int | None,
    quiet: bool,
) -> None:
    """Errors of the paper's tests and of ours against the level they are used at."""
    from calibrant.paper._published import published_curves
    from calibrant.paper._tests import run_tests
    from calibrant.paper._tests_curves import error_curves
    from calibrant.paper._tests_figures import curve_figures
    from calibrant.paper._tests_table import write_curve_table

    # read first: a wrong folder shall not cost an hour
    theirs = None if published is None else published_curves(published)
    with computing(), shown_progress("simulating", quiet) as progress:
        store, batches = run_tests(
            output,
            classes=classes,
            alphas=alpha,
            n_datasets=datasets,
            seed=seed,
            resume=resume,
            n_jobs=jobs,
            progress=progress,
        )
    with writing(output):
        curves = error_curves(store, batches)
        write_curve_table(output, curves, theirs)
        write_figures(output, curve_figures(curves, theirs), quiet)
    show_summary(output, _page(curves, theirs))


def _page(curves: Curves, published: Mapping[CurveKey, FloatArray] | None) -> Page:
    from calibrant.paper._tests_deviations import CurveDeviations
    from calibrant.paper._tests_table import model_lines

    n = next(iter(curves.values())).n_datasets
    lines = [f"  {len(curves)} curves, {n} data sets of 250 rows each"]
    models = model_lines(curves)
    lines += ["", *models] if models else []
    if published is None:
        return Page("The errors of the calibration tests are drawn.", "\n".join(lines))
    deviations = CurveDeviations.of(curves, published)
    lines += ["", *deviations.lines()]
    return Page(deviations.headline(), "\n".join(lines), alarm=deviations.n_beyond > 0)
