"""``python -m benchmarks.levels``: how often every test rejects what it should and should not.

Prints rejection rates at 5 % with their standard errors: calibrated models (level), miscalibrated
ones (power), calibrated ones that were rounded in a file (rounding), and the default test with
other floors of its log-score direction (floors, drift). The defaults take about five minutes on
two cores. The exit code is 0 whatever was measured.
"""

from __future__ import annotations

import argparse
import csv
import os
from collections import Counter
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from math import sqrt
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.level_studies import (
    FLOORS,
    Cell,
    floor_cells,
    level_cells,
    power_cells,
    rejections,
    rounding_cells,
    rounding_drift,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

CELLS: dict[str, Callable[[int], Iterator[Cell]]] = {
    "level": level_cells,
    "power": power_cells,
    "rounding": rounding_cells,
    "floors": floor_cells,
}
TITLES = {
    "level": "Level: calibrated models, Dir(0.1)",
    "power": "Power",
    "rounding": "Rounding: calibrated models, Dir(0.1), four digits in the file",
    "floors": "Power of the default by the floor of its log-score direction: n = 250",
    "drift": "Drift of the directions by rounding, in standard deviations: n = 10000",
}


@dataclass(frozen=True)
class Measured:
    """A cell and how often its tests rejected."""

    cell: Cell
    counts: dict[str, int]

    def entry(self, method: str) -> str:
        """Return a rejection rate and its standard error as text."""
        return f"{self.rate(method):.3f} ±{self.error(method):.3f}".replace("0.", ".")

    def rate(self, method: str) -> float:
        """Return the share of the runs in which the test rejected."""
        return self.counts[method] / self.cell.runs

    def error(self, method: str) -> float:
        """Return the standard error √(r(1 − r)/R), or that of one rejection if there is none."""
        rate = min(max(self.rate(method), 1 / self.cell.runs), 1 - 1 / (self.cell.runs + 1))
        return sqrt(rate * (1.0 - rate) / self.cell.runs)


def main(arguments: list[str] | None = None) -> None:
    """Run the selected measurements and print the tables."""
    options = _parser().parse_args(arguments)
    chosen = options.only or list(TITLES)
    cells = [cell for study in chosen if study in CELLS for cell in CELLS[study](options.runs)]
    measured = measure(cells, options.seed, options.jobs)
    text = "\n\n".join(
        table
        for study in chosen
        for table in (
            [_drift_table()]
            if study == "drift"
            else _tables(study, [one for one in measured if one.cell.study == study])
        )
    )
    print(text)
    if options.output is not None:
        options.output.mkdir(parents=True, exist_ok=True)
        (options.output / "levels.txt").write_text(text + "\n", encoding="utf-8")
        _write_csv(options.output / "levels.csv", measured)


def measure(cells: Sequence[Cell], seed: int, jobs: int) -> list[Measured]:
    """Run all cells on processes, one per core; results do not depend on their number."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # the processes inherit it
    totals: list[Counter[str]] = [Counter() for _ in cells]
    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with (
        ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool,
        Progress(*columns, console=Console(stderr=True)) as progress,
    ):
        bar = progress.add_task("runs", total=sum(cell.runs for cell in cells))
        tasks: dict[Future[dict[str, int]], tuple[int, int]] = {}
        for index, cell in enumerate(cells):
            for start in range(0, cell.runs, cell.runs_at_once):
                runs = range(start, min(start + cell.runs_at_once, cell.runs))
                tasks[pool.submit(rejections, cell, seed, runs)] = (index, len(runs))
        for future in as_completed(tasks):
            index, done = tasks[future]
            totals[index].update(future.result())
            progress.advance(bar, done)
    return [Measured(cell, dict(total)) for cell, total in zip(cells, totals, strict=True)]


def render(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a plain-text table that is valid reStructuredText."""
    lines = [tuple(header), *map(tuple, rows)]
    widths = [max(len(line[c]) for line in lines) for c in range(len(header))]
    rule = "  ".join("=" * width for width in widths)
    body = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
    return "\n".join([rule, body[0], rule, *body[1:], rule])


def _tables(study: str, measured: Sequence[Measured]) -> Iterator[str]:
    if study == "power":
        places = dict.fromkeys((one.cell.n_samples, one.cell.n_classes) for one in measured)
        for n, m in places:
            here = [one for one in measured if (one.cell.n_samples, one.cell.n_classes) == (n, m)]
            labels = [one.cell.label for one in here]
            yield _table(f"{TITLES[study]}: n = {n}, m = {m}", here, labels)
        return
    for methods in dict.fromkeys(one.cell.methods for one in measured):
        here = [one for one in measured if one.cell.methods == methods]
        labels = [
            cell.label if study == "floors" else f"n={cell.n_samples} m={cell.n_classes}"
            for cell in (one.cell for one in here)
        ]
        yield _table(TITLES[study], here, labels)


def _table(title: str, measured: Sequence[Measured], labels: Sequence[str]) -> str:
    methods = measured[0].cell.methods
    rows = [(method, *(one.entry(method) for one in measured)) for method in methods]
    runs = ("runs", *(str(one.cell.runs) for one in measured))
    return f"{title}\n\n{render(('rejected at 5 %', *labels), [*rows, runs])}"


def _drift_table() -> str:
    places = [(m, digits) for m in (10, 100) for digits in (4, 3, 2)]
    rows = [
        (
            "Brier" if floor is None else f"log, floor {floor:g}",
            *(f"{rounding_drift(10_000, m, digits, floor):.2f}" for m, digits in places),
        )
        for floor in (None, *FLOORS)
    ]
    header = ("direction", *(f"m={m}, {digits} digits" for m, digits in places))
    return f"{TITLES['drift']}\n\n{render(header, rows)}"


def _write_csv(path: Path, measured: Sequence[Measured]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["study", "model", "n_samples", "n_classes", "test", "runs", "rate", "error"]
        )
        for one in measured:
            cell = one.cell
            for name in cell.methods:
                place = [cell.study, cell.label, cell.n_samples, cell.n_classes, name, cell.runs]
                writer.writerow([*place, f"{one.rate(name):.5f}", f"{one.error(name):.5f}"])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.levels", description=__doc__)
    parser.add_argument(
        "--runs", type=int, default=200, help="of a cell of the level table; others have a part"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--only", action="append", choices=TITLES, help="may be given repeatedly")
    parser.add_argument("--output", type=Path, help="folder for levels.txt and levels.csv")
    return parser


if __name__ == "__main__":
    main()
