"""Sums over pairs of rows in the same cluster, which carry no information about calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibrant._engine import Form, block_sums
from calibrant._execution import Parallel
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions, sums_of_others
from calibrant.kernels import Kernel


def inside_sums(rows: Predictions, kernel: Kernel, parallel: Parallel = Parallel()) -> FloatArray:
    """Return Σ_{i≠j} h_ij over the rows of every cluster, shape (n_clusters,); O(Σ n_g² m)."""
    index = rows.cluster_index
    assert index is not None
    return _inside(kernel.forms(rows.y_prob, rows.weighted_residuals), index, parallel)


def crossing_weight(rows: Predictions) -> float:
    """Return Σ w_i w_j over pairs of rows in different clusters."""
    index = rows.cluster_index
    assert index is not None
    weight = np.asarray(np.bincount(index, rows.weights), np.float64)
    return float(np.sum(weight * sums_of_others(weight)))


def _inside(forms: Sequence[Form], index: IntArray, parallel: Parallel) -> FloatArray:
    sizes = np.bincount(index)
    order = np.argsort(index, kind="stable")
    starts = np.cumsum(sizes) - sizes
    sums = np.zeros(len(sizes))
    for size in np.unique(sizes[sizes > 1]).tolist():  # equal clusters are blocks
        chosen = np.flatnonzero(sizes == size)
        some = order[(starts[chosen][:, None] + np.arange(size)).ravel()]
        parts = [replace(form, x=form.x[some], v=form.v[some]) for form in forms]
        sums[chosen] = 2.0 * block_sums(parts, size, parallel)
    return sums
