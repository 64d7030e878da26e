"""`calibrant apply`: recalibrate the probabilities of a file."""

from __future__ import annotations

import click

from calibrant._output import Section, counted, facts
from calibrant.cli._exit import Failure
from calibrant.cli._input import read_delimiter, refuse_overwriting
from calibrant.cli._output import Output, Page, output_options
from calibrant.cli._progress import shown_progress
from calibrant.errors import InputError, Problem


@click.command("apply", short_help="Recalibrate the probabilities of a file.")
@click.argument("calibrator")
@click.argument("file")
@click.option("-o", "--output", required=True, metavar="FILE",
              help="Output file, in the format of FILE.")  # fmt: skip
@click.option("--prob", metavar="COLUMNS", help="Probability columns: names or a pattern such as "
              "'p_*' (default: p_CLASS, prob_CLASS, …).")  # fmt: skip
@click.option("--delimiter", metavar="MARK", callback=lambda _c, _p, v: read_delimiter(v),
              help="Separator of a text file: ',', ';', '|' or tab.")  # fmt: skip
@click.option("--encoding", metavar="NAME", help="Encoding of a text file, such as cp1252 "
              "(default: UTF-8); the output is UTF-8.")  # fmt: skip
@click.option("--logits", is_flag=True, help="The columns hold logits (or log-probabilities), "
              "before and after.")  # fmt: skip
@click.option("--normalize", is_flag=True, help="Divide every row by its sum.")
@click.option("--percent", is_flag=True, help="The numbers are percentages, before and after.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
@output_options
def command(
    calibrator: str,
    file: str,
    output: str,
    prob: str | None,
    delimiter: str | None,
    encoding: str | None,
    logits: bool,
    normalize: bool,
    percent: bool,
    quiet: bool,
    json: str | None,
) -> None:
    """Apply CALIBRATOR, made by `calibrant repair`, to the probabilities of FILE.

    FILE is CSV, TSV, Parquet, Arrow or npz; it needs no labels. Other columns are kept, and logits
    and percentages stay what they are. It is streamed; a run that fails leaves no partial output.
    """
    from calibrant.cli._documents import ApplyDocument
    from calibrant.io import rewrite_probabilities
    from calibrant.recalibration import load

    refuse_overwriting()
    found = load(calibrator)
    try:
        with shown_progress(f"writing {output}", quiet) as progress:
            n_samples = rewrite_probabilities(
                file,
                output,
                found.classes,
                found.map.transform,
                prob=prob,
                delimiter=delimiter,
                encoding=encoding,
                logits=logits,
                normalize=normalize,
                percent=percent,
                progress=progress,
            )
    except InputError as error:
        if error.problem is Problem.NO_FILE and error.source == output:
            raise Failure(str(error)) from error
        raise
    document = ApplyDocument(calibrator, file, output, found.name, n_samples)
    rows = [("map", found.describe()), ("file", file), ("calibrator", calibrator)]
    headline = f"{output}: {counted(n_samples, 'row')} recalibrated."
    Output(json).show("apply", Page(headline, (Section(table=facts(rows)),)), document)
