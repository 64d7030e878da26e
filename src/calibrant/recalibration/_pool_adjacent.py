"""Isotonic regression: adjacent blocks whose means do not increase are pooled."""

from __future__ import annotations

import numpy as np

from calibrant._native import FloatArray


def pool_adjacent(values: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the means and weights of the blocks of the best increasing fit, and nothing else.

    Blocks are in order; block k ends where the cumulated weights do. Cost: vectorized passes over
    what is left, O(n) in all for noise.

    Examples
    --------
    >>> import numpy as np
    >>> pool_adjacent(np.array([0.0, 1.0, 0.0, 1.0]), np.ones(4))
    (array([0. , 0.5, 1. ]), array([1., 2., 1.]))
    """
    while len(values) > 1:
        # a run of means that do not increase is one block, however the pooling is ordered
        starts = np.flatnonzero(np.concatenate([[True], np.diff(values) > 0]))
        if len(starts) == len(values):
            break
        total = np.add.reduceat(weights, starts)
        values = np.add.reduceat(values * weights, starts) / total
        weights = total
    return values, weights
