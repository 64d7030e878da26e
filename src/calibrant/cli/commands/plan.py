"""`calibrant plan`: how many rows are needed to detect an error."""

from __future__ import annotations

import click

from calibrant._output import Section, facts
from calibrant.cli._exit import computing
from calibrant.cli._input import Input, refuse_file_options, ungrouped_input_options
from calibrant.cli._output import Output, Page, output_options
from calibrant.cli._progress import shown_progress
from calibrant.cli._run_options import JOBS, SEED, origin

_SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)


@click.command("plan", short_help="Plan how many rows are needed to detect an error.")
@click.argument("file", required=False)
@click.option("--temperature", type=click.FloatRange(min=0, min_open=True),
              help="Detect this temperature, e.g. 1.1 (over-confident) or 0.9.")  # fmt: skip
@click.option("--bias", type=click.FloatRange(-1, 1), help="Detect a class predicted this much too "
              "often (or, negative, too rarely), e.g. 0.02.")  # fmt: skip
@click.option("--class", "biased_class", metavar="CLASS", help="The class of --bias (default: the "
              "last of two, else the one whose bias is hardest to detect).")  # fmt: skip
@click.option("--power", type=_SHARE, default=0.8, show_default=True,
              help="Probability of detecting it.")  # fmt: skip
@click.option("--alpha", type=_SHARE, default=0.05, show_default=True,
              help="The test rejects at p ≤ alpha.")  # fmt: skip
@click.option("--n-classes", type=click.IntRange(2, 10_000), help="Without FILE: number of classes "
              "(default: 2).")  # fmt: skip
@click.option("--confidence", type=_SHARE, help="Without FILE: mean probability of the predicted "
              "class (default: 0.75).")  # fmt: skip
@ungrouped_input_options
@SEED
@JOBS
@output_options
def command(
    file: str | None,
    temperature: float | None,
    bias: float | None,
    biased_class: str | None,
    power: float,
    alpha: float,
    n_classes: int | None,
    confidence: float | None,
    data: Input,
    seed: int,
    jobs: int | None,
    json: str | None,
) -> None:
    """Plan how many rows `calibrant test` needs to detect a temperature or a bias.

    The rows are like those of FILE, whose labels are used with --cluster only, or like those of a
    model described by --n-classes and --confidence. The default test is simulated.
    """
    from calibrant.cli._documents import PlanDocument
    from calibrant.io import FileFacts

    _check(file, temperature, bias, biased_class, n_classes, confidence)
    if file is None:
        refuse_file_options("there is no FILE to read")
    found = None if file is None else data.read(file, minimum=2)
    with computing(), shown_progress("simulating", data.quiet) as progress:
        import calibrant as cal

        rows = None if found is None else found.predictions
        names = {} if rows is None else {str(name): name for name in rows.classes}
        result = cal.rows_needed(
            rows,
            temperature=temperature,
            bias=bias,
            label=names.get(biased_class or "", biased_class),
            power=power,
            alpha=alpha,
            n_classes=n_classes,
            confidence=confidence,
            rng=seed,
            n_jobs=jobs,
            progress=progress,
        )
    facts_of = None if found is None else FileFacts.of(found)
    last = Section(table=facts([("seed", f"{seed}; the same seed gives the same result")]))
    sections = (*result.sections, last if file is None else origin(file, seed))
    Output(json).show("plan", Page(result.verdict, sections), PlanDocument(facts_of, seed, result))


def _check(
    file: str | None,
    temperature: float | None,
    bias: float | None,
    biased_class: str | None,
    n_classes: int | None,
    confidence: float | None,
) -> None:
    if (temperature is None) == (bias is None):
        raise click.UsageError("say what to detect: --temperature 1.1 or --bias 0.02")
    if temperature == 1.0 or bias == 0.0:
        raise click.UsageError("a temperature of 1 and a bias of 0 are not errors")
    if biased_class is not None and (bias is None or file is None):
        raise click.UsageError("--class needs --bias and a FILE with that class")
    if file is not None and (n_classes is not None or confidence is not None):
        raise click.UsageError("--n-classes and --confidence describe a model in place of FILE")
    if confidence is not None and confidence <= 1.0 / (n_classes or 2):
        raise click.UsageError(
            f"--confidence must be above 1/{n_classes or 2}, the least that the most probable of "
            f"{n_classes or 2} classes can have"
        )
