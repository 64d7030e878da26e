"""The tile kernels in NumPy: the native core's oracle in tests, and its replacement if missing."""

from __future__ import annotations

import numpy as np

from calibrant._engine._forms import Metric, Profile
from calibrant._execution import spans
from calibrant._native import FloatArray

#: rows on a line that are summed as one small matrix
LINE_BLOCK = 64


def distances(xi: FloatArray, xj: FloatArray, metric: Metric) -> FloatArray:
    """Return all distances of a tile, (a, b), summed over the columns in order."""
    total = np.zeros((len(xi), len(xj)))
    for a, b in zip(xi.T, xj.T, strict=True):
        difference = np.subtract.outer(a, b)
        if metric == "euclidean":
            total += np.square(difference, out=difference)
        else:
            total += np.abs(difference, out=difference)
    return np.sqrt(total, out=total) if metric == "euclidean" else total


def gram(
    xi: FloatArray, xj: FloatArray, metric: Metric, profile: Profile | None, rate: float
) -> FloatArray:
    """Return kernel values φ(rate·‖x_i − x_j‖) of a tile, or distances if `profile` is None."""
    t = distances(xi, xj, metric)
    if profile is None:
        return t
    t *= rate
    if profile == "gaussian":
        with np.errstate(over="ignore"):  # the square of a huge distance overflows: kernel value 0
            t *= t
    return np.exp(-t)


def line_sum(x: FloatArray, v: FloatArray, rate: float) -> float:
    """Return Σ_{i<j} exp(−rate|x_i − x_j|)⟨v_i, v_j⟩ for sorted `x`, block by block."""
    return float(np.sum(scan(x, v, rate) * v))


def line_apply(x: FloatArray, v: FloatArray, rate: float) -> FloatArray:
    """Return Σ_{j≠i} exp(−rate|x_i − x_j|) v_j for every i and sorted `x`."""
    return scan(x, v, rate) + scan(-x[::-1], v[::-1], rate)[::-1]


def scan(x: FloatArray, v: FloatArray, rate: float) -> FloatArray:
    """Return L_i = Σ_{j<i} exp(−rate(x_i − x_j)) v_j for sorted `x`, block by block."""
    # a triangle within the block, plus the carry of earlier blocks to its first point
    out = np.empty_like(v)
    carry = np.zeros(v.shape[1])
    for rows in spans(len(x), LINE_BLOCK):
        here, vectors = x[rows], v[rows]
        kernel = np.tril(np.exp(-rate * np.abs(np.subtract.outer(here, here))), -1)
        reach = np.exp(-rate * (here - here[0]))
        out[rows] = kernel @ vectors + np.multiply.outer(reach, carry)
        if rows.stop < len(x):
            decay = np.exp(-rate * (x[rows.stop] - here))
            carry = decay @ vectors + carry * np.exp(-rate * (x[rows.stop] - here[0]))
    return out
