"""``python -m benchmarks.clustered``: tests, intervals and comparisons of clustered rows.

Prints, with standard errors, how often the default test rejects calibrated models at 5 % with and
without clusters (level); how often it rejects miscalibrated models, compared with one row per
cluster and with signs of whole clusters (power); how often intervals cover the truth (coverage);
how often `compare` distinguishes two equally good models (compare); and the cost of clusters
(time). A cell ends after `--runs` runs or `--seconds`, whichever comes first, and reports its
number of runs. `--cell` selects cells of the levels by their shape, such as ``200x5x10`` for 200
clusters of 5 rows and ten classes, and `--dependence` by the kind of dependence. The exit code is
always 0.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import Any

import numpy as np

import calibrant as cal
from calibrant._native import BoolArray, FloatArray, IntArray

#: rows of a cluster: a number, or uniform between two
SIZES = {"3": (3, 3), "5": (5, 5), "15": (15, 15), "1-30": (1, 30)}
N_CLUSTERS = (15, 20, 50, 200)
N_CLASSES = (2, 10)
#: number of label sets of a test
N_RESAMPLES = 59
#: number of runs of a cell that are repeated without clusters
NAIVE_RUNS = 100


@dataclass(frozen=True)
class Dependence:
    """How the labels of a cluster depend on each other, given the predictions."""

    name: str
    draw: Callable[[FloatArray, IntArray, np.random.Generator], IntArray]


def _race(noise: FloatArray, p: FloatArray) -> IntArray:
    return np.asarray((noise / p).argmin(axis=1))


def independent(p: FloatArray, index: IntArray, rng: np.random.Generator) -> IntArray:
    """Draw every label separately."""
    return _race(rng.exponential(size=p.shape), p)


def half(p: FloatArray, index: IntArray, rng: np.random.Generator) -> IntArray:
    """Draw from noise with a latent normal correlation of one half within clusters."""
    from scipy.special import ndtr

    shared = rng.normal(size=(index.max() + 1, p.shape[1]))[index]
    return _race(-np.log(ndtr(sqrt(0.5) * (shared + rng.normal(size=p.shape)))), p)


def full(p: FloatArray, index: IntArray, rng: np.random.Generator) -> IntArray:
    """Draw all labels of a cluster from the same noise."""
    return _race(rng.exponential(size=(index.max() + 1, p.shape[1]))[index], p)


def ordered(p: FloatArray, index: IntArray, rng: np.random.Generator) -> IntArray:
    """Draw all labels of a cluster from one uniform, which gives neighboring classes."""
    u = rng.random(index.max() + 1)[index]
    return np.minimum((np.cumsum(p, axis=1) < u[:, None]).sum(axis=1), p.shape[1] - 1)


def latent(p: FloatArray, index: IntArray, rng: np.random.Generator) -> IntArray:
    """Draw one uniform per row from normal variates with correlation .8 within clusters."""
    from scipy.special import ndtr

    shared = rng.normal(size=index.max() + 1)[index]
    u = ndtr(sqrt(0.8) * shared + sqrt(0.2) * rng.normal(size=len(p)))
    return np.minimum((np.cumsum(p, axis=1) < u[:, None]).sum(axis=1), p.shape[1] - 1)


def some_clusters(p: FloatArray, index: IntArray, rng: np.random.Generator) -> IntArray:
    """Draw a fifth of the clusters with full dependence, the others without."""
    return _where((rng.random(index.max() + 1) < 0.2)[index], p, index, rng)


def one_cluster(p: FloatArray, index: IntArray, rng: np.random.Generator) -> IntArray:
    """Draw one cluster with full dependence, the others without."""
    return _where(index == rng.integers(index.max() + 1), p, index, rng)


def large_clusters(p: FloatArray, index: IntArray, rng: np.random.Generator) -> IntArray:
    """Draw clusters of more than 15 rows with full dependence, the others without."""
    return _where(np.bincount(index)[index] > 15, p, index, rng)


def _where(
    dependent: BoolArray, p: FloatArray, index: IntArray, rng: np.random.Generator
) -> IntArray:
    return np.where(dependent, full(p, index, rng), independent(p, index, rng))


DEPENDENCES = (
    Dependence("none", independent),
    Dependence("half", half),
    Dependence("full", full),
    Dependence("ordered", ordered),
    Dependence("latent", latent),
    Dependence("some", some_clusters),
    Dependence("one", one_cluster),
    Dependence("large", large_clusters),
)


def sample(
    n_clusters: int,
    size: str,
    n_classes: int,
    dependence: Dependence,
    rng: np.random.Generator,
    temperature: float = 1.0,
) -> tuple[IntArray, FloatArray, IntArray]:
    """Return labels, predictions that are similar within clusters, and clusters."""
    low, high = SIZES[size]
    index = np.repeat(np.arange(n_clusters), rng.integers(low, high + 1, n_clusters))
    center = rng.dirichlet(np.ones(n_classes), n_clusters)[index]
    # Dirichlet around the center of the cluster
    gammas = rng.standard_gamma(4.0 * center + 0.05) + 1e-9
    truth = gammas / gammas.sum(axis=1, keepdims=True)
    labels = dependence.draw(truth, index, rng)
    stated = truth**temperature
    return labels, stated / stated.sum(axis=1, keepdims=True), index


def _pvalue(y: IntArray, p: FloatArray, seed: int, **options: Any) -> float:
    method = options.pop("method", cal.methods.Aggregated(N_RESAMPLES))
    result = cal.calibration_test(y, p, method=method, rng=seed, effects=False, n_jobs=1, **options)
    return float(result.pvalue)


def _runs(seed: list[int], runs: int, seconds: float) -> Iterator[np.random.Generator]:
    start = time.process_time()
    for k in range(runs):
        if k >= 20 and time.process_time() - start > seconds:
            return
        yield np.random.default_rng([*seed, k])


def _rate(values: list[float]) -> str:
    share = float(np.mean(values))
    return f"{share:.3f} ±{sqrt(max(share * (1 - share), 1e-4) / len(values)):.3f}"


def level(
    runs: int, seconds: float, cells: Sequence[str] = (), dependences: Sequence[str] = ()
) -> None:
    """Print how often calibrated models are rejected, with and without clusters."""
    print(f"{'clusters':>8} {'rows':>5} {'m':>3} {'dependence':>10}  with clusters  without  runs")
    for n_clusters, size, n_classes in _level_cells(cells):
        for k, dependence in enumerate(DEPENDENCES):
            if dependences and dependence.name not in dependences:
                continue
            ours, naive = [], []
            seeds = [n_clusters, list(SIZES).index(size), n_classes, k]
            for rng in _runs(seeds, runs, seconds):
                y, p, index = sample(n_clusters, size, n_classes, dependence, rng)
                seed = int(rng.integers(1 << 31))
                ours.append(_pvalue(y, p, seed, clusters=index) <= 0.05)
                if len(naive) < NAIVE_RUNS:
                    naive.append(_pvalue(y, p, seed) <= 0.05)
            print(
                f"{n_clusters:8d} {size:>5} {n_classes:3d} {dependence.name:>10}  "
                f"{_rate(ours):>13}  {np.mean(naive):7.3f}  {len(ours)}",
                flush=True,
            )


def _level_cells(cells: Sequence[str]) -> Iterator[tuple[int, str, int]]:
    for n_clusters in N_CLUSTERS:
        for size in SIZES:
            for n_classes in N_CLASSES:
                if not cells or f"{n_clusters}x{size}x{n_classes}" in cells:
                    yield n_clusters, size, n_classes


#: temperatures of the miscalibrated models, by number of classes
_TEMPERATURES = {2: (1.8, 0.55), 10: (1.4, 0.75)}


def power(runs: int, seconds: float) -> None:
    """Print how often miscalibrated models are rejected, for 60 clusters of 5 rows."""
    print(f"{'m':>3} {'temperature':>11} {'dependence':>10}  clusters  one row  signs  runs")
    for n_classes in N_CLASSES:
        for temperature in _TEMPERATURES[n_classes]:
            for k, dependence in enumerate(DEPENDENCES[:3]):
                found: list[list[float]] = [[], [], []]
                for rng in _runs([60, n_classes, int(10 * temperature), k], runs, seconds):
                    y, p, index = sample(60, "5", n_classes, dependence, rng, temperature)
                    seed = int(rng.integers(1 << 31))
                    one = np.arange(0, len(y), 5) + rng.integers(0, 5, 60)
                    signs = cal.methods.BetweenClusters(N_RESAMPLES)
                    found[0].append(_pvalue(y, p, seed, clusters=index) <= 0.05)
                    found[1].append(_pvalue(y[one], p[one], seed) <= 0.05)
                    found[2].append(_pvalue(y, p, seed, clusters=index, method=signs) <= 0.05)
                rates = "  ".join(_rate(some) for some in found)
                print(f"{n_classes:3d} {temperature:11.2f} {dependence.name:>10}  {rates}  "
                      f"{len(found[0])}", flush=True)  # fmt: skip


def _truths(n_classes: int, temperature: float) -> dict[str, float]:
    """Return the true effects, from a million independent rows."""
    rng = np.random.default_rng(0)
    y, p, _ = sample(60_000, "5", n_classes, DEPENDENCES[0], rng, temperature)
    rows = cal.Predictions(y, p)
    names = ["accuracy", "brier", "log_loss", "temperature", "slope", "rmsce", "calibration_loss"]
    if n_classes == 2:  # of more, they are those of the class furthest off
        names += ["bias", "intercept"]
    truths = {name: getattr(cal.effects, name)(rows).estimate for name in names}
    some = cal.Predictions(y[:20_000], p[:20_000])
    truths["skce"] = cal.SKCE(cal.kernels.Laplacian(_BANDWIDTH))(some)
    return truths


#: bandwidth of the SKCE, the same in all data sets
_BANDWIDTH = 0.3


def coverage(runs: int, seconds: float) -> None:
    """Print how often 95 % intervals hold the truth, with and without clusters."""
    from calibrant.effects import skce_interval

    print(f"{'clusters':>8} {'m':>3} {'T':>4} {'dependence':>10}  effect: with / without clusters")
    skce = cal.SKCE(cal.kernels.Laplacian(_BANDWIDTH))
    for n_classes in N_CLASSES:
        for temperature in (1.0, 1.5):
            truths = _truths(n_classes, temperature)
            for n_clusters in (50, 200):
                for k, dependence in enumerate(DEPENDENCES[:3]):
                    hits: dict[str, list[list[bool]]] = {name: [[], []] for name in truths}
                    seeds = [n_clusters, n_classes, int(10 * temperature), k, 7]
                    for rng in _runs(seeds, runs, seconds):
                        y, p, index = sample(
                            n_clusters, "5", n_classes, dependence, rng, temperature
                        )
                        for j, together in enumerate((index, None)):
                            rows = cal.Predictions(y, p, clusters=together)
                            for name, truth in truths.items():
                                effect = (
                                    skce_interval(rows, skce)
                                    if name == "skce"
                                    else getattr(cal.effects, name)(rows)
                                )
                                low, high = effect.interval.low, effect.interval.high
                                inside = low <= max(truth, 0.0 if name == "skce" else truth) <= high
                                hits[name][j].append(bool(inside))
                    text = ", ".join(
                        f"{name} {np.mean(a):.3f} / {np.mean(b):.3f}"
                        for name, (a, b) in hits.items()
                    )
                    count = len(next(iter(hits.values()))[0])
                    print(
                        f"{n_clusters:8d} {n_classes:3d} {temperature:4.1f} "
                        f"{dependence.name:>10}  {text}  ({count} runs)",
                        flush=True,
                    )


def compare(runs: int, seconds: float) -> None:
    """Print how often two equally good models are distinguished at 5 %."""
    print(f"{'clusters':>8} {'m':>3} {'dependence':>10}  measure: with / without clusters")
    for n_clusters in (20, 50):
        for n_classes in N_CLASSES:
            for k, dependence in enumerate(DEPENDENCES[1:3]):
                found: dict[str, list[list[bool]]] = {}
                for rng in _runs([n_clusters, n_classes, k, 11], runs, seconds):
                    y, p, index = sample(n_clusters, "5", n_classes, dependence, rng)
                    models = {name: _disturb(p, index, rng) for name in ("one", "other")}
                    first = not found or len(found["brier"][1]) < 40
                    for j, together in enumerate((index, None) if first else (index,)):
                        result = cal.compare(y, models, clusters=together, n_jobs=1)
                        for one in result.differences:
                            rows = found.setdefault(one.measure, [[], []])
                            rows[j].append(bool(one.pvalue <= 0.05))
                text = ", ".join(
                    f"{name} {np.mean(a):.3f} / {np.mean(b):.3f}" for name, (a, b) in found.items()
                )
                count = len(next(iter(found.values()))[0])
                print(
                    f"{n_clusters:8d} {n_classes:3d} {dependence.name:>10}  {text}  ({count} runs)",
                    flush=True,
                )


def _disturb(p: FloatArray, index: IntArray, rng: np.random.Generator) -> FloatArray:
    """Return predictions with an error shared within clusters; both models are equally bad."""
    q = p * np.exp(0.7 * rng.normal(size=(index.max() + 1, p.shape[1]))[index])
    return np.asarray(q / q.sum(axis=1, keepdims=True))


def timing(runs: int, seconds: float) -> None:
    """Print the ratio of processor times with and without 20,000 clusters of 100,000 rows."""
    for n_classes in N_CLASSES:
        rng = np.random.default_rng(0)
        y, p, index = sample(20_000, "5", n_classes, DEPENDENCES[1], rng)
        taken: tuple[list[float], list[float]] = ([], [])
        for _ in range(min(runs, 3)):
            for k, together in enumerate((None, index)):
                start = time.process_time()
                cal.calibration_test(y, p, clusters=together, rng=0)
                taken[k].append(time.process_time() - start)
        without, with_clusters = (min(one) for one in taken)
        print(f"m = {n_classes}: {with_clusters:.1f} s / {without:.1f} s = "
              f"{with_clusters / without:.2f}", flush=True)  # fmt: skip


STUDIES = {"level": level, "power": power, "coverage": coverage, "compare": compare, "time": timing}


def main() -> None:
    """Run the studies."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=STUDIES)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=60.0, help="processor time of a cell")
    parser.add_argument("--cell", nargs="+", default=(), help="of the levels, such as 200x5x10")
    parser.add_argument("--dependence", nargs="+", choices=[one.name for one in DEPENDENCES])
    given = parser.parse_args()
    chosen = partial(level, cells=given.cell, dependences=given.dependence or ())
    studies = STUDIES | {"level": chosen}
    for name in [given.only] if given.only else studies:
        print(f"\n{name}", flush=True)
        studies[name](given.runs, given.seconds)


if __name__ == "__main__":
    main()
