"""Whether the default test reaches the power that `rows_needed` promises.

For each described model and effect, it prints the number of rows, and how often the default test
rejects with that many fresh rows.

python -m benchmarks.rows [--runs 400]
"""

from __future__ import annotations

import argparse
import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from math import sqrt
from multiprocessing import get_context

import numpy as np

import calibrant as cal
from benchmarks.levels import render
from calibrant.models import temperature_scale

#: mean confidence of the described models, and rows that represent the population
CONFIDENCE, POPULATION = 0.75, 200_000
EFFECTS = (
    {"temperature": 1.1},
    {"temperature": 1.3},
    {"temperature": 0.8},
    {"bias": 0.02},
    {"bias": 0.05},
)


@dataclass(frozen=True)
class Cell:
    """A described model and an effect."""

    n_classes: int
    effect: str
    size: float

    @property
    def plan(self) -> cal.RowsNeeded:
        """The planned number of rows."""
        return cal.rows_needed(
            n_classes=self.n_classes, confidence=CONFIDENCE, rng=0, n_jobs=1,
            **{self.effect: self.size},
        )  # fmt: skip


def concentration(n_classes: int) -> float:
    """Return the concentration with this mean confidence, by bisection on many rows."""
    low, high = 1e-3, 100.0
    for _ in range(30):
        middle = sqrt(low * high)
        rows = np.random.default_rng(1).dirichlet(np.full(n_classes, middle), 50_000)
        low, high = (middle, high) if rows.max(axis=1).mean() > CONFIDENCE else (low, middle)
    return low


def truth_of(cell: Cell, y_prob: np.ndarray) -> np.ndarray:
    """Return the distribution of the labels."""
    if cell.effect == "temperature":
        return temperature_scale(y_prob, cell.size)
    column = 1 if cell.n_classes == 2 else 0  # all classes of a symmetric Dirichlet are equivalent
    low, high = -10.0, 10.0
    for _ in range(60):
        shift = 0.5 * (low + high)
        q = y_prob.copy()
        q[:, column] *= np.exp(shift)
        q /= q.sum(axis=1, keepdims=True)
        found = y_prob[:, column].mean() - q[:, column].mean()
        low, high = (low, shift) if found < cell.size else (shift, high)
    return q


def rejections(cell: Cell, n_samples: int, runs: range) -> int:
    """Count rejections on fresh rows."""
    alpha = np.full(cell.n_classes, concentration(cell.n_classes))
    everything = np.random.default_rng(2).dirichlet(alpha, POPULATION)
    truth, count = truth_of(cell, everything), 0
    for run in runs:
        rng = np.random.default_rng([3, run])
        rows = rng.integers(0, POPULATION, n_samples)
        below = np.cumsum(truth[rows], axis=1) <= rng.random((n_samples, 1))
        y_true = np.minimum(below.sum(axis=1), cell.n_classes - 1)
        data = cal.Predictions(y_true, everything[rows], classes=range(cell.n_classes))
        count += cal.calibration_test(data, rng=rng, n_jobs=1, effects=False).reject()
    return count


def main(arguments: list[str] | None = None) -> None:
    """Print a row for every cell."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rows", description=__doc__)
    parser.add_argument("--runs", type=int, default=400, help="of each cell")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--classes", type=int, nargs="+", default=[2, 10])
    options = parser.parse_args(arguments)
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # the processes inherit it
    table = []
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn")) as pool:
        for cell in [
            Cell(m, name, size)
            for m in options.classes
            for effect in EFFECTS
            for name, size in effect.items()
        ]:
            plan = cell.plan
            parts = [range(k, min(k + 25, options.runs)) for k in range(0, options.runs, 25)]
            tasks = [pool.submit(rejections, cell, plan.n_samples, part) for part in parts]
            share = sum(task.result() for task in tasks) / options.runs
            error = sqrt(max(share * (1 - share), 1e-4) / options.runs)
            rows = f"{plan.n_samples} ({plan.low} to {plan.high})"
            name = f"{cell.effect} {cell.size:g}"
            table.append((str(cell.n_classes), name, rows, f"{share:.3f} ±{error:.3f}"))
            print(*table[-1], sep="  ", flush=True)
    print()
    print(render(("classes", "effect", "rows needed for power .8", "power there"), table))


if __name__ == "__main__":
    main()
