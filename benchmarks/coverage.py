"""``python -m benchmarks.coverage``: how often the interval of every effect covers the truth.

Prints the share of runs whose 95 % interval contains the true value, with its standard error, for
models whose truth is known: from closed forms, or from very many rows whose labels are replaced
by their probabilities. The defaults take about half an hour on two cores. The exit code is
always 0.
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from math import sqrt
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from benchmarks.levels import render
from calibrant import SKCE, Predictions
from calibrant._execution import Parallel
from calibrant.effects import (
    accuracy,
    bias,
    brier,
    calibration_loss,
    intercept,
    log_loss,
    rmsce,
    skce_interval,
    slope,
    temperature,
)
from calibrant.effects._event_bins import EventBins
from calibrant.effects._repair_gain import learn
from calibrant.estimators import default_bandwidth
from calibrant.kernels import Laplacian
from calibrant.models import (
    M1,
    DirichletModel,
    Distorted,
    GenerativeModel,
    LogitShift,
    TemperatureModel,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibrant._native import FloatArray
    from calibrant.effects import Effect

EFFECTS = (calibration_loss, bias, temperature, slope, intercept, rmsce, accuracy, brier, log_loss)
NAMES = (*(effect.__name__ for effect in EFFECTS), "skce")
#: rows from which true values are computed
TRUTH_ROWS, PAIR_ROWS = 50_000, 6000
SIZES = (50, 250, 2000)
#: concentration of the predictions, by number of classes
ALPHA = {2: 0.5, 10: 0.1}


def models(n_classes: int) -> dict[str, GenerativeModel]:
    """Return the models of the study by name."""
    alpha = ALPHA[n_classes]
    shift = LogitShift([np.log(3.0), *[0.0] * (n_classes - 1)])
    return {
        "calibrated": M1(n_classes, alpha),
        "temp. 1.5": TemperatureModel(alpha, n_classes, temperature=1.5),
        "M2 π=.1": DirichletModel(alpha, n_classes, pi=0.1, beta="first"),
        "M3 π=.1": DirichletModel(alpha, n_classes, pi=0.1),
        "class shift": Distorted(alpha, n_classes, truth=shift),
    }


@dataclass(frozen=True)
class Cell:
    """A model at a sample size."""

    label: str
    n_classes: int
    n_samples: int

    @property
    def model(self) -> GenerativeModel:
        """The model."""
        return models(self.n_classes)[self.label]

    def sample(self, seed: int, run: int) -> Predictions:
        """Draw the data of a run."""
        name = f"{self.label} {self.n_samples} {self.n_classes}"
        rng = np.random.default_rng([seed, crc32(name.encode()), run])
        return Predictions(*self.model.sample(self.n_samples, rng=rng))


@dataclass(frozen=True, eq=False)
class Truth:
    """Very many predictions of a model, and the distribution of each label."""

    y_prob: FloatArray
    label_probs: FloatArray

    @classmethod
    @cache
    def of(cls, label: str, n_classes: int) -> Truth:
        """Draw the predictions."""
        model = models(n_classes)[label]
        y_prob = np.asarray(model.sample(TRUTH_ROWS, rng=0)[1])
        return cls(y_prob, np.asarray(model.calibration_function(y_prob)))

    @property
    def expanded(self) -> Predictions:
        """Every row with every label, weighted by its probability."""
        n, m = self.y_prob.shape
        weight = self.label_probs.ravel()
        rows = np.flatnonzero(weight > 0)
        labels, table = np.tile(np.arange(m), n), np.repeat(self.y_prob, m, axis=0)
        return Predictions(labels[rows], table[rows], sample_weight=weight[rows])

    @cache  # noqa: B019 - a handful of objects
    def values(self) -> dict[str, FloatArray]:
        """Return the true values that are independent of the sample size."""
        rows = self.expanded
        event = EventBins.of(Predictions(np.zeros(len(self.y_prob), int), self.y_prob))
        residual = self.y_prob - self.label_probs
        shifts = [one["estimate"] for one in intercept(rows).details["classes"]]
        top = self.y_prob.argmax(axis=1) if self.y_prob.shape[1] > 2 else np.ones(TRUTH_ROWS, int)
        gap = residual[np.arange(TRUTH_ROWS), top]
        square = np.bincount(event.ids, gap) ** 2 / np.bincount(event.ids)
        found = {
            "bias": residual.mean(axis=0),
            "temperature": temperature(rows).estimate,
            "slope": slope(rows).estimate,
            "intercept": np.array(shifts),
            "rmsce": sqrt(square.sum() / TRUTH_ROWS),
            "skce": self._skce(),
            **{one.__name__: one(rows).estimate for one in (accuracy, brier, log_loss)},
        }
        return {name: np.atleast_1d(value) for name, value in found.items()}

    @property
    def bandwidth(self) -> float:
        """The fixed bandwidth of all runs; a rule would give each run a different truth."""
        return default_bandwidth(self.y_prob)

    def gain(self, predictions: Predictions) -> float:
        """Return the gain on other rows of the map fitted to nine tenths of the rows."""
        learned = learn(predictions.take(slice(0, predictions.n_samples * 9 // 10))).chosen
        some = slice(0, 5000)
        p, q = np.maximum(self.y_prob[some], 1e-12), self.label_probs[some]
        repaired = learned.predict_checked(self.y_prob[some])
        return float(
            np.sum(q * (np.log(repaired) - np.log(p / p.sum(axis=1, keepdims=True)))) / len(p)
        )

    def _skce(self) -> float:
        p, r = self.y_prob[:PAIR_ROWS], (self.label_probs - self.y_prob)[:PAIR_ROWS]
        h = Laplacian(self.bandwidth)(p, p) * (r @ r.T)
        return float((h.sum() - np.trace(h)) / (PAIR_ROWS * (PAIR_ROWS - 1)))


def run_some(cell: Cell, seed: int, runs: range) -> list[dict[str, list[tuple[float, ...]]]]:
    """Return, by run, the estimate and ends of every interval, and the gain of the fitted map."""
    truth, results = Truth.of(cell.label, cell.n_classes), []
    for run in runs:
        rows = cell.sample(seed, run)
        effects = {one.__name__: one(rows) for one in EFFECTS}
        skce = SKCE(Laplacian(truth.bandwidth))
        effects["skce"] = skce_interval(rows, skce, parallel=Parallel(1))
        found = {name: _ends(effect) for name, effect in effects.items()}
        results.append({**found, "gain": [(truth.gain(rows),)]})
    return results


def _ends(effect: Effect) -> list[tuple[float, ...]]:
    if "classes" in effect.details:
        return [(one["estimate"], one["low"], one["high"]) for one in effect.details["classes"]]
    return [(effect.estimate, effect.interval.low, effect.interval.high)]


@dataclass(frozen=True, eq=False)
class Coverage:
    """How often each interval of a cell covered the truth."""

    cell: Cell
    covered: Counter[str]
    known: Counter[str]

    @classmethod
    def of(cls, cell: Cell, results: list[dict[str, list[tuple[float, ...]]]]) -> Coverage:
        """Count the runs, without unknown intervals."""
        values = dict(Truth.of(cell.label, cell.n_classes).values())
        values["calibration_loss"] = np.array([np.mean([one["gain"][0][0] for one in results])])
        covered, known = Counter[str](), Counter[str]()
        for one in results:
            for name in NAMES:
                ends = np.array(one[name])
                if np.isnan(ends[:, 1]).any():
                    continue
                known[name] += 1
                held = (ends[:, 1] <= values[name] + 1e-9) & (values[name] - 1e-9 <= ends[:, 2])
                covered[name] += bool(held.all())
        return cls(cell, covered, known)

    def entry(self, name: str) -> str:
        """Return a share and its standard error."""
        n = self.known[name]
        if not n:
            return "–"
        share = self.covered[name] / n
        bounded = min(max(share, 1 / n), 1 - 1 / (n + 1))
        return f"{share:.3f} ±{sqrt(bounded * (1 - bounded) / n):.3f}".replace("0.", ".")


def main(arguments: list[str] | None = None) -> None:
    """Run the selected measurements and print the tables."""
    options = _parser().parse_args(arguments)
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # the processes inherit it
    cells = [
        Cell(label, m, n) for m in options.classes for n in options.rows for label in models(m)
    ]
    measured = measure(cells, options.runs, options.seed, options.jobs)
    text = "\n\n".join(
        _table([one for one in measured if (one.cell.n_classes, one.cell.n_samples) == place])
        for place in dict.fromkeys((cell.n_classes, cell.n_samples) for cell in cells)
    )
    print(text)
    if options.output is not None:
        options.output.write_text(text + "\n", encoding="utf-8")


def measure(cells: Sequence[Cell], runs: int, seed: int, jobs: int) -> list[Coverage]:
    """Run all cells on processes; results do not depend on their number."""
    at_once = 25
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        tasks = [
            [
                pool.submit(run_some, cell, seed, range(start, min(start + at_once, runs)))
                for start in range(0, runs, at_once)
            ]
            for cell in cells
        ]
        return [
            Coverage.of(cell, [one for task in parts for one in task.result()])
            for cell, parts in zip(cells, tasks, strict=True)
        ]


def _table(measured: Sequence[Coverage]) -> str:
    cell = measured[0].cell
    rows = [(name, *(one.entry(name) for one in measured)) for name in NAMES]
    head = ("95 % interval holds the truth", *(one.cell.label for one in measured))
    return f"n = {cell.n_samples}, m = {cell.n_classes}\n\n{render(head, rows)}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--runs", type=int, default=400, help="of each cell")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--classes", type=int, nargs="+", default=list(ALPHA), choices=ALPHA)
    parser.add_argument("--rows", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--output", type=Path, help="file for the tables")
    return parser


if __name__ == "__main__":
    main()
