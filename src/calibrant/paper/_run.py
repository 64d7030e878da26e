"""An experiment in its folder: every part is kept as soon as it is finished."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calibrant._execution import Checkpoint, Parallel, Progress, Ticker, computation, run
from calibrant.errors import Argument, InputError, Problem, Words

#: what a folder keeps of finished parts
KEPT = "run.ckpt"
OUTPUT, RESUME = Argument("output"), Argument("resume", True)


@dataclass(frozen=True)
class Part:
    """A part of an experiment: the name of its results, how long it takes relative to others."""

    name: str
    work: float
    content: Any = None


def run_parts(
    compute: Callable[[Part], Any],
    parts: Sequence[Part],
    folder: Path,
    facts: Mapping[str, object],
    *,
    resume: bool,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> list[Any]:
    """Compute the parts that `folder` does not hold yet; return the results of all.

    `facts` are what the numbers depend on: a folder with other facts is refused, as is any
    folder that holds something else. A part is kept by the thread that computed it: an
    interruption loses none that is finished.
    """
    if not (resume and (folder / KEPT).exists()):
        check_free(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with Checkpoint(folder / KEPT, computation(**facts)) as kept:
        results = {part.name: kept.record(part.name) for part in parts}
        missing = [part for part in parts if results[part.name] is None]
        ticker = Ticker(progress, sum(int(part.work) for part in missing))

        def finish(part: Part) -> None:
            results[part.name] = compute(part)
            kept.keep(part.name, results[part.name])
            ticker.tick(int(part.work))

        for _ in run(finish, missing, Parallel(n_jobs)):
            pass
    return [results[part.name] for part in parts]


def check_free(folder: Path) -> None:
    """Refuse a folder that holds anything."""
    remedy: Words
    if folder.exists() and not folder.is_dir():
        rule, remedy = "this is a file", ("name a folder for the results with ", OUTPUT)
    elif not folder.exists() or not any(folder.iterdir()):
        return
    elif (folder / KEPT).exists() or any(folder.glob(f"*/{KEPT}")):
        rule = "there are results in this folder"
        remedy = ("resume them with ", RESUME, ", or name another folder with ", OUTPUT)
    else:
        rule = "this folder contains other files"
        remedy = ("name an empty or a new folder with ", OUTPUT)
    raise InputError(Problem.OCCUPIED, rule, source=str(folder), remedy=remedy)
