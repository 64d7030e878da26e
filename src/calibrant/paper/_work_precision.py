"""Work and precision: the error of an estimate against its running time."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from calibrant._engine import pair_sum
from calibrant._execution import Parallel, Progress, limits
from calibrant._native import FloatArray
from calibrant._predictions import Predictions
from calibrant.estimators import SKCE, Estimator
from calibrant.kernels import Laplacian
from calibrant.models import M2
from calibrant.paper._errors import paper_estimators
from calibrant.paper._run import Part, run_parts
from calibrant.paper._stopwatch import side_by_side

#: rows of the data sets, and number of data sets of every size
SIZES = (32, 64, 128, 256, 512, 1024, 2048)
#: the model: half of the labels ignore their predictions; SKCE and ECE are far from 0
MODEL = M2()
#: a fixed bandwidth, so that there is one true value
BANDWIDTH = MODEL.mean_total_variation()


class Point(NamedTuple):
    """The relative root-mean-square error and the seconds of one estimator at one size."""

    error: float
    seconds: float


def compared_estimators() -> dict[str, Estimator]:
    """Return the compared estimators."""
    found = {name.removesuffix("_median"): e for name, e in paper_estimators(BANDWIDTH).items()}
    linear = found.pop("SKCEul")
    blocks = SKCE(Laplacian(BANDWIDTH), block_size=16)
    return {**found, "SKCE_blocks_of_16": blocks, "SKCEul": linear}


def run_work_precision(
    folder: Path,
    *,
    seed: int,
    resume: bool,
    sizes: Sequence[int] = SIZES,
    progress: Progress | None = None,
) -> dict[tuple[str, int], Point]:
    """Measure error and time of every estimator at every size, on one thread."""
    facts = {
        "experiment": "work-precision",
        "seed": seed,
        "n_datasets": limits().precision_datasets,
    }
    parts = [Part(f"precision-n{n}", n**2 / 100.0 + 1000.0, (n, seed)) for n in sizes]
    results = run_parts(_measure, parts, folder, facts, resume=resume, n_jobs=1, progress=progress)
    return {
        (name, n): Point(*point)
        for n, points in zip(sizes, results, strict=True)
        for name, point in zip(compared_estimators(), points.tolist(), strict=True)
    }


@cache
def true_skce() -> float:
    """Return the SKCE of the model, from 20,000 rows without label noise.

    It is the mean of k(p, q)⟨E r(p), E r(q)⟩ over pairs, with E r = P(Y = · | p) − p.
    """
    _, y_prob = MODEL.sample(20_000, rng=1)
    bias = np.ascontiguousarray(MODEL.calibration_function(y_prob) - y_prob)
    n = len(y_prob)
    return 2.0 * pair_sum(Laplacian(BANDWIDTH).forms(y_prob, bias)) / (n * (n - 1))


def _measure(part: Part) -> FloatArray:
    n, seed = part.content
    rng = np.random.default_rng(np.random.SeedSequence([seed, n]))
    y_true, y_prob = MODEL.sample_many(limits().precision_datasets, n, rng)
    one = Predictions(y_true[0], y_prob[0])
    every = compared_estimators()
    calls = {name: partial(e.estimate, one, Parallel(1)) for name, e in every.items()}
    seconds = side_by_side(calls, repeats=10)
    points = []
    for name, estimator in every.items():
        truth = MODEL.ece() if name.startswith("ECE") else true_skce()
        errors = estimator.many(y_true, y_prob, Parallel(1)) / truth - 1.0
        points.append((float(np.sqrt(np.mean(errors**2))), seconds[name]))
    return np.array(points)
