"""The options for random numbers and threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from calibrant._output import Section, facts
from calibrant.cli._input import refuse_given

SEED = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True,
    help="Seed of the random numbers; the same seed gives the same result.",
)  # fmt: skip
RESAMPLES = click.option(
    "--resamples", type=click.IntRange(min=1), default=999, show_default=True,
    help="Number of label sets to draw; the smallest possible p-value is 1/(1 + N).",
)  # fmt: skip
JOBS = click.option(
    "-j", "--jobs", type=click.IntRange(min=1), help="Threads (default: all cores). No result "
    "depends on it.",
)  # fmt: skip
DRAWS = click.option(
    "--draws", is_flag=True, help="Add the statistic of every label set to the JSON output.",
)  # fmt: skip


def run_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add --seed, --resamples and --jobs to a command."""
    return SEED(RESAMPLES(JOBS(function)))


def refuse_idle_draws(json: str | None) -> None:
    """Refuse --draws without JSON output."""
    if json is None:
        refuse_given("draws", "it needs --json")


def origin(file: str, seed: int) -> Section:
    """Return the file and seed behind a result."""
    rows = [("file", file), ("seed", f"{seed}; the same seed gives the same result")]
    return Section(table=facts(rows))
