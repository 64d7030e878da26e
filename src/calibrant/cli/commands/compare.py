"""`calibrant compare`: which model is better calibrated, and by how much."""

from __future__ import annotations

from typing import Any

import click

from calibrant.cli._exit import computing
from calibrant.cli._input import Input, refuse_given, ungrouped_input_options
from calibrant.cli._models import aligned, compared, named_files
from calibrant.cli._numbers import SHARE
from calibrant.cli._output import Output, Page, output_options
from calibrant.cli._progress import shown_progress
from calibrant.cli._run_options import JOBS, SEED, origin


@click.command("compare")
@click.argument("files", nargs=-1, required=True, metavar="FILE FILE...")
@ungrouped_input_options
@click.option("--reference", metavar="NAME", help="Compare every other model with this one only.")
@click.option("--confidence-level", type=SHARE,
              default=0.95, show_default=True, help="Confidence of the intervals.")  # fmt: skip
@click.option("--equivalence", multiple=True, metavar="MEASURE=EPS",
              help="Also test whether the difference in a measure is smaller than EPS, "
                   "in its unit, e.g. calibration_loss=0.01 (nats).")  # fmt: skip
@SEED
@JOBS
@output_options
def command(
    files: tuple[str, ...],
    data: Input,
    reference: str | None,
    confidence_level: float,
    equivalence: tuple[str, ...],
    seed: int,
    jobs: int | None,
    json: str | None,
) -> None:
    """Compare the models of two or more FILEs on the same rows.

    Models are named after their files, or NAME=FILE. Rows are matched by position, or by the
    column --id. The calibration loss decides: the log loss that a repair would save on unseen
    rows. Refinement, log loss, SKCE, Brier score and accuracy are also compared, each with an
    interval and a p-value.
    """
    from calibrant.cli._documents import CompareDocument
    from calibrant.io import FileFacts

    refuse_given("ordered", "no measure of the comparison uses the order")
    if len(files) < 2:
        raise click.UsageError("compare needs at least two files; one model: calibrant test")
    margins = _margins(equivalence)
    paths = named_files(files)
    if reference is not None and reference not in paths:
        raise click.UsageError(f"--reference must be one of {', '.join(paths)}; got {reference!r}")
    found = {name: data.read(path, minimum=2) for name, path in paths.items()}
    models = aligned(found, data.id is not None)
    with computing(), shown_progress("comparing", data.quiet) as progress:
        result = compared(
            models,
            reference=reference,
            confidence_level=confidence_level,
            equivalence=margins,
            rng=seed,
            n_jobs=jobs,
            progress=progress,
        )
    page = Page(result.verdict, (*result.sections, origin(", ".join(paths.values()), seed)))
    inputs = {name: FileFacts.of(file) for name, file in found.items()}
    Output(json).show("compare", page, CompareDocument(inputs, seed, result))


def _margins(given: tuple[str, ...]) -> dict[str, float] | None:
    from calibrant._followup.compare import MEASURES, check_margins

    margins: dict[str, Any] = {}
    for text in given:
        measure, _, margin = text.rpartition("=")
        try:
            margins |= check_margins({measure: float(margin)})
        except ValueError as error:
            raise click.UsageError(
                "--equivalence must be MEASURE=EPS with a positive EPS in the measure's unit, "
                f"e.g. calibration_loss=0.01; got {text!r}. Measures: {', '.join(MEASURES)}"
            ) from error
    return margins or None
