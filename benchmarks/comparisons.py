"""``python -m benchmarks.comparisons``: how often `compare` names a better model, and rightly.

Prints the share of data sets in which each measure of `compare` has p ≤ .05, with its standard
error: pairs of models that do not differ (level) and pairs that do (power). Data sets of real
networks in ``--networks FOLDER`` are rows drawn from their predictions.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Mapping
from math import sqrt
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import calibrant as cal
from calibrant.models import temperature_scale

MEASURES = ("calibration_loss", "refinement", "log_loss", "skce", "brier", "accuracy")
Array = NDArray[np.float64]
#: labels and two models
Data = tuple[NDArray[np.int64], dict[str, Array]]
Setting = Callable[[int, int, np.random.Generator], Data]
SIZES = [(100, 2), (1000, 2), (100, 10), (1000, 10)]


def draw(p: Array, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw a label from each row."""
    return np.asarray((p.cumsum(axis=1)[:, :-1] < rng.random((len(p), 1))).sum(axis=1))


def truths(n: int, m: int, rng: np.random.Generator, concentration: float = 0.5) -> Array:
    """Draw the rows' true distributions."""
    p = np.maximum(rng.dirichlet(np.full(m, concentration), n), 1e-12)
    return np.asarray(p / p.sum(axis=1, keepdims=True))


def halves(n: int, m: int, rng: np.random.Generator, temperature: float = 1.0) -> Data:
    """Draw two models, each of which knows the truth of the rows that the other does not know."""
    q = truths(n, m, rng)
    said = q if temperature == 1.0 else temperature_scale(q, 1.0 / temperature)
    own = rng.random((n, 1)) < 0.5
    return draw(q, rng), {"a": np.where(own, said, 1 / m), "b": np.where(own, 1 / m, said)}


def overconfident_halves(n: int, m: int, rng: np.random.Generator) -> Data:
    """Draw the same, both over-confident by the same factor."""
    return halves(n, m, rng, temperature=1.6)


def constant(n: int, m: int, rng: np.random.Generator) -> Data:
    """Draw a model that knows the truth, and one that always predicts the class frequencies."""
    q = truths(n, m, rng)
    return draw(q, rng), {"a": q, "b": np.full((n, m), 1 / m)}


def constant_unequal(n: int, m: int, rng: np.random.Generator) -> Data:
    """Draw the same with unequal class frequencies."""
    alpha = np.linspace(0.2, 1.0, m)
    q = np.maximum(rng.dirichlet(alpha, n), 1e-12)
    q /= q.sum(axis=1, keepdims=True)
    return draw(q, rng), {"a": q, "b": np.tile(alpha / alpha.sum(), (n, 1))}


def nearly_same(n: int, m: int, rng: np.random.Generator) -> Data:
    """Draw two calibrated models that differ by noise of a thousandth in the logits."""
    q = truths(n, m, rng, 1.0)
    noise = 1e-3 * rng.standard_normal((2, n, m))
    models = dict(zip("ab", q * np.exp(noise), strict=True))
    return draw(q, rng), {k: p / p.sum(axis=1, keepdims=True) for k, p in models.items()}


def temperature_against_tilt(n: int, m: int, rng: np.random.Generator) -> Data:
    """Draw a temperature of 2 (a), and a mild shift of the odds of one class (b)."""
    q = truths(n, m, rng, 1.0)
    tilted = q * np.where(np.arange(m) == 0, np.exp(0.72), 1.0)
    tilted /= tilted.sum(axis=1, keepdims=True)
    return draw(q, rng), {"a": temperature_scale(q, 0.5), "b": tilted}


LEVEL: dict[str, Setting] = {
    "halves": halves,
    "halves, over-confident": overconfident_halves,
    "one constant": constant,
    "one constant, unequal classes": constant_unequal,
    "nearly the same": nearly_same,
}
POWER: dict[str, Setting] = {"temperature 2 : mild tilt": temperature_against_tilt}


def rejections(setting: Setting, n: int, m: int, runs: int, seed: int) -> tuple[Counter[str], ...]:
    """Count for each measure how often a, and b, is named better."""
    better = {"a": Counter[str](), "b": Counter[str]()}
    for run in range(runs):
        y, models = setting(n, m, np.random.default_rng([seed, n, m, run]))
        result = cal.compare(y, models, classes=range(m), n_jobs=1)
        for d in result.differences:
            if d.pvalue <= 0.05:
                ahead = (d.estimate < 0) != (d.measure == "accuracy")
                better["a" if ahead else "b"][d.measure] += 1
    return better["a"], better["b"]


def draw_rows(models: Mapping[str, cal.Predictions], n: int) -> Setting:
    """Draw rows of two models on the same data."""

    def setting(rows: int, m: int, rng: np.random.Generator) -> Data:
        one, two = models.values()
        take = rng.choice(len(one), n, replace=n >= len(one))
        return one.y_true[take], {"a": one.y_prob[take], "b": two.y_prob[take]}

    return setting


def entry(count: int, runs: int) -> str:
    """Return a share with its standard error, or that of one rejection if there is none."""
    share = count / runs
    kept = min(max(share, 1 / runs), 1 - 1 / (runs + 1))
    return f"{share:.3f} ±{sqrt(kept * (1 - kept) / runs):.3f}".replace("0.", ".")


def networks(folder: Path) -> dict[str, Setting]:
    """Return the paper's networks before (a) and after (b) temperature scaling, 1 000 rows each."""
    from calibrant.paper import find_networks

    found = {}
    for network in find_networks(folder):
        rows = network.read()
        half = np.arange(len(rows)) % 2 == 0
        fitted = cal.recalibration.Temperature().fit(rows.y_prob[half], rows.y_true[half])
        raw = rows.take(~half)
        scaled = cal.Predictions(raw.y_true, fitted.predict_proba(raw.y_prob))
        found[f"{network.name} : scaled"] = draw_rows({"a": raw, "b": scaled}, 1000)
    return found


def demo() -> dict[str, Setting]:
    """Return the demo's network before (a) and after (b) its repair."""
    models = cal.demo.load_digits_predictions()
    names = ("neural_network", "neural_network_scaled")
    return {"demo network : scaled": draw_rows({name: models[name] for name in names}, 797)}


def main(arguments: list[str] | None = None) -> None:
    """Measure and print, cell by cell."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.comparisons", description=__doc__)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=["level", "power"], action="append")
    parser.add_argument("--networks", type=Path, help="folder of the paper's networks")
    options = parser.parse_args(arguments)
    studies = options.only or ["level", "power"]
    print(f"{'':44}{'n':>5} {'m':>3}  ", "  ".join(f"{m:16}" for m in MEASURES))
    cells = [(name, s, n, m) for name, s in LEVEL.items() for n, m in SIZES if "level" in studies]
    if "power" in studies:
        cells += [(name, setting, 1000, 10) for name, setting in POWER.items()]
        cells += [(name, setting, 797, 10) for name, setting in demo().items()]
        if options.networks is not None:
            cells += [(name, s, 1000, 10) for name, s in networks(options.networks).items()]
    for name, setting, n, m in cells:
        a, b = rejections(setting, n, m, options.runs, options.seed)
        for label, counts in (("a better", a), ("b better", b), ("either", a + b)):
            row = "  ".join(f"{entry(counts[x], options.runs):16}" for x in MEASURES)
            print(f"{name + ', ' + label:44}{n:>5} {m:>3}  {row}", flush=True)


if __name__ == "__main__":
    main()
