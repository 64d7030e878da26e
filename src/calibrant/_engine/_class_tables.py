"""Sums over tables of classes and cells: expectations, and deviations of label sets."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from calibrant import _native
from calibrant._engine._label_set_sums import binned
from calibrant._engine._twin import scan
from calibrant._native import FloatArray


def own_cell_sums(
    cells: npt.NDArray[np.uint16], values: FloatArray, weights: FloatArray, n_cells: int
) -> FloatArray:
    """Return Σ_i w_i values[i, c] over the rows with cells[i, c] = k, (m, n_cells); O(n·m)."""
    out = np.zeros((cells.shape[1], n_cells))
    core = _native.active()
    if core is not None:
        core.own_cell_sums(cells, values, weights, out)
        return out
    for c, sums in enumerate(out):
        sums += binned(cells[:, c], weights * values[:, c], n_cells)
    return out


def bucket_sums(
    buckets: npt.NDArray[np.uint16], values: FloatArray, weights: FloatArray, n_buckets: int
) -> FloatArray:
    """Return Σ_i w_i values[i, c] over the rows in bucket k, (m, n_buckets); O(n·m)."""
    core = _native.active()
    if core is None:
        columns = (weights * column for column in values.T)
        return np.stack([binned(buckets, column, n_buckets) for column in columns])
    out = np.zeros((n_buckets, values.shape[1]))
    core.bucket_sums(buckets, values, weights, out)
    return np.ascontiguousarray(out.T)


def squared_deviations(sums: FloatArray, expected: FloatArray) -> FloatArray:
    """Return Σ_k (sums[b, s, k] − expected[s, k])² for label sets b and slices s, (R, n_slices)."""
    core = _native.active()
    if core is None:
        deviations = sums - expected
        return np.asarray(np.einsum("bsk,bsk->bs", deviations, deviations))
    out = np.empty(sums.shape[:2])
    core.squared_deviations(sums, expected, out)
    return out


def cell_pair_sums(sums: FloatArray, expected: FloatArray, rates: FloatArray) -> FloatArray:
    r"""Return :math:`\sum_c \sum_{k,l} e^{-rate|k - l|} d_{ck} d_{cl}`, (R, n_rates); O(R·m·cells).

    d = sums[b] − expected are the deviations of the cells k of every class c, with shapes
    (R, m, n_cells) and (m, n_cells).
    """
    core = _native.active()
    if core is not None:
        out = np.empty((len(sums), len(rates)))
        core.cell_pair_sums(sums, expected, np.exp(-rates), out)
        return out
    places = np.arange(sums.shape[2], dtype=np.float64)
    out = np.empty((len(sums), len(rates)))
    for b, one in enumerate(sums):  # one by one, because BLAS bits depend on the number
        d = np.ascontiguousarray((one - expected).T)
        for k, rate in enumerate(rates):
            out[b, k] = np.sum(d * (d + 2.0 * scan(places, d, rate)))
    return out
