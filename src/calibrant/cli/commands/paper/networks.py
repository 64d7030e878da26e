"""`calibrant paper networks`: errors and p-values of a folder of real predictions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from calibrant.cli._exit import computing
from calibrant.cli._output import Page, as_placed
from calibrant.cli._progress import shown_progress
from calibrant.cli.commands.paper._options import JOBS, OUTPUT, PUBLISHED, QUIET, RESUME, SEED
from calibrant.cli.commands.paper._results import show_summary, write_figures, writing

if TYPE_CHECKING:
    from calibrant.paper import Difference, NetworkResult


@click.command("networks")
@click.argument(
    "folder", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False)
)
@click.option("--zero-based", is_flag=True, help="The labels start at 0, not at 1.")
@OUTPUT
@RESUME
@PUBLISHED
@SEED
@JOBS
@QUIET
def command(
    folder: Path,
    zero_based: bool,
    output: Path,
    resume: bool,
    published: Path | None,
    seed: int,
    jobs: int | None,
    quiet: bool,
) -> None:
    """Errors and p-values of networks: the paper's table and bar charts, and the default test.

    DIR holds predictions, NAME.csv or NAME.csv.gz with a column for each class, and the labels in
    labels.csv or labels.csv.gz. Published tables are looked for in DIR too.
    """
    from calibrant.paper import (
        differences,
        find_networks,
        network_figures,
        published_tables,
        run_networks,
        write_network_tables,
    )

    networks = find_networks(folder, one_based=not zero_based)
    tables = published_tables(published or folder)
    with writing(output), computing(), shown_progress("testing", quiet) as progress:
        results = run_networks(
            networks, output, seed=seed, resume=resume, n_jobs=jobs, progress=progress
        )
    with writing(output):
        write_network_tables(output, results)
        write_figures(output, network_figures(results), quiet)
    found = [] if tables is None else differences(results, *tables)
    show_summary(output, _page(results, found))


def _page(results: Sequence[NetworkResult], found: Sequence[Difference]) -> Page:
    from calibrant.paper import best_by

    lines = ["Best calibrated, by each of the errors:"]
    lines += [f"  {column:<14} {model}" for column, model in best_by(results).items()]
    lines += ["", "P-values of the default test:"]
    lines += [f"  {result.model:<14} {result.default:.4g}" for result in results]
    if not found:
        return Page(f"{len(results)} networks measured and tested.", as_placed(lines))
    exact = [difference for difference in found if difference.kind == "exact"]
    comparable = [difference for difference in found if difference.kind != "negative"]
    agree = sum(difference.agrees for difference in comparable)
    lines += [
        "",
        "Ours and the published numbers:",
        *(f"  {difference_line(difference)}" for difference in found),
    ]
    headline = (
        f"{agree} of {len(comparable)} published numbers of {len(results)} networks are "
        f"reproduced; those that are not drawn to {max((d.size for d in exact), default=0.0):.1e}."
    )
    return Page(headline, as_placed(lines), alarm=agree < len(comparable))


def difference_line(difference: Difference) -> str:
    """Return a line with both numbers and their difference."""
    told = {
        "exact": f"relative difference {difference.size:.1e}",
        "resampled": f"{difference.size:.1f} standard errors",
        "negative": "the bound of a negative estimate is 1",
    }[difference.kind]
    mark = "" if difference.agrees else "  !"
    return (
        f"{difference.model:<14} {difference.column:<32} {difference.ours:>12.6g} "
        f"{difference.published:>12.6g}  {told}{mark}"
    )
