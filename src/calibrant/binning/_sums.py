"""Sums over bins: native, and the NumPy twin."""

from __future__ import annotations

import numpy as np

from calibrant import _native
from calibrant._native import FloatArray, IntArray


def bin_sums(
    y_prob: FloatArray, y_true: IntArray, sample_weight: FloatArray | None, ids: IntArray
) -> tuple[IntArray, FloatArray, FloatArray, FloatArray]:
    """Return counts, weights, mean predictions and label frequencies of the bins.

    O(n·m) time; the two tables of shape (k, m) are all the memory the native core needs.
    """
    count = np.bincount(ids)
    shape = (len(count), y_prob.shape[1])
    core = _native.active()
    if core is None:
        weight, mean, frequency = _sums(y_prob, y_true, sample_weight, ids, shape)
    else:
        weight, mean, frequency = np.zeros(shape[0]), np.zeros(shape), np.zeros(shape)
        core.binning_sums(y_prob, y_true, sample_weight, ids, mean, frequency, weight)
    # A bin of weight 0 has no mean; NaN says so, without the warning of 0/0.
    divisor = np.where(weight > 0, weight, np.nan)[:, None]
    mean /= divisor
    frequency /= divisor
    return count, weight, mean, frequency


def label_sums(
    y_true: IntArray, sample_weight: FloatArray | None, ids: IntArray, shape: tuple[int, int]
) -> FloatArray:
    """Return the weight of every class in every bin."""
    cells = ids * shape[1] + y_true
    sums = np.bincount(cells, sample_weight, shape[0] * shape[1])
    return sums.reshape(shape).astype(np.float64, copy=False)


def _sums(
    y_prob: FloatArray,
    y_true: IntArray,
    sample_weight: FloatArray | None,
    ids: IntArray,
    shape: tuple[int, int],
) -> tuple[FloatArray, FloatArray, FloatArray]:
    weight = np.bincount(ids, sample_weight).astype(np.float64, copy=False)
    order = np.argsort(ids, kind="stable")
    starts = np.searchsorted(ids[order], np.arange(shape[0]))
    rows = y_prob[order]
    if sample_weight is not None:
        rows *= sample_weight[order, None]
    return weight, np.add.reduceat(rows, starts), label_sums(y_true, sample_weight, ids, shape)
