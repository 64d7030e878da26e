"""Many small data sets in one call, 10⁴ × 250 × 10, compared with one call for each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.data import BANDWIDTH, Array, dirichlet
from benchmarks.naive import naive_skce
from benchmarks.table import Row, seconds, times
from benchmarks.timing import Call, side_by_side
from calibrant import ECE, SKCE, Estimator
from calibrant.binning import MedianVariance, Uniform
from calibrant.kernels import Laplacian

if TYPE_CHECKING:
    from collections.abc import Iterator

SAMPLES, CLASSES = 250, 10
#: data sets for the references, which are too slow for all
FEW = 200


def rows(quick: bool) -> Iterator[Row]:
    """Yield the time of a data set within `many`, relative to a separate call and naive NumPy."""
    n_sets = 1_000 if quick else 10_000
    y_true, y_prob = dirichlet(n_sets * SAMPLES, CLASSES)
    y_true = y_true.reshape(n_sets, SAMPLES)
    y_prob = y_prob.reshape(n_sets, SAMPLES, CLASSES)
    estimators = {
        "unbiased SKCE": SKCE(Laplacian(BANDWIDTH)),
        "biased SKCE": SKCE(Laplacian(BANDWIDTH), unbiased=False),
        "ECE uniform": ECE(Uniform(10)),
        "ECE dynamic": ECE(MedianVariance(min_size=5)),
    }
    for name, estimator in estimators.items():
        yield from _compare(name, estimator, y_true, y_prob, repeats=2 if quick else 3)


def _compare(
    name: str, estimator: Estimator, y_true: Array, y_prob: Array, repeats: int
) -> Iterator[Row]:
    sets = list(zip(y_true[:FEW], y_prob[:FEW], strict=True))
    calls: dict[str, Call] = {
        "many": lambda: estimator.many(y_true, y_prob),
        "one call each": lambda: [estimator(y, p) for y, p in sets],
    }
    if name == "unbiased SKCE":
        calls["naive NumPy each"] = lambda: [naive_skce(y, p, BANDWIDTH) for y, p in sets]
    time = side_by_side(calls, repeats=repeats)
    n_sets = len(y_true)
    for reference in list(calls)[1:]:
        theirs = time[reference] / FEW * n_sets
        yield Row(
            f"{name}, {n_sets} sets of {SAMPLES} x {CLASSES} : {reference} (of {FEW})",
            seconds(time["many"]),
            seconds(theirs),
            times(theirs / time["many"]),
            better="more",
        )
    each = np.array([estimator(y, p) for y, p in sets])
    error = float(np.max(np.abs(estimator.many(y_true[:FEW], y_prob[:FEW]) - each)))
    same = error <= 1e-12
    yield Row("  the same numbers, largest difference", "", "", f"{error:.1e}", "<= 1e-12", same)
