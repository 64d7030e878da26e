"""The average label and prediction of each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant._native import FloatArray
from calibrant._output import Count, Finite, Probability
from calibrant._predictions._predictions import Predictions

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence


@dataclass(frozen=True)
class ClassRate:
    """A class with its rows, (weighted) base rate and mean probability."""

    name: str
    count: Count
    base_rate: Probability
    mean_probability: Finite


def class_rates(predictions: Predictions) -> tuple[ClassRate, ...]:
    """Return rows, (weighted) base rate and mean probability of every class; O(n·m)."""
    m = predictions.n_classes
    counts = np.bincount(predictions.y_true, minlength=m)
    means = np.average(predictions.y_prob, axis=0, weights=predictions.sample_weight)
    weights = np.bincount(predictions.y_true, predictions.sample_weight, minlength=m)
    rates = weights / weights.sum()
    return tuple(
        ClassRate(str(name), int(count), float(rate), float(mean))
        for name, count, rate, mean in zip(predictions.classes, counts, rates, means, strict=True)
    )


def class_sums(predictions: Predictions) -> FloatArray:
    """Return the rows, the weight and the weighted probability of every class, (3, m).

    The sums add up over parts of the rows.
    """
    m, weights = predictions.n_classes, predictions.weights
    counts = np.bincount(predictions.y_true, minlength=m)
    own = np.bincount(predictions.y_true, weights, minlength=m)
    return np.stack([counts, own, weights @ predictions.y_prob])


def rates_of_sums(classes: Sequence[Hashable], sums: FloatArray) -> tuple[ClassRate, ...]:
    """Return the `class_rates` from the sums over all rows."""
    shares = sums[1:] / sums[1].sum()
    return tuple(
        ClassRate(str(name), int(count), float(rate), float(mean))
        for name, count, rate, mean in zip(classes, sums[0], *shares, strict=True)
    )
