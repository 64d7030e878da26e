"""`calibrant paper errors`: how the estimates of the calibration errors are distributed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from calibrant.cli._exit import computing
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

if TYPE_CHECKING:
    from pathlib import Path


@click.command("errors")
@DATASETS
@some_of("classes", (2, 10, 100, 1000), "Only these numbers of classes.")
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
    """Distributions of the ECE and SKCE estimates over simulated data sets of 250 rows."""
    from calibrant.paper._errors import run_errors

    with computing(), shown_progress("simulating", quiet) as progress:
        run_errors(
            output,
            classes=classes,
            alphas=alpha,
            n_datasets=datasets,
            seed=seed,
            resume=resume,
            n_jobs=jobs,
            progress=progress,
        )
