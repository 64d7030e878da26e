"""``python -m benchmarks.votes``: tests and intervals of items with several votes each.

Prints, with standard errors, how often the default test rejects calibrated models at 5 % and how
often 95 % intervals cover the truth, with items as clusters (the default of
`Predictions.from_votes`) and with ``independent_votes=True``. 60 items have 5 votes each. Votes on
an item are independent draws from its prediction (*independent*), draws from a random distribution
whose mean is the prediction (*item*), or all equal (*agreement*).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from math import sqrt

import numpy as np

import calibrant as cal
from calibrant._native import FloatArray, IntArray

N_ITEMS, N_VOTES, N_RESAMPLES = 60, 5, 99


def independent(p: FloatArray, rng: np.random.Generator) -> IntArray:
    """Draw every vote from the prediction."""
    return np.asarray(rng.multinomial(N_VOTES, p))


def item(p: FloatArray, rng: np.random.Generator) -> IntArray:
    """Draw the votes on an item from a distribution with the prediction as its mean."""
    gammas = rng.standard_gamma(3.0 * p) + 1e-12
    return independent(gammas / gammas.sum(axis=1, keepdims=True), rng)


def agreement(p: FloatArray, rng: np.random.Generator) -> IntArray:
    """Draw one label per item for all annotators."""
    return N_VOTES * np.asarray(rng.multinomial(1, p))


def predictions(n_items: int, n_classes: int, rng: np.random.Generator) -> FloatArray:
    """Draw predictions, uniform on the simplex."""
    return rng.dirichlet(np.ones(n_classes), n_items)


def _truths(n_classes: int) -> dict[str, float]:
    """Return the mean accuracy and log loss of a calibrated model, from a million predictions."""
    p = predictions(1_000_000, n_classes, np.random.default_rng(0))
    entropies = -np.sum(p * np.log(np.maximum(p, 1e-300)), axis=1)
    return {"accuracy": float(p.max(axis=1).mean()), "log_loss": float(entropies.mean())}


def _cell(n_classes: int, draw: Callable[..., IntArray], runs: int, *, exact: bool) -> str:
    truths = _truths(n_classes)
    hits: dict[str, list[bool]] = {"rejected": [], **{name: [] for name in truths}}
    for k in range(runs):
        rng = np.random.default_rng([n_classes, k])
        p = predictions(N_ITEMS, n_classes, rng)
        rows = cal.Predictions.from_votes(draw(p, rng), p, independent_votes=exact)
        method = cal.methods.Aggregated(N_RESAMPLES)
        result = cal.calibration_test(rows, method=method, rng=k, effects=False, n_jobs=1)
        hits["rejected"].append(result.pvalue <= 0.05)
        for name, truth in truths.items():
            interval = getattr(cal.effects, name)(rows).interval
            hits[name].append(interval.low <= truth <= interval.high)
    return "  ".join(f"{name} {_rate(some)}" for name, some in hits.items())


def _rate(values: list[bool]) -> str:
    share = float(np.mean(values))
    return f"{share:.3f} ±{sqrt(max(share * (1 - share), 1e-4) / len(values)):.3f}"


def main() -> None:
    """Print one line for every number of classes, kind of votes and assumption."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=400)
    runs = parser.parse_args().runs
    for n_classes in (2, 10):
        for draw in (independent, item, agreement):
            for exact in (False, True):
                cell = _cell(n_classes, draw, runs, exact=exact)
                name = "independent_votes" if exact else "items as clusters"
                print(f"{n_classes:3d} {draw.__name__:>11} {name:>17}  {cell}", flush=True)


if __name__ == "__main__":
    main()
