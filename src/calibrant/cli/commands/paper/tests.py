"""`calibrant paper tests`: how often calibration tests are wrong, at every significance level."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from calibrant.cli._exit import computing
from calibrant.cli._output import Page, as_placed
from calibrant.cli._progress import shown_progress
from calibrant.cli.commands.paper._options import simulated
from calibrant.cli.commands.paper._results import show_summary, write_figures, writing

if TYPE_CHECKING:
    from calibrant._native import FloatArray
    from calibrant.paper import Curves, Key, Plan


@click.command("tests")
@simulated((2, 10))
def command(output: Path, published: Path | None, quiet: bool, plan: Plan) -> None:
    """Error rates of the paper's tests and of ours at every significance level."""
    from calibrant.paper import (
        TEST_RUNS,
        curve_figures,
        error_curves,
        published_curves,
        write_curve_table,
    )

    # read first, so that a wrong folder fails early
    theirs = None if published is None else published_curves(published)
    with writing(output), computing(), shown_progress("simulating", quiet) as progress:
        curves = error_curves(TEST_RUNS.run(output, plan, progress))
    with writing(output):
        write_curve_table(output, curves, theirs)
        write_figures(output, curve_figures(curves, theirs), quiet)
    show_summary(output, _page(curves, theirs))


def _page(curves: Curves, published: Mapping[Key, FloatArray] | None) -> Page:
    from calibrant.paper import Deviations, model_lines

    n = next(iter(curves.values())).n_datasets
    lines = [f"  {len(curves)} curves, {n} data sets of 250 rows each"]
    models = model_lines(curves)
    lines += ["", *models] if models else []
    if published is None:
        return Page("The errors of the calibration tests are drawn.", as_placed(lines))
    deviations = Deviations.of(curves, published)
    lines += ["", *deviations.lines()]
    what = f"points of {len(deviations.by_key)} curves"
    return Page(deviations.headline(what), as_placed(lines), alarm=deviations.n_beyond > 0)
