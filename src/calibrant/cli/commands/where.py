"""`calibrant where`: which classes, confidence regions and groups are not calibrated."""

from __future__ import annotations

import click

from calibrant.cli._exit import computing
from calibrant.cli._input import Input, input_options, refuse_given
from calibrant.cli._numbers import SHARE
from calibrant.cli._output import Output, Page, output_options
from calibrant.cli._progress import shown_progress
from calibrant.cli._run_options import origin, run_options


@click.command("where", short_help="Find the classes, regions and groups that are off.")
@click.argument("file")
@input_options
@click.option("--regions", type=click.IntRange(min=1), default=5, show_default=True,
              help="Number of regions of similar probability.")  # fmt: skip
@click.option("--min-size", type=click.IntRange(min=2), default=20, show_default=True,
              help="Groups with fewer rows are not tested.")  # fmt: skip
@click.option("--alpha", type=SHARE, default=0.05,
              show_default=True, help="Probability of naming anything falsely.")  # fmt: skip
@run_options
@output_options
def command(
    file: str,
    data: Input,
    regions: int,
    min_size: int,
    alpha: float,
    seed: int,
    resamples: int,
    jobs: int | None,
    json: str | None,
) -> None:
    """Find the classes, regions of confidence and groups of FILE that are not calibrated.

    P-values are adjusted for everything that is tested; those under "beyond" test what remains
    after a single map has removed the overall error. --group names the columns of groups.
    """
    from calibrant.cli._documents import WhereDocument
    from calibrant.io import FileFacts

    refuse_given("ordered", "it looks at classes one by one")
    found = data.read(file, minimum=2)
    with computing(), shown_progress("looking", data.quiet) as progress:
        import calibrant as cal

        result = cal.where(
            found.predictions,
            groups=dict(found.groups) or None,
            n_regions=regions,
            min_size=min_size,
            n_resamples=resamples,
            alpha=alpha,
            rng=seed,
            n_jobs=jobs,
            progress=progress,
        )
    sections = (*result.sections, origin(file, seed))
    page = Page(result.verdict, sections, alarm=bool(result.significant))
    Output(json).show("where", page, WhereDocument(FileFacts.of(found), seed, result))
