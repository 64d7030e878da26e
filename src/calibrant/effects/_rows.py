"""The rows that count, and their effective number."""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist

import numpy as np

from calibrant._native import FloatArray
from calibrant._predictions import Predictions, effective_count

#: rows whose total weight is below this share of the largest weight are ignored
_INVISIBLE = 1e-13


def rows_that_weigh(predictions: Predictions) -> Predictions:
    """Return the rows that count, without those whose weight is 0 or lost in rounding."""
    weight = predictions.sample_weight
    if weight is None:
        return predictions
    least = _INVISIBLE * float(weight.max()) / len(weight)
    return predictions if weight.min() > least else predictions.take(weight > least)


def clustered_size(predictions: Predictions, share: float, contributions: FloatArray) -> float:
    """Return the number of independent rows that would determine a share as precisely.

    `contributions` are those of the rows to the share. As in Korn and Graubard, the variance
    between clusters determines the number, with Student's t for few clusters; for labels it is at
    most `effective_size`. If all rows are equal, every cluster counts as one row.
    """
    size, index = effective_size(predictions), predictions.cluster_index
    if predictions.soft:  # shares vary less than labels drawn from them would
        size = math.inf
    return (
        size
        if index is None
        else size_of_sums(size, share, np.asarray(np.bincount(index, contributions), np.float64))
    )


def size_of_sums(size: float, share: float, sums: FloatArray) -> float:
    """Return the same number from the contributions of whole clusters; at most `size`."""
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
    """Return Kish's effective number of rows, (Σw)²/Σw²."""
    weight = predictions.sample_weight
    return float(predictions.n_samples) if weight is None else effective_count(weight)
