"""Isotonic regression by pooling adjacent blocks whose means do not increase."""

from __future__ import annotations

import numpy as np

from calibrant._native import FloatArray, IntArray


def pool_adjacent(sums: FloatArray, weight: FloatArray) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return the means, weights and starts of the blocks of the best increasing fits.

    All violators are pooled in every round; O(R·k) for each of a few rounds.

    Parameters
    ----------
    sums : ndarray of shape (R, k)
        Weight times value, for each of R fits at the same k places in ascending order.
    weight : ndarray of shape (k,)
        Weight of each place, positive.

    Examples
    --------
    >>> import numpy as np
    >>> pool_adjacent(np.array([[0.0, 1.0, 0.0, 1.0]]), np.ones(4))
    (array([0. , 0.5, 1. ]), array([1., 2., 1.]), array([0, 1, 3]))
    """
    total, mass = sums.ravel(), np.tile(weight, len(sums))
    starts = np.arange(sums.size)
    first = starts % len(weight) == 0
    while True:
        mean = total / mass
        opens = first.copy()
        opens[1:] |= mean[1:] > mean[:-1]
        if opens.all():
            return mean, mass, starts
        # a run of non-increasing means is one block for any order of pooling
        kept = np.flatnonzero(opens)
        total, mass = np.add.reduceat(total, kept), np.add.reduceat(mass, kept)
        starts, first = starts[kept], first[kept]
