"""The times of the estimators, on the paper's grid of samples and classes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from calibrant._execution import Progress, limits
from calibrant._native import FloatArray
from calibrant.models import M1
from calibrant.paper._errors import paper_estimators
from calibrant.paper._grid import CLASSES
from calibrant.paper._run import Part, run_parts
from calibrant.paper._stopwatch import side_by_side

#: rows of the timed data sets
SIZES = (10, 17, 28, 46, 77, 129, 215, 359, 599, 1000)
#: about the size of the distances; fixed, as in the paper
BANDWIDTH = 0.3

#: seconds by estimator, number of classes and number of samples, as in the published table
Times = dict[tuple[str, int, int], float]


def run_timings(
    folder: Path,
    *,
    resume: bool,
    classes: Sequence[int] = CLASSES,
    sizes: Sequence[int] = SIZES,
    n_jobs: int | None = 1,
    progress: Progress | None = None,
) -> Times:
    """Time all estimators as public calls with all checks; return the minimum of 20 runs."""
    grid = [(m, n) for m in classes for n in sizes]
    # the work over pairs and classes, plus the overhead of a call
    parts = [
        Part(f"time-m{m}-n{n}", n**2 * (m + 50) / 1e4 + 100.0, (m, n, n_jobs)) for m, n in grid
    ]
    facts = {"experiment": "timings"}
    # one at a time, because parallel calls would disturb each other
    results = run_parts(_time, parts, folder, facts, resume=resume, n_jobs=1, progress=progress)
    return {
        (name, m, n): seconds
        for (m, n), times in zip(grid, results, strict=True)
        for name, seconds in zip(paper_estimators(BANDWIDTH), times.tolist(), strict=True)
    }


def _time(part: Part) -> FloatArray:
    n_classes, n_samples, n_jobs = part.content
    y_true, y_prob = M1(n_classes, alpha=1.0).sample(n_samples, rng=0)
    calls = {
        name: partial(estimator, y_true, y_prob, n_jobs=n_jobs)
        for name, estimator in paper_estimators(BANDWIDTH).items()
    }
    return np.array(list(side_by_side(calls, repeats=limits().timed_runs).values()))
