"""`calibrant demo`: verdicts on bundled predictions of real classifiers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from calibrant._output import Section, estimate_text, facts, number
from calibrant.cli._exit import computing
from calibrant.cli._output import Output, Page, output_options, unwritable
from calibrant.cli._progress import shown_progress
from calibrant.cli._run_options import DRAWS, refuse_idle_draws, run_options
from calibrant.cli.commands.report import check_report_options, write_page

if TYPE_CHECKING:
    from calibrant._calibration_test import CalibrationTestResult
    from calibrant._followup.compare import ComparisonResult
    from calibrant._followup.repair import RepairResult
    from calibrant._predictions import Predictions
    from calibrant.effects import Effect


@click.command("demo", short_help="Test four classifiers that come with calibrant.")
@click.option("-o", "--output", metavar="PAGE", default="calibration.html", show_default=True,
              help="Report with all pictures, an HTML file.")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace a file that calibrant did not write.")
@click.option("--save", metavar="FOLDER", help="Also write the predictions as CSV files.")
@click.option("-q", "--quiet", is_flag=True, help="Print the result only: no progress, no notes.")
@DRAWS
@run_options
@output_options
def command(
    output: str,
    force: bool,
    save: str | None,
    quiet: bool,
    draws: bool,
    seed: int,
    resamples: int,
    jobs: int | None,
    json: str | None,
) -> None:
    """Test four classifiers of handwritten digits that come with calibrant.

    One is calibrated, one over-confident, one is the over-confident one after a repair, and one is
    under-confident. The demo repairs the miscalibrated ones, measures the gain on unseen rows, and
    writes a report with all pictures. It downloads nothing.
    """
    from calibrant.cli._documents import DemoDocument
    from calibrant.demo import STORIES, load_digits_predictions

    check_report_options(output, force, resamples)
    refuse_idle_draws(json)
    models = load_digits_predictions()
    with computing(), shown_progress("demo", quiet) as progress:
        import calibrant as cal

        report = cal.Report(
            None,
            models,
            title="Can these classifiers of handwritten digits be trusted?",
            dataset="797 handwritten digits that no classifier was trained on",
            repair=True,
            n_resamples=resamples,
            rng=seed,
            n_jobs=jobs,
            progress=progress,
            origin={"command": _command(seed, resamples)},
        )
        results, comparison = report.tests, report.comparison
        assert comparison is not None
        html = report.html()
        repairs = {n: one for n, one in report.repairs.items() if results[n].reject()}
    write_page(output, html, quiet)
    saved = [] if save is None else _save(Path(save), models)
    page = Page(
        "Can the probabilities of these classifiers be trusted? (797 handwritten digits)",
        (*_sections(results, STORIES, comparison, repairs), _next_steps(seed, saved)),
    )
    if not draws:
        results = {name: replace(r, null_distribution=None) for name, r in results.items()}
    Output(json).show("demo", page, DemoDocument(seed, results, comparison, repairs))


def _command(seed: int, resamples: int) -> str:
    options = f" --seed {seed}" if seed else ""
    return f"calibrant demo{options}" + (f" --resamples {resamples}" if resamples != 999 else "")


def _sections(
    results: dict[str, CalibrationTestResult],
    stories: dict[str, str],
    comparison: ComparisonResult,
    repairs: dict[str, RepairResult],
) -> list[Section]:
    shown = ("temperature", "ece", "accuracy")
    return [
        *(
            Section(
                f"{name} ({stories[name]}):",
                (result.verdict,),
                facts(_row(result.effects[key]) for key in shown),
            )
            for name, result in results.items()
        ),
        Section("Which is better calibrated?", (comparison.verdict,)),
        Section("What to do?", tuple(f"{n}: {one.verdict}" for n, one in repairs.items())),
    ]


def _row(effect: Effect) -> tuple[str, str]:
    floor = effect.noise_floor
    chance = "" if floor is None else f" ({number(floor.mean)} if it were calibrated)"
    what = {"ece": "expected calibration error"}
    text = estimate_text(effect.estimate, effect.interval.low, effect.interval.high)
    return what.get(effect.name, effect.name), f"{text}{chance}"


def _next_steps(seed: int, saved: list[str]) -> Section:
    lines = (
        f"Random numbers: seed {seed}; the same seed gives the same result.",
        "Your own file: calibrant check preds.csv; calibrant report preds.csv --repair",
        "All commands: calibrant --help",
        *saved,
    )
    return Section(verbatim=lines)


def _save(folder: Path, models: dict[str, Predictions]) -> list[str]:
    from calibrant.io import write_predictions

    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, predictions in models.items():
            write_predictions(str(folder / f"{name}.csv"), predictions)
    except OSError as error:
        raise unwritable(str(folder), error) from error
    return [f"Saved: {', '.join(str(folder / f'{name}.csv') for name in models)}"]
