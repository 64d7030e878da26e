"""`calibrant repair`: whether to recalibrate, with which map, and the map as a file."""

from __future__ import annotations

import click

from calibrant._output import Section, facts
from calibrant.cli._exit import computing
from calibrant.cli._input import Input, input_options
from calibrant.cli._output import Output, Page, output_options, write_text
from calibrant.cli._progress import shown_progress
from calibrant.cli._run_options import origin, run_options


@click.command("repair", short_help="Decide whether to recalibrate, and write the map.")
@click.argument("file")
@input_options
@click.option("-o", "--output", metavar="FILE", help="Write the map as JSON, for `calibrant apply` "
              "and any other program.")  # fmt: skip
@click.option("--folds", type=click.IntRange(min=2), default=10, show_default=True,
              help="Folds of the cross-fit.")  # fmt: skip
@run_options
@output_options
def command(
    file: str,
    data: Input,
    output: str | None,
    folds: int,
    seed: int,
    resamples: int,
    jobs: int | None,
    json: str | None,
) -> None:
    """Decide whether the probabilities of FILE should be recalibrated, and with which map.

    The gain is measured on rows that the maps have not seen. FILE must contain rows that the model
    was not trained on. Exits with 0 even if no repair helps; the map is then the identity. --group
    shows whether the map also helps in each group.
    """
    from calibrant.cli._documents import RepairDocument
    from calibrant.io import FileFacts

    found = data.read(file, minimum=2)
    with computing(), shown_progress("fitting", data.quiet) as progress:
        import calibrant as cal

        result = cal.repair(
            found.predictions,
            groups=found.groups or None,
            n_folds=folds,
            n_resamples=resamples,
            rng=seed,
            n_jobs=jobs,
            progress=progress,
        )
    if output is not None:
        write_text(output, result.to_json())
    written = [] if output is None else [Section(table=facts([("calibrator", output)]))]
    page = Page(result.verdict, (*result.sections, *written, origin(file, seed)))
    Output(json).show("repair", page, RepairDocument(FileFacts.of(found), seed, output, result))
