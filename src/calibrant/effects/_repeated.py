"""Rows with exactly the same prediction: a sign that they belong together."""

from __future__ import annotations

import numpy as np

from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions, row_blocks

#: shares of the rows: fewer repeats than the first are ignored; above the second, where a model may
#: have few distinct values, only repeats that are neighbors count
_FEW, _MANY = 0.01, 0.5
#: equal neighbors, relative to a shuffled file, that show that equal rows were put together
_TOGETHER = 3.0
_FEWEST = 10
#: probabilities with at most four decimals repeat because of rounding
_UNITS = 1e4


def repeated_rows(predictions: Predictions) -> int:
    """Return how many rows repeat another row's prediction, if that is noteworthy.

    0 if clusters are known, or if there are fewer than 10 rows or 1 % of repeats. If half of the
    rows or more are repeats, the model may have few distinct predictions: then they count only if
    equal rows are adjacent more often than in a shuffled file. Rows with at most four decimals and
    certain rows are not counted. O(n·m + n log n).

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
    # a random projection separates different rows and keeps equal rows equal
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
    """Return whether equal rows are adjacent more often than in a shuffled file."""
    neighbors = int(np.count_nonzero(places[1:] == places[:-1]))
    expected = float(counts @ (counts - 1)) / len(places)
    return neighbors >= _TOGETHER * expected + _FEWEST


def _places(p: FloatArray, direction: FloatArray) -> FloatArray:
    """Return the projections of the rows that have more than four decimals."""
    scaled = p * _UNITS
    fine = np.any(np.abs(scaled - np.rint(scaled)) > 1e-6, axis=1)
    return np.asarray(np.einsum("ic,c->i", p, direction)[fine])
