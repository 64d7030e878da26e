"""One model on the common rows: its measures, and what every row contributes to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant._pairs import row_sums
from calibrant.effects import accuracy, brier, log_loss
from calibrant.effects._jackknife import row_sum_effect
from calibrant.estimators._feature_skce import feature_row_sums

if TYPE_CHECKING:
    from collections.abc import Mapping

    from calibrant._executors import Parallel
    from calibrant._predictions import Predictions
    from calibrant._typing import FloatArray
    from calibrant.effects import Effect
    from calibrant.kernels import Kernel


@dataclass(frozen=True, eq=False)
class Measured:
    """A model with everything that its comparisons need: pairs are visited once per model."""

    predictions: Predictions
    pair_sums: FloatArray  # Σ_{j≠i} h_ij, shape (n,)
    scores: Mapping[str, FloatArray]  # measure -> score of every row, shape (n,)
    effects: Mapping[str, Effect]

    @classmethod
    def of(cls, rows: Predictions, pair_sums: FloatArray, level: float) -> Measured:
        """Measure a model whose rows all count."""
        effects = {
            "skce": row_sum_effect(rows, pair_sums, level),
            "brier": brier(rows, level),
            "log_loss": log_loss(rows, level),
            "accuracy": accuracy(rows, level),
        }
        return cls(rows, pair_sums, _scores(rows), effects)


def exact_sums(rows: Predictions, kernel: Kernel, parallel: Parallel) -> FloatArray:
    """Return Σ_{j≠i} h_ij from all pairs, O(n²m), or by sorting where the kernel allows it."""
    return row_sums(kernel.forms(rows.y_prob, rows.weighted_residuals), parallel)


def approximate_sums(
    rows: Predictions, bandwidth: float, seed: int, parallel: Parallel
) -> FloatArray:
    """Return Σ_{j≠i} h_ij of random features; one seed for all models is one kernel for all."""
    return feature_row_sums(rows, bandwidth, seed, parallel)


def _scores(rows: Predictions) -> dict[str, FloatArray]:
    p, y = rows.y_prob, rows.y_true
    label = p[np.arange(len(p)), y]
    with np.errstate(divide="ignore"):  # −log 0 = ∞ is the score of an impossible label
        loss = 0.0 - np.log(np.minimum(label / p.sum(axis=1), 1.0))
    return {
        "brier": 1.0 - 2.0 * label + np.einsum("ic,ic->i", p, p),
        "log_loss": loss,
        "accuracy": (p.argmax(axis=1) == y).astype(float),
    }
