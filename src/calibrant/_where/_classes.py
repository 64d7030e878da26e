"""What is found about single classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant._where._result import Finding

if TYPE_CHECKING:
    from calibrant._predictions import Predictions
    from calibrant._typing import FloatArray
    from calibrant._where._label_sets import LabelSetSums

_CERTAIN = "not tested: in every row its probability is 0 or 1"


def class_findings(
    predictions: Predictions, parts: FloatArray, sums: LabelSetSums
) -> list[Finding]:
    """Describe every class, without p-values; `parts` are contributions of rows and classes."""
    estimates = parts.sum(axis=0)
    shares = positive_shares(estimates)
    weights = predictions.weights
    predicted = np.average(predictions.y_prob, axis=0, weights=weights)
    observed = np.bincount(predictions.y_true, weights, predictions.n_classes) / weights.sum()
    p = predictions.y_prob
    tested = np.any((p > 0.0) & (p < 1.0), axis=0)
    return [
        Finding(
            kind="class",
            name=name,
            grouping=None,
            n_samples=predictions.n_samples,
            predicted=float(predicted[c]),
            observed=float(observed[c]),
            contribution=float(estimates[c]),
            share=float(shares[c]),
            estimate=float(estimates[c]),
            frequency_z=float(sums.class_frequency[c, 0]),
            confidence_z=float(sums.class_confidence[c, 0]),
            tested=bool(tested[c]),
            note="" if tested[c] else _CERTAIN,
        )
        for c, name in enumerate(predictions.classes)
    ]


def positive_shares(values: FloatArray) -> FloatArray:
    """Return max(v, 0)/Σ max(v, 0): shares that add up to 1, or all 0."""
    positive = np.maximum(values, 0.0)
    total = float(positive.sum())
    return positive / total if total > 0.0 else positive
