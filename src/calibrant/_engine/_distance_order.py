"""Native counting and collecting of the distances of all pairs of rows by their bits."""

from __future__ import annotations

import math

import numpy as np

from calibrant import _native
from calibrant._engine._forms import Metric
from calibrant._engine._pair_sums import triangle
from calibrant._engine._tiles import METRICS
from calibrant._execution import limits
from calibrant._native import FloatArray, IntArray


def count_distances(
    x: FloatArray, metric: Metric, factor: float, prefix: int, shift: int, finer: int
) -> IntArray | None:
    """Count the distances factor·‖x_i − x_j‖, i < j, that begin with the bits `prefix`.

    They are counted by their bits from `shift` down to `finer`. Returns None without the native
    core. O(n²·d) time.
    """
    core = _native.active()
    if core is None:
        return None
    counts = np.zeros(1 << (shift - finer), dtype=np.int64)
    for i, j in triangle(len(x), limits().distance_tile):
        pair = x[i], x[i if j is None else j]
        core.count_distances(
            *pair, METRICS[metric], factor, j is None, prefix, shift, finer, counts
        )
    return counts


def collect_distances(
    x: FloatArray, metric: Metric, factor: float, prefix: int, shift: int, size: int
) -> tuple[FloatArray, float] | None:
    """Return up to `size` distances that begin with `prefix`, and the smallest larger one.

    None without the native core. O(n²·d) time.
    """
    core = _native.active()
    if core is None:
        return None
    out, count, beyond = np.empty(size), 0, math.inf
    for i, j in triangle(len(x), limits().distance_tile):
        pair = x[i], x[i if j is None else j]
        place = METRICS[metric], factor, j is None, prefix, shift, beyond
        more, beyond = core.collect_distances(*pair, *place, out[count:])
        count = min(count + more, size)
    return out[:count], beyond
