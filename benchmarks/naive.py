"""Comparison with the naive estimator: full n×n matrices in NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.data import BANDWIDTH, Array, dirichlet
from benchmarks.table import Row, seconds, times
from benchmarks.timing import side_by_side
from calibrant import SKCE
from calibrant.kernels import Laplacian

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

THREADS = 2


def naive_skce(y_true: Array, y_prob: Array, bandwidth: float) -> float:
    """Return the unbiased SKCE with the kernel exp(−TV/h), from three n×n arrays."""
    n, m = y_prob.shape
    distances = np.zeros((n, n))
    for c in range(m):
        distances += np.abs(y_prob[:, c, None] - y_prob[None, :, c])
    kernel = np.exp(-0.5 * distances / bandwidth)
    residuals = np.eye(m)[y_true] - y_prob
    h = kernel * (residuals @ residuals.T)
    return float((h.sum() - np.trace(h)) / (n * (n - 1)))


def compiled_distances_skce(y_true: Array, y_prob: Array, bandwidth: float) -> float:
    """Return the same with SciPy's compiled distances, as a careful user would write it."""
    from scipy.spatial.distance import cdist

    n, m = y_prob.shape
    h = np.exp(-0.5 / bandwidth * cdist(y_prob, y_prob, "cityblock"))
    residuals = np.eye(m)[y_true] - y_prob
    h *= residuals @ residuals.T
    return float((h.sum() - np.trace(h)) / (n * (n - 1)))


def rows(quick: bool) -> Iterator[Row]:
    """Yield the speed-ups at n = 10,000, m = 10, and check that all compute the same number."""
    n, m = (4_000 if quick else 10_000), 10
    y_true, y_prob = dirichlet(n, m)
    ours = SKCE(Laplacian(BANDWIDTH))
    calls: dict[str, Callable[[], float]] = {
        "ours": lambda: ours(y_true, y_prob, n_jobs=THREADS),
        "naive NumPy": lambda: naive_skce(y_true, y_prob, BANDWIDTH),
        "SciPy's cdist": lambda: compiled_distances_skce(y_true, y_prob, BANDWIDTH),
    }
    time = side_by_side(calls, repeats=3)
    for reference, required in (("naive NumPy", True), ("SciPy's cdist", False)):
        ratio = time[reference] / time["ours"]
        yield Row(
            f"unbiased SKCE, n={n}, m={m}, {THREADS} threads : {reference}",
            seconds(time["ours"]),
            seconds(time[reference]),
            times(ratio),
            ">= 15x faster" if required else "-",
            ratio >= 15 if required else None,
            better="more",
        )
    value, theirs = calls["ours"](), calls["SciPy's cdist"]()
    error = abs(value - theirs) / abs(theirs)
    yield Row(
        "  the same number, relative difference",
        f"{value:.9e}",
        f"{theirs:.9e}",
        f"{error:.1e}",
        "<= 1e-10",
        error <= 1e-10,
    )
