"""Options shared by the paper's experiments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import click

from calibrant.cli._run_options import JOBS, SEED

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

OUTPUT = click.option(
    "-o", "--output", metavar="DIR", type=click.Path(path_type=Path), required=True,
    help="Folder of the results; it must be new or empty, except with --resume.",
)  # fmt: skip
RESUME = click.option(
    "--resume", is_flag=True, help="Resume in the folder; finished parts are kept."
)
PUBLISHED = click.option(
    "--published", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of the paper's published numbers: compare, and draw them with ours.",
)  # fmt: skip
DATASETS = click.option(
    "--datasets", metavar="N", type=click.IntRange(min=2), default=10_000, show_default=True,
    help="Simulated data sets per setting; use fewer for a quick look.",
)  # fmt: skip
QUIET = click.option("-q", "--quiet", is_flag=True, help="No progress.")

__all__ = [
    "DATASETS",
    "JOBS",
    "OUTPUT",
    "PUBLISHED",
    "QUIET",
    "RESUME",
    "SEED",
    "simulated",
    "some_of",
]


def simulated(classes: Sequence[int]) -> Decorator:
    """Return a decorator that adds the options of a simulation, passed as a plan."""
    options = (
        DATASETS,
        some_of("classes", classes, "Run only these numbers of classes."),
        some_of("alpha", (0.1, 1.0), "Run only these concentrations of the predictions."),
        OUTPUT,
        RESUME,
        PUBLISHED,
        SEED,
        JOBS,
        QUIET,
    )

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def command(
            output: Path,
            published: Path | None,
            quiet: bool,
            datasets: int,
            classes: tuple[int, ...],
            alpha: tuple[float, ...],
            seed: int,
            resume: bool,
            jobs: int | None,
        ) -> None:
            from calibrant.paper import Plan

            function(output, published, quiet, Plan(classes, alpha, datasets, seed, resume, jobs))

        decorated: Callable[..., Any] = command
        for option in reversed(options):
            decorated = option(decorated)
        return decorated

    return decorate


def some_of(name: str, values: Sequence[Any], help_text: str) -> Decorator:
    """Return an option for some of the paper's values, separated by commas."""

    def chosen(_ctx: click.Context, _param: click.Parameter, text: str | None) -> tuple[Any, ...]:
        if text is None:
            return tuple(values)
        known = {f"{value:g}": value for value in values}
        words = [word.strip() for word in text.split(",")]
        try:
            wanted = {f"{float(word):g}" for word in words}
        except ValueError:
            wanted = set(words)
        if not wanted <= set(known):
            raise click.BadParameter(f"{text!r} must be some of {', '.join(known)}")
        return tuple(value for word, value in known.items() if word in wanted)

    listed = ",".join(f"{value:g}" for value in values)
    return click.option(f"--{name}", metavar=listed, callback=chosen, help=help_text)
