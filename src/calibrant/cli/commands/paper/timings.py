"""`calibrant paper timings`: the running times and precision of the estimators."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from calibrant.cli._exit import computing
from calibrant.cli._output import Page, as_placed
from calibrant.cli._progress import shown_progress
from calibrant.cli.commands.paper._options import OUTPUT, PUBLISHED, QUIET, RESUME, SEED, some_of
from calibrant.cli.commands.paper._results import show_summary, write_figures, writing

if TYPE_CHECKING:
    from calibrant.paper import Times


@click.command("timings")
@some_of("classes", (2, 10, 100, 1000), "Run only these numbers of classes.")
@some_of("samples", (10, 17, 28, 46, 77, 129, 215, 359, 599, 1000), "Only these sizes.")
@click.option("-j", "--jobs", type=click.IntRange(min=1), default=1, show_default=True,
              help="Threads of a call; the published times are those of one.")  # fmt: skip
@OUTPUT
@RESUME
@PUBLISHED
@SEED
@QUIET
def command(
    classes: tuple[int, ...],
    samples: tuple[int, ...],
    jobs: int,
    output: Path,
    resume: bool,
    published: Path | None,
    seed: int,
    quiet: bool,
) -> None:
    """Time the estimators on the paper's grid, and show their precision against their time.

    Times are the least of 20 runs. Run it on an idle machine.
    """
    from calibrant.paper import (
        published_timings,
        run_timings,
        run_work_precision,
        timing_figure,
        work_precision_figure,
        write_timing_tables,
    )

    theirs = None if published is None else published_timings(published)
    with writing(output), computing():
        with shown_progress("timing", quiet) as progress:
            ours = run_timings(
                output,
                resume=resume,
                classes=classes,
                sizes=samples,
                n_jobs=jobs,
                progress=progress,
            )
        with shown_progress("measuring precision", quiet) as progress:
            points = run_work_precision(
                output / "precision", seed=seed, resume=resume, progress=progress
            )
    with writing(output):
        write_timing_tables(output, ours, theirs, points)
        figures = [timing_figure(ours, theirs), work_precision_figure(points)]
        write_figures(output, figures, quiet)
    show_summary(output, _page(ours, theirs))


def _page(ours: Times, theirs: Times | None) -> Page:
    if theirs is None:
        return Page(f"{len(ours)} times are measured.")
    ratios = {key: theirs[key] / ours[key] for key in ours if key in theirs}
    if not ratios:
        return Page("No time of this run was published.")
    faster = sum(ratio > 1 for ratio in ratios.values())
    lines = ["Published time divided by ours, by number of samples:"]
    sizes = sorted({n for _, _, n in ratios})
    lines.append(f"  {'':<22}" + "".join(f"{n:>8}" for n in sizes))
    for name, m in dict.fromkeys((name, m) for name, m, _ in ratios):
        cells = [ratios.get((name, m, n)) for n in sizes]
        texts = ["" if ratio is None else f"{ratio:.2g}" for ratio in cells]
        lines.append(f"  {f'{name}, m={m}':<22}" + "".join(f"{text:>8}" for text in texts))
    return Page(
        f"{faster} of {len(ratios)} calls are faster than published.",
        as_placed(lines),
    )
