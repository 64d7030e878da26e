"""`calibrant paper errors`: the distributions of estimated calibration errors."""

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
    from calibrant.paper import Cells, Key, Plan


@click.command("errors")
@simulated((2, 10, 100, 1000))
def command(output: Path, published: Path | None, quiet: bool, plan: Plan) -> None:
    """Distributions of the ECE and SKCE estimates over simulated data sets of 250 rows."""
    from calibrant.paper import (
        ERROR_RUNS,
        error_cells,
        error_figures,
        published_histograms,
        published_means,
        write_error_tables,
    )

    # read first, so that a wrong folder fails early
    means = None if published is None else published_means(published)
    drawn = None if published is None else published_histograms(published)
    with writing(output), computing(), shown_progress("simulating", quiet) as progress:
        cells = error_cells(ERROR_RUNS.run(output, plan, progress))
    with writing(output):
        write_error_tables(output, cells, means)
        write_figures(output, error_figures(cells, drawn), quiet)
    show_summary(output, _page(cells, means))


def _page(cells: Cells, means: Mapping[Key, float] | None) -> Page:
    from calibrant.paper import Deviations

    n = len(next(iter(cells.values())).values)
    lines = [f"  {len(cells)} cells, {n} data sets of 250 rows each"]
    if n < 30:
        lines.append("  standard errors from so few data sets are rough: try --datasets 100")
    if means is None:
        return Page(
            "The distributions of the calibration errors are drawn.",
            as_placed(lines),
        )
    deviations = Deviations.of(cells, means)
    lines += ["", *deviations.lines()]
    return Page(deviations.headline("means"), as_placed(lines), alarm=deviations.n_beyond > 0)
