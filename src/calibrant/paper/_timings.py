"""The times of the estimators, on the paper's grid of samples and classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from calibrant._execution import Progress
from calibrant._native import FloatArray
from calibrant.models import M1
from calibrant.paper._errors import paper_estimators
from calibrant.paper._grid import CLASSES
from calibrant.paper._run import run_parts
from calibrant.paper._stopwatch import side_by_side

#: rows of the timed data sets
SIZES = (10, 17, 28, 46, 77, 129, 215, 359, 599, 1000)
#: of the size of the distances; given beforehand, as in the paper
BANDWIDTH = 0.3
#: the published times are the least of so many runs
N_RUNS = 20


@dataclass(frozen=True)
class TimedSize:
    """One number of classes and of samples."""

    n_classes: int
    n_samples: int

    @property
    def name(self) -> str:
        """The name of its results."""
        return f"time-m{self.n_classes}-n{self.n_samples}"

    @property
    def work(self) -> float:
        """Pairs and classes, and what every call costs."""
        return self.n_samples**2 * (self.n_classes + 50) / 1e4 + 100.0


#: seconds by estimator, number of classes, number of samples: as the published table
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
    """Time all estimators: whole public calls with all their checks, the least of 20 runs."""
    parts = [TimedSize(m, n) for m in classes for n in sizes]
    compute, facts = partial(_time, n_jobs=n_jobs), {"experiment": "timings"}
    # one at a time: calls that run side by side would time each other
    results = run_parts(compute, parts, folder, facts, resume=resume, n_jobs=1, progress=progress)
    return {
        (name, part.n_classes, part.n_samples): seconds
        for part, times in zip(parts, results, strict=True)
        for name, seconds in zip(paper_estimators(BANDWIDTH), times.tolist(), strict=True)
    }


def _time(part: TimedSize, n_jobs: int | None) -> FloatArray:
    y_true, y_prob = M1(part.n_classes, alpha=1.0).sample(part.n_samples, rng=0)
    calls = {
        name: partial(estimator, y_true, y_prob, n_jobs=n_jobs)
        for name, estimator in paper_estimators(BANDWIDTH).items()
    }
    return np.array(list(side_by_side(calls, repeats=N_RUNS).values()))
