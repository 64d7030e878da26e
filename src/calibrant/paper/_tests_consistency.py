"""Consistency resampling for thousands of data sets: the errors of the resamples, by number."""

from __future__ import annotations

import numpy as np

from calibrant import _native
from calibrant._engine import labels_below, philox4x32, unit_interval
from calibrant._execution import Parallel
from calibrant._native import FloatArray, IntArray
from calibrant.binning import MedianVariance
from calibrant.paper._errors import DYNAMIC, UNIFORM


def consistency_errors(y_prob: FloatArray, n_resamples: int, seed: int) -> FloatArray:
    """Return the errors of consistency resamples, shape (2, B): uniform bins, then dynamic ones.

    A resample holds n rows drawn with replacement, each with a label drawn from it; it depends on
    the seed and its number only. The resamples do not depend on the labels of the data: all data
    sets that share predictions can share them. O(n·m·log n) for each resample; the native core
    keeps none of them.
    """
    core = _native.active()
    if core is None:
        rows, labels = resamples(y_prob, n_resamples, seed)
        return np.stack([one.many(labels, y_prob[rows], Parallel(1)) for one in (UNIFORM, DYNAMIC)])
    errors = np.empty((2, n_resamples))
    cells, dynamic = UNIFORM.binning.assign(y_prob), DYNAMIC.binning
    assert isinstance(dynamic, MedianVariance)
    assert dynamic.max_bins is None
    core.consistency_errors(np.ascontiguousarray(y_prob), cells, dynamic.min_size, seed, errors)
    return errors


def resamples(y_prob: FloatArray, n_resamples: int, seed: int) -> tuple[IntArray, IntArray]:
    """Return the rows and the labels of the resamples, two arrays of shape (B, n).

    Philox maps (position, 0, resample, 0) to four words: a uniform number for the label from the
    first two, the row from the third.
    """
    n = len(y_prob)
    position, number = np.arange(n), np.arange(n_resamples)[:, None]
    high, low, word, _ = philox4x32((position, 0, number, 0), seed)
    rows = ((word * np.uint64(n)) >> np.uint64(32)).astype(np.int64)
    cumulated = np.cumsum(y_prob, axis=1)
    uniforms = unit_interval(high, low)
    labels = [labels_below(cumulated[r], u[None])[0] for r, u in zip(rows, uniforms, strict=True)]
    return rows, np.array(labels, dtype=np.int64)
