"""What is found about single classes and about groups of rows, without p-values."""

from __future__ import annotations

import math

import numpy as np

from calibrant._execution import Parallel
from calibrant._native import FloatArray
from calibrant._predictions import Predictions, hits, top_probabilities
from calibrant._where._contributions import contributions
from calibrant._where._groups import Group, Partition
from calibrant._where._label_sets import LabelSetSums
from calibrant._where._result import Finding
from calibrant.kernels import ScalarKernel

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


def group_findings(
    predictions: Predictions,
    kernel: ScalarKernel,
    partition: Partition,
    parts: FloatArray,
    confidence: FloatArray,
    parallel: Parallel,
) -> list[Finding]:
    """Describe groups of rows, without p-values; `confidence` are their z_B."""
    by_row = parts.sum(axis=1)
    total = np.array([by_row[group.rows].sum() for group in partition.groups])
    shares = positive_shares(total)
    return [
        Finding(
            kind=partition.kind,
            name=group.name,
            grouping=partition.grouping,
            n_samples=len(group.rows),
            **_predicted_label(predictions, group),
            contribution=float(total[k]),
            share=float(shares[k]),
            estimate=_within(predictions, kernel, group, parallel),
            confidence_z=float(confidence[k]) if group.tested else math.nan,
            tested=group.tested,
            note=group.note,
        )
        for k, group in enumerate(partition.groups)
    ]


def _predicted_label(predictions: Predictions, group: Group) -> dict[str, float]:
    if not len(group.rows):
        return {"predicted": math.nan, "observed": math.nan}
    rows = predictions.take(group.rows)
    return {
        "predicted": float(np.average(top_probabilities(rows), weights=rows.weights)),
        "observed": float(np.average(hits(rows), weights=rows.weights)),
    }


def _within(
    predictions: Predictions, kernel: ScalarKernel, group: Group, parallel: Parallel
) -> float:
    if len(group.rows) < 2:
        return math.nan
    part, n_total = predictions.take(group.rows), predictions.n_samples
    return float(contributions(part, kernel, parallel, n_total).sum())
