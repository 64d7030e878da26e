"""Which rows count, and how many they are worth."""

from __future__ import annotations

from calibrant._predictions import Predictions

#: rows that together weigh less than this share of the heaviest one change nothing
_INVISIBLE = 1e-13


def counted(predictions: Predictions) -> Predictions:
    """Return the rows that weigh; one of weight 0, or lost in rounding, is as good as absent."""
    weight = predictions.sample_weight
    if weight is None:
        return predictions
    least = _INVISIBLE * float(weight.max()) / len(weight)
    return predictions if weight.min() > least else predictions.take(weight > least)


def effective_size(predictions: Predictions) -> float:
    """Return Kish's (Σw)²/Σw²: the number of equally weighted rows that say as much."""
    weight = predictions.sample_weight
    if weight is None:
        return float(predictions.n_samples)
    share = weight / weight.max()  # squares of tiny or huge weights would leave the range
    return float(share.sum() ** 2 / (share**2).sum())
