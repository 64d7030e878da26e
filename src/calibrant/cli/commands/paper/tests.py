"""`calibrant paper tests`: how often calibration tests are wrong, at every level."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from calibrant.cli._exit import computing
from calibrant.cli._output import Page
from calibrant.cli._progress import shown_progress
from calibrant.cli.commands.paper._options import simulated
from calibrant.cli.commands.paper._results import show_summary, write_figures, writing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from calibrant._typing import FloatArray
    from calibrant.paper._simulation import Plan
    from calibrant.paper._tests_curves import CurveKey, Curves


@click.command("tests")
@simulated((2, 10))
def command(output: Path, published: Path | None, quiet: bool, plan: Plan) -> None:
    """Errors of the paper's tests and of ours against the level they are used at."""
    from calibrant.paper._published import published_curves
    from calibrant.paper._tests import TEST_RUNS
    from calibrant.paper._tests_curves import error_curves
    from calibrant.paper._tests_figures import curve_figures
    from calibrant.paper._tests_table import write_curve_table

    # read first: a wrong folder shall not cost an hour
    theirs = None if published is None else published_curves(published)
    with writing(output), computing(), shown_progress("simulating", quiet) as progress:
        store, batches = TEST_RUNS.run(output, plan, progress)
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
