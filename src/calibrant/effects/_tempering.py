"""Rows as logits with a floor for zeros, and the moments of their tempered distributions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from calibrant._engine import TemperedMoments, label_logs, tempered_moments
from calibrant._execution import spans
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions, label_probabilities

#: rows whose moments are in memory together
PART = 1 << 16


@dataclass(frozen=True, eq=False)
class TemperedPart:
    """Some rows under softmax(β log p): moments, weights, and the logits z of their labels."""

    beta: float
    moments: TemperedMoments
    weight: FloatArray
    label_log: FloatArray  # z = log p of the label minus that of the largest p in the row

    @property
    def log_likelihood(self) -> FloatArray:
        """Log-probability of every label."""
        return self.beta * self.label_log - self.moments.log_total

    @property
    def score(self) -> FloatArray:
        """The derivative of `log_likelihood` in β."""
        return self.label_log - self.moments.mean


def tempered_parts(
    predictions: Predictions, floor: float, beta: float, step: int = 1
) -> Iterator[TemperedPart]:
    """Yield all rows, or every `step`-th, in parts; probabilities are at least floor·Σp."""
    rows = np.arange(0, predictions.n_samples, step)
    labels = label_probabilities(predictions)
    for part in spans(len(rows), PART):
        some = rows[part]
        moments = tempered_moments(predictions.y_prob, beta, floor, rows=some, relative=True)
        z = label_logs(labels[some], moments.log_largest, moments.row_sum, floor)
        yield TemperedPart(beta, moments, weights_of(predictions, some), z)


def weights_of(predictions: Predictions, rows: IntArray | slice) -> FloatArray:
    """Return the weights of some rows."""
    weight = predictions.sample_weight
    return np.ones(len(predictions.y_true[rows])) if weight is None else weight[rows]
