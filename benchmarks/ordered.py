"""``python -m benchmarks.ordered``: the default test with and without ``ordered=True``.

Prints, for 250 rows of five classes, how often calibrated models are rejected at 5 % and how often
models that err along the order of the classes, or across it. The weights of the ordered
families were chosen on `CHOSEN`; the tables of the documentation are those of `OTHERS`. The exit
code is 0 whatever was measured.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.special import expit, logit

import calibrant as cal
from calibrant._native import FloatArray

N_ROWS, N_CLASSES, N_RESAMPLES = 250, 5, 199

Truth = Callable[[FloatArray, float, np.random.Generator], FloatArray]


@dataclass(frozen=True)
class Case:
    """A kind of predictions, with the kind and size of its miscalibration."""

    predictions: str
    truth: Truth
    size: float


def _of_reach(below: FloatArray) -> FloatArray:
    """Return the distributions with these P(class at most k), after sorting."""
    below = np.maximum.accumulate(np.clip(below, 0.0, 1.0), axis=1)
    ends = np.zeros((len(below), 1)), np.ones((len(below), 1))
    return np.diff(np.hstack([ends[0], below, ends[1]]), axis=1)


def _below(p: FloatArray) -> FloatArray:
    return np.clip(np.cumsum(p, axis=1)[:, :-1], 1e-9, 1.0 - 1e-9)


def draw_predictions(kind: str, rng: np.random.Generator) -> FloatArray:
    """Return flat Dirichlet predictions, or those of an ordered logit with even or skew cuts."""
    if kind == "dirichlet":
        return rng.dirichlet(np.ones(N_CLASSES), N_ROWS)
    center = 1.5 * rng.normal(size=(N_ROWS, 1))
    cuts = np.linspace(-1.8, 1.8, 4) if kind == "even" else np.array([0.5, 1.5, 2.3, 3.2])
    return _of_reach(expit(cuts - center))


def calibrated(p: FloatArray, size: float, rng: np.random.Generator) -> FloatArray:
    """Return the predictions."""
    return p


def shift(p: FloatArray, size: float, rng: np.random.Generator) -> FloatArray:
    """Shift all cumulative log-odds."""
    return _of_reach(expit(logit(_below(p)) + size))


def neighbor(p: FloatArray, size: float, rng: np.random.Generator) -> FloatArray:
    """Move a share of every class one class up."""
    q = p * (1.0 - size)
    q[:, 1:] += size * p[:, :-1]
    q[:, -1] += size * p[:, -1]
    return q


def one_cut(p: FloatArray, size: float, rng: np.random.Generator) -> FloatArray:
    """Shift the log-odds of one cut, as far as its neighbors allow."""
    below = _below(p)
    moved = below.copy()
    moved[:, 2] = np.clip(expit(logit(below[:, 2]) + size), below[:, 1], below[:, 3])
    return _of_reach(moved)


def spread(p: FloatArray, size: float, rng: np.random.Generator) -> FloatArray:
    """Widen the distribution about its median; a negative size narrows it."""
    return _of_reach(expit(logit(_below(p)) * np.exp(-size)))


def blur(p: FloatArray, size: float, rng: np.random.Generator) -> FloatArray:
    """Move a share of every class to both neighbors."""
    q, half = p * (1.0 - size), 0.5 * size
    q[:, 1:] += half * p[:, :-1]
    q[:, :-1] += half * p[:, 1:]
    q[:, [0, -1]] += half * p[:, [0, -1]]
    return q


def extremes(p: FloatArray, size: float, rng: np.random.Generator) -> FloatArray:
    """Raise the odds of the first and the last class."""
    return p * np.exp(size * np.array([1.0, 0.0, 0.0, 0.0, 1.0]))


def wave(p: FloatArray, size: float, rng: np.random.Generator) -> FloatArray:
    """Make the probability of every cut oscillate around its prediction."""
    below = _below(p)
    return _of_reach(below + size * np.sin(2.0 * np.pi * below))


def last_two(p: FloatArray, size: float, rng: np.random.Generator) -> FloatArray:
    """Move a share of the last class but one to the last."""
    q = p.copy()
    q[:, -1] += size * p[:, -2]
    q[:, -2] -= size * p[:, -2]
    return q


def temperature(p: FloatArray, size: float, rng: np.random.Generator) -> FloatArray:
    """Temper the predictions: over-confident above 1."""
    return p ** (1.0 / size)


def swap(p: FloatArray, size: float, rng: np.random.Generator) -> FloatArray:
    """Swap the first and the fourth class in a share of the rows."""
    q = p.copy()
    q[:, [0, 3]] = (1.0 - size) * p[:, [0, 3]] + size * p[:, [3, 0]]
    return q


def class_shifts(p: FloatArray, size: float, rng: np.random.Generator) -> FloatArray:
    """Shift the log-odds of every class at random."""
    return p * np.exp(size * rng.normal(size=N_CLASSES))


def alternating(p: FloatArray, size: float, rng: np.random.Generator) -> FloatArray:
    """Raise the odds of every other class and lower the rest."""
    return p * np.exp(size * (-1.0) ** np.arange(N_CLASSES))


def first_class(p: FloatArray, size: float, rng: np.random.Generator) -> FloatArray:
    """Give a share of the rows the first class (the paper's M2)."""
    q = p * (1.0 - size)
    q[:, 0] += size
    return q


CHOSEN = (
    Case("even", shift, 0.25), Case("dirichlet", shift, 0.25),
    Case("even", neighbor, 0.12), Case("dirichlet", neighbor, 0.12),
    Case("even", one_cut, 0.4), Case("dirichlet", one_cut, 0.5),
    Case("even", spread, 0.25), Case("even", spread, -0.25),
    Case("dirichlet", spread, 0.25), Case("dirichlet", spread, -0.25),
    Case("dirichlet", temperature, 1.4), Case("dirichlet", temperature, 0.75),
    Case("dirichlet", swap, 0.3), Case("dirichlet", class_shifts, 0.25),
    Case("dirichlet", first_class, 0.08), Case("dirichlet", alternating, 0.25),
)  # fmt: skip
OTHERS = (
    Case("skew", shift, 0.3), Case("even", shift, -0.2), Case("skew", one_cut, 0.5),
    Case("skew", spread, 0.3), Case("skew", spread, -0.3), Case("even", wave, 0.06),
    Case("even", extremes, 0.4), Case("even", blur, 0.25), Case("dirichlet", blur, 0.3),
    Case("skew", last_two, 0.4), Case("even", last_two, 0.3),
    Case("even", temperature, 1.35), Case("skew", temperature, 0.7),
    Case("dirichlet", swap, 0.25), Case("even", class_shifts, 0.25),
    Case("even", first_class, 0.06), Case("even", alternating, 0.3),
)  # fmt: skip
LEVELS = (
    Case("dirichlet", calibrated, 0.0),
    Case("even", calibrated, 0.0),
    Case("skew", calibrated, 0.0),
)


def reject(case: Case, runs: int, seed: int) -> tuple[float, float]:
    """Return the share of rejections at 5 % without and with the order."""
    found = np.zeros((runs, 2))
    for k in range(runs):
        rng = np.random.default_rng([seed, k])
        p = draw_predictions(case.predictions, rng)
        q = np.clip(case.truth(p, case.size, rng), 1e-12, None)
        below = np.cumsum(q / q.sum(axis=1, keepdims=True), axis=1)
        y = np.minimum((below < rng.random((N_ROWS, 1))).sum(axis=1), N_CLASSES - 1)
        for j, ordered in enumerate((False, True)):
            method = cal.methods.Aggregated(N_RESAMPLES)
            result = cal.calibration_test(
                y, p, method=method, ordered=ordered, rng=k, effects=False, n_jobs=1
            )
            found[k, j] = result.pvalue <= 0.05
    plain, with_order = found.mean(axis=0).tolist()
    return plain, with_order


def main() -> None:
    """Run the studies."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200, help="of a miscalibrated model")
    parser.add_argument("--level-runs", type=int, default=1000, help="of a calibrated model")
    parser.add_argument("--chosen", action="store_true", help="those that chose the weights")
    given = parser.parse_args()
    print(f"{'predictions':12} {'truth':14} {'size':>5}  without  ordered  ±")
    for case in (*LEVELS, *(CHOSEN if given.chosen else OTHERS)):
        runs = given.level_runs if case.truth is calibrated else given.runs
        plain, with_order = reject(case, runs, 4711)
        rate = 0.5 * (plain + with_order)
        error = sqrt(max(rate * (1.0 - rate), 1e-4) / runs)
        name = case.truth.__name__.replace("_", " ")
        print(f"{case.predictions:12} {name:14} {case.size:5.2f}  {plain:7.3f}  "
              f"{with_order:7.3f}  {error:.3f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
