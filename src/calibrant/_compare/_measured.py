"""One model on the common rows: its measures, and what every row contributes to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from calibrant._engine import row_sums
from calibrant._execution import Parallel
from calibrant._native import FloatArray
from calibrant._predictions import Predictions, brier_scores, hits, log_losses
from calibrant.effects import Effect, accuracy, brier, log_loss, row_sum_effect
from calibrant.estimators import feature_row_sums
from calibrant.kernels import Kernel


@dataclass(frozen=True, eq=False)
class Measured:
    """A model with everything that its comparisons need: pairs are visited once per model."""

    predictions: Predictions
    pair_sums: FloatArray  # Σ_{j≠i} h_ij, shape (n,)
    scores: Mapping[str, FloatArray]  # measure -> score of every row, shape (n,)
    effects: Mapping[str, Effect]

    @classmethod
    def of(cls, rows: Predictions, pair_sums: FloatArray, confidence_level: float) -> Measured:
        """Measure a model whose rows all count."""
        effects = {
            "skce": row_sum_effect(rows, pair_sums, confidence_level),
            "brier": brier(rows, confidence_level),
            "log_loss": log_loss(rows, confidence_level),
            "accuracy": accuracy(rows, confidence_level),
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
    return {
        "brier": brier_scores(rows),
        "log_loss": log_losses(rows),
        "accuracy": hits(rows).astype(float),
    }
