"""Weights of pairs of rows, computed without cancellation."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant._native import FloatArray


def pair_weights(weights: Any) -> Any:
    """Return Σ_{i≠j} w_i w_j over the last axis of an array or tensor.

    With one huge weight, (Σw)² − Σw² would lose all digits.

    Examples
    --------
    >>> round(float(pair_weights(np.array([1e12, 1e-6, 1e-6]))))
    4000000
    """
    return 2.0 * (weights[..., 1:] * weights.cumsum(-1)[..., :-1]).sum(-1)


def sums_of_others(values: FloatArray) -> FloatArray:
    """Return Σ_{j≠i} v_j for every i, as a sum and not as total − v_i."""
    ahead = np.concatenate([[0.0], np.cumsum(values[:-1])])
    behind = np.concatenate([np.cumsum(values[:0:-1])[::-1], [0.0]])
    return np.asarray(ahead + behind)


def effective_count(weights: FloatArray) -> float:
    """Return Kish's effective number of rows, (Σw)²/Σw²."""
    share = weights / weights.max()  # squares of tiny or huge weights would under- or overflow
    return float(share.sum() ** 2 / (share**2).sum())


def weight_sums(weights: FloatArray) -> FloatArray:
    """Return the number of rows with positive weight, Σw, Σw² and Σ_{i≠j} w_i w_j."""
    count = np.count_nonzero(weights)
    return np.array([count, weights.sum(), np.sum(weights * weights), pair_weights(weights)])


def join_weight_sums(one: FloatArray, other: FloatArray) -> FloatArray:
    """Return the joint `weight_sums` of two sets of rows."""
    sums = one + other
    sums[3] += 2.0 * one[1] * other[1]  # pairs with one row in each set
    return np.asarray(sums)
