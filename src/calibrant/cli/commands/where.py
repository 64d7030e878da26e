"""`calibrant where`: which classes, confidences and groups are not calibrated."""

from __future__ import annotations

import click

from calibrant.cli._exit import computing
from calibrant.cli._input import Input, input_options, refuse_given
from calibrant.cli._numbers import SHARE
from calibrant.cli._output import Output, Page, output_options
from calibrant.cli._progress import shown_progress
from calibrant.cli._run_options import origin, run_options


@click.command("where", short_help="Say which classes, confidences and groups are off.")
@click.argument("file")
@input_options
@click.option("--regions", type=click.IntRange(min=1), default=5, show_default=True,
              help="Regions of similar probability.")  # fmt: skip
@click.option("--min-size", type=click.IntRange(min=2), default=20, show_default=True,
              help="Groups with fewer rows are not tested.")  # fmt: skip
@click.option("--alpha", type=SHARE, default=0.05,
              show_default=True, help="Chance that anything is named falsely.")  # fmt: skip
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
    """Say which classes, confidences and groups of FILE are not calibrated.

    P-values are adjusted for everything that is tested; those under "beyond" are for what is left
    after one map for all rows removes the overall error. Groups are columns named by --group.
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
