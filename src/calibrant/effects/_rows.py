"""Which rows count, and how many they are worth."""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

import numpy as np

from calibrant._native import FloatArray
from calibrant._predictions import Predictions, effective_count

#: rows that together weigh less than this share of the heaviest one change nothing
_INVISIBLE = 1e-13


def rows_that_weigh(predictions: Predictions) -> Predictions:
    """Return the rows that weigh; one of weight 0, or lost in rounding, is as good as absent."""
    weight = predictions.sample_weight
    if weight is None:
        return predictions
    least = _INVISIBLE * float(weight.max()) / len(weight)
    return predictions if weight.min() > least else predictions.take(weight > least)


def clustered_size(predictions: Predictions, share: float, contributions: FloatArray) -> float:
    """Return how many independent rows know a share as well as these clustered ones.

    `contributions` are those of the rows to the share. By Korn and Graubard: the variance between
    clusters decides, with Student's t for few of them; of labels never more than `effective_size`.
    Where all rows are alike every cluster counts as one row.
    """
    size, index = effective_size(predictions), predictions.cluster_index
    if predictions.soft:  # shares vary less than labels drawn from them
        size = math.inf
    return (
        size
        if index is None
        else size_of_sums(size, share, np.asarray(np.bincount(index, contributions), np.float64))
    )


def size_of_sums(size: float, share: float, sums: FloatArray) -> float:
    """Return the same from what whole clusters contribute; at most `size`."""
    count = len(sums)
    if count < 2:
        return 1.0
    variance = count / (count - 1) * float(sums @ sums)
    alone = share * (1.0 - share)
    if not (variance > 0.0 and alone > 0.0):
        return min(size, float(count))
    return max(1.0, min(size, alone / variance * (_normal() / _student(count - 1)) ** 2))


@cache
def _student(freedom: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.975))


@cache
def _normal() -> float:
    return NormalDist().inv_cdf(0.975)


def effective_size(predictions: Predictions) -> float:
    """Return Kish's (Σw)²/Σw²: the number of equally weighted rows that say as much."""
    weight = predictions.sample_weight
    return float(predictions.n_samples) if weight is None else effective_count(weight)
