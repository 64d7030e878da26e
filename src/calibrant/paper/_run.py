"""Running an experiment in its folder, storing every part as soon as it is finished."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calibrant._execution import Checkpoint, Parallel, Progress, Ticker, computation, run
from calibrant.errors import Argument, InputError, Problem, Words

#: the checkpoint of finished parts in a folder
KEPT = "run.ckpt"
OUTPUT, RESUME = Argument("output"), Argument("resume", True)


@dataclass(frozen=True)
class Part:
    """A part of an experiment, with the name of its results and its relative time."""

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
    """Compute the parts that are not yet in `folder`; return the results of all parts.

    `facts` determine the numbers: a folder with other facts is refused, and so is a folder with
    other contents. Each part is stored by the thread that computed it, so that an interruption
    loses no finished part.
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
    """Refuse a folder that is not empty."""
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
