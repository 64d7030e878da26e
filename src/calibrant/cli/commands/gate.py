"""`calibrant gate`: stop a pipeline if conditions hold."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any

import click

from calibrant._output import Section, Table
from calibrant.cli._exit import Failure, GateFailed, Unprinted, UsageOnLines, computing
from calibrant.cli._input import Input, refuse_given, ungrouped_input_options
from calibrant.cli._models import aligned, compared, refuse_twice_standard_input
from calibrant.cli._output import Output, Page, output_options, write_text
from calibrant.cli._progress import shown_progress
from calibrant.cli._run_options import origin, run_options
from calibrant.cli._streams import tell
from calibrant.cli.gate import Condition, GrammarError, Value, parse

if TYPE_CHECKING:
    from calibrant.io import PredictionFile

_EPILOG = """\b
Conditions:
  condition  = comparison, joined by and, or, parentheses
  comparison = operand (< <= > >=) operand
  operand    = a number, or one of
               p                                 the p-value of the calibration test
               bound                             upper limit of the typical error (rmsce)
               skce ece rmsce                    calibration errors, and every other name
                                                 in `calibrant measure --all`
               tau or temperature                temperature
               brier log_loss accuracy           scores
               delta_skce delta_brier            new minus baseline (--baseline),
               delta_log_loss delta_accuracy     with .lo and .hi
  parts      = .lo .hi   ends of the 95 % interval (not p, not ece)
               .excess   above what a calibrated model would show (skce, ece)

\b
Why not p alone? With few rows nothing is significant, and a terrible model passes.
With very many rows everything is, and a model with a negligible error fails.
Require evidence and size: 'p<0.01 and rmsce.lo>0.02' fails only a model whose
typical error is clearly above 0.02, in any direction. With several classes, that
is the error of the predicted label; 'p<0.01 and calibration_loss.lo>0.01' also
sees the bias of any class: it fails a model whose log loss a repair would clearly
lower by 0.01 nats. 'bound>0.05' fails a model that was not shown to be good: its
typical error may be above 0.05, or there are too few rows to tell.
"""


@click.command("gate", short_help="Exit with 1 if FILE is not good enough.", epilog=_EPILOG)
@click.argument("file")
@click.option("--fail-if", "conditions", metavar="CONDITION", multiple=True, required=True,
              help="Fail if this holds, e.g. 'p<0.01 and rmsce.lo>0.02'. May be repeated: any "
              "one fails the gate.")  # fmt: skip
@click.option(
    "--baseline", metavar="FILE", help="Predictions of the previous model for the same rows."
)
@click.option("--junit", metavar="FILE", help="Write a JUnit report.")
@ungrouped_input_options
@run_options
@output_options
def command(
    file: str,
    conditions: tuple[str, ...],
    baseline: str | None,
    junit: str | None,
    data: Input,
    seed: int,
    resamples: int,
    jobs: int | None,
    json: str | None,
) -> None:
    """Exit with 1 if FILE is not calibrated well enough, and with 0 if it is.

    Nothing else exits with 1: a broken file or a wrong condition never looks like a bad model.
    """
    from calibrant.cli._documents import GateDocument
    from calibrant.cli.gate._reports import Outcome, github_annotations, junit_xml
    from calibrant.io import FileFacts

    parsed = [_parsed(text, resamples, baseline is not None) for text in conditions]
    refuse_twice_standard_input(file, baseline)
    if json is None and not any(v.name.startswith("delta_") for c in parsed for v in _values(c)):
        refuse_given("baseline", "no condition compares with it, such as 'delta_brier>0'")
    found = data.read(file, minimum=2)
    old = None if baseline is None else data.read(baseline, minimum=2)
    with computing(), shown_progress("testing", data.quiet) as progress:
        needed = {value for condition in parsed for value in _values(condition)}
        numbers = _numbers(found, old, needed, seed, resamples, jobs, progress)
    outcomes = []
    for text, condition in zip(conditions, parsed, strict=True):
        used = {value: numbers[value] for value in _values(condition)}
        outcomes.append(Outcome(text, _holds(condition, used), used))
    failed = any(outcome.failed for outcome in outcomes)
    if junit is not None:
        write_text(junit, junit_xml(file, outcomes))
    if os.environ.get("GITHUB_ACTIONS") == "true":
        for line in github_annotations(file, outcomes):
            click.echo(line, err=True)
    verdict = "fails" if failed else "passes"
    rows = tuple(
        ("FAIL" if o.failed else "pass", o.condition, f"({o.describe()})") for o in outcomes
    )
    sections = (Section(table=Table(rows, indent="  ")), origin(file, seed))
    document = GateDocument(
        input=FileFacts.of(found),
        baseline=None if old is None else FileFacts.of(old),
        seed=seed,
        failed=failed,
        conditions=tuple(outcomes),
        numbers=numbers,
    )
    page = Page(f"{file} {verdict} the gate.", sections, alarm=failed)
    try:
        Output(json).show("gate", page, document)
    except Unprinted as error:  # the exit code is the result
        tell(str(error))
    if failed:
        raise GateFailed


def _parsed(text: str, n_resamples: int, baseline: bool) -> Condition:
    from calibrant.cli.gate._numbers import refusal

    try:
        condition = parse(text)
    except GrammarError as error:
        raise UsageOnLines(f"{text!r}: {error}", param_hint="--fail-if") from error
    wrong = refusal(condition.comparisons(), n_resamples, baseline)
    if wrong:
        raise click.BadParameter(f"{text!r}: {wrong}", param_hint="--fail-if")
    return condition


def _values(condition: Condition) -> list[Value]:
    sides = [side for c in condition.comparisons() for side in (c.left, c.right)]
    return list(dict.fromkeys(side for side in sides if isinstance(side, Value)))


def _numbers(
    found: PredictionFile,
    old: PredictionFile | None,
    needed: set[Value],
    seed: int,
    resamples: int,
    jobs: int | None,
    progress: Any,
) -> dict[Value, float]:
    import calibrant as cal
    from calibrant.cli.gate._numbers import difference_numbers, further_numbers, numbers_of_test

    result = cal.calibration_test(
        found.predictions,
        method=cal.methods.Aggregated(resamples),
        rng=seed,
        n_jobs=jobs,
        progress=progress,
    )
    numbers = numbers_of_test(result)
    others = sorted(needed - set(numbers), key=str)
    numbers |= further_numbers(found.predictions, others, seed, cal.Parallel(jobs))
    if old is None:
        return numbers
    models = aligned({"new": found, "baseline": old}, found.ids is not None)
    comparison = compared(models, rng=seed, n_jobs=jobs)
    return numbers | difference_numbers(comparison, "new", "baseline")


def _holds(condition: Condition, used: dict[Value, float]) -> bool:
    unknown = [str(value) for value, number in used.items() if math.isnan(number)]
    if unknown:
        raise Failure(
            f"{', '.join(unknown)} cannot be measured on this file, so the gate cannot decide. "
            "Use more rows, or another condition"
        )
    return condition.holds(used)
