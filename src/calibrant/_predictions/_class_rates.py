"""What the labels and the predictions say about each class on average."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant._output import Count, Finite, Probability

if TYPE_CHECKING:
    from calibrant._predictions._predictions import Predictions


@dataclass(frozen=True)
class ClassRate:
    """A class: its rows, its (weighted) base rate and its mean probability."""

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
