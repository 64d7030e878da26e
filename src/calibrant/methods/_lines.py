"""The families of the aggregated test for two classes: everything lies on a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibrant._executors import Parallel, run
from calibrant._labelings import Labelings
from calibrant._pairs._sums import spans
from calibrant.methods._families import Families, full_families
from calibrant.methods._linear_families import joined

if TYPE_CHECKING:
    from calibrant._predictions import Predictions
    from calibrant._resampling import LabelResampler

#: label sets of a task: with their labels side by side, 64 bytes a row
SETS = 64


def line_families(
    predictions: Predictions,
    bandwidth: float,
    resampler: LabelResampler,
    n_resamples: int,
    log_score: bool,
    parallel: Parallel,
) -> Families:
    """Compute the families exactly by sorting, a few label sets at a time; O(n log n + n·R)."""
    sets = range(n_resamples + 1)

    def one(part: slice) -> Families:
        labelings = Labelings.label_sets(predictions, resampler, sets[part])
        return full_families(predictions, bandwidth, labelings, log_score, Parallel(1))

    tasks = spans(len(sets), SETS)
    return joined(list(run(one, tasks, Parallel(parallel.n_jobs, None, parallel.progress))))
