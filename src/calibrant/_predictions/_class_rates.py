"""What the labels and the predictions say about each class on average."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from calibrant._predictions._predictions import Predictions


def class_rates(predictions: Predictions) -> list[dict[str, Any]]:
    """Return name, rows, (weighted) base rate and mean probability of every class; O(n·m)."""
    m = predictions.n_classes
    counts = np.bincount(predictions.y_true, minlength=m)
    means = np.average(predictions.y_prob, axis=0, weights=predictions.sample_weight)
    weights = np.bincount(predictions.y_true, predictions.sample_weight, minlength=m)
    rates = weights / weights.sum()
    return [
        {
            "name": str(name),
            "count": int(count),
            "base_rate": float(rate),
            "mean_probability": float(mean),
        }
        for name, count, rate, mean in zip(predictions.classes, counts, rates, means, strict=True)
    ]
