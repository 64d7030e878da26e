"""Rows with exactly the same prediction: a sign that they belong together."""

from __future__ import annotations

import numpy as np

from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions, row_blocks

#: shares of the rows: repeats below the first are chance, above the second the model may have few
#: values, and only repeats that are neighbors tell
_FEW, _MANY = 0.01, 0.5
#: how many times the neighbors of a shuffled file say that equal rows were put together
_TOGETHER = 3.0
_FEWEST = 10
#: probabilities of four decimals or fewer repeat by rounding
_UNITS = 1e4


def repeated_rows(predictions: Predictions) -> int:
    """Return how many rows repeat another one's prediction, where that is worth a remark.

    0 where clusters are known, and where repeats are fewer than 10 rows or 1 %. Half of the rows
    or more may also come from a model with few different predictions: they count only where equal
    rows are next to each other more often than in a shuffled file. Rows of four decimals or fewer,
    and certain ones, are not counted. O(n·m + n log n).

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant import Predictions
    >>> p = np.random.default_rng(0).random(100)
    >>> labels = np.zeros(120, dtype=int)
    >>> repeated_rows(Predictions(labels, np.concatenate([p, p[:20]])))
    40
    """
    if predictions.clusters is not None or predictions.n_samples < 2 * _FEWEST:
        return 0
    # a random projection separates rows; equal rows have equal ones
    direction = np.random.default_rng(0).random(predictions.n_classes)
    blocks = row_blocks(*predictions.y_prob.shape)
    places = [_places(predictions.y_prob[rows], direction) for rows in blocks]
    every = np.concatenate(places)
    _, counts = np.unique(every, return_counts=True)
    repeated = int(counts[counts > 1].sum())
    if repeated < max(_FEWEST, _FEW * predictions.n_samples):
        return 0
    if repeated >= _MANY * predictions.n_samples and not _are_together(every, counts):
        return 0
    return repeated


def _are_together(places: FloatArray, counts: IntArray) -> bool:
    """Say whether equal rows are next to each other more often than in a shuffled file."""
    neighbors = int(np.count_nonzero(places[1:] == places[:-1]))
    expected = float(counts @ (counts - 1)) / len(places)
    return neighbors >= _TOGETHER * expected + _FEWEST


def _places(p: FloatArray, direction: FloatArray) -> FloatArray:
    """Return the projections of rows with more than four decimals."""
    scaled = p * _UNITS
    fine = np.any(np.abs(scaled - np.rint(scaled)) > 1e-6, axis=1)
    return np.asarray(np.einsum("ic,c->i", p, direction)[fine])
