"""What is found about single classes and about groups of rows, without p-values."""

from __future__ import annotations

import math

import numpy as np

from calibrant._engine import BlockForm, kernel_products, pair_sum, sizes
from calibrant._execution import Parallel
from calibrant._followup.where._finding import Finding
from calibrant._followup.where._groups import Group, Partition
from calibrant._followup.where._label_sets import LabelSetSums, asked_classes
from calibrant._native import FloatArray
from calibrant._predictions import Predictions, event_classes
from calibrant.estimators import feature_class_sums
from calibrant.kernels import Laplacian, ScalarKernel, fixed_bandwidth

_CERTAIN = "not tested: in every row its probability is 0 or 1"


def contributions(
    predictions: Predictions,
    kernel: ScalarKernel,
    parallel: Parallel,
    n_total: int | None = None,
) -> FloatArray:
    r"""Return what every row and class adds to the unbiased SKCE, shape (n, m).

    Entry (i, c) is :math:`r_{ic} \sum_{j \ne i} k_{ij} r_{jc} / \sum_{i \ne j} w_i w_j`, so all
    entries add up to the estimate. O(n²m); above 50 000 rows (15 811 of 100 classes) of more
    than two classes a Laplacian of total variation is approximated by 512 random frequencies,
    O(n·m·D). A part of `n_total` rows is approximated earlier, so that all parts together cost no
    more than 50 000 rows do.
    """
    weight = predictions.pair_weight
    if weight <= 0.0:
        return np.zeros(predictions.y_prob.shape)
    if _approximate(predictions, kernel, n_total or predictions.n_samples):
        bandwidth = fixed_bandwidth(kernel)
        return feature_class_sums(predictions, bandwidth, 0, parallel) / weight
    residuals = predictions.weighted_residuals
    total = np.zeros_like(residuals)
    for form in kernel.forms(predictions.y_prob, residuals):
        assert not isinstance(form, BlockForm), "scalar kernels have no blocks"
        total += residuals * kernel_products(form, parallel)
    return total / weight


def _approximate(predictions: Predictions, kernel: ScalarKernel, n_total: int) -> bool:
    return (
        predictions.n_samples * n_total > sizes.exact_rows(predictions.n_classes) ** 2
        and predictions.n_classes > 2
        and isinstance(kernel, Laplacian)
        and kernel.metric == "tv"
    )


def class_findings(
    predictions: Predictions, parts: FloatArray, sums: LabelSetSums
) -> list[Finding]:
    """Describe every class, of two the positive one; `parts` are those of `contributions`."""
    asked = asked_classes(predictions.n_classes)
    # of two classes each has half of the error, and they say the same
    estimates = parts.sum(axis=0) * (2.0 if len(asked) == 1 else 1.0)
    weights, p = predictions.weights, predictions.y_prob
    predicted = np.average(p, axis=0, weights=weights)
    observed = np.bincount(predictions.y_true, weights, predictions.n_classes) / weights.sum()
    tested = np.any((p > 0.0) & (p < 1.0), axis=0)
    return [
        Finding(
            kind="class",
            name=predictions.classes[c],
            grouping=None,
            target=predictions.classes[c],
            n_samples=predictions.n_samples,
            predicted=float(predicted[c]),
            observed=float(observed[c]),
            contribution=float(estimates[c]),
            estimate=float(estimates[c]),
            frequency_z=float(sums.class_frequency[k, 0]),
            confidence_z=float(sums.class_confidence[k, 0]),
            tested=bool(tested[c]),
            note="" if tested[c] else _CERTAIN,
        )
        for k, c in enumerate(asked)
    ]


def group_findings(
    predictions: Predictions,
    kernel: ScalarKernel,
    partition: Partition,
    parts: FloatArray,
    directions: FloatArray,
    parallel: Parallel,
) -> list[Finding]:
    """Describe groups of rows; `directions` are frequency and confidence, shape (2, n_groups)."""
    by_row = parts.sum(axis=1)
    m = predictions.n_classes
    return [
        Finding(
            kind=partition.kind,
            name=group.name,
            grouping=partition.grouping,
            target=predictions.classes[1] if m == 2 else None,
            n_samples=len(group.rows),
            **_event(predictions, group),
            contribution=float(by_row[group.rows].sum()),
            estimate=_within(predictions, kernel, group, parallel),
            frequency_z=float(frequency) if group.tested else math.nan,
            confidence_z=float(confidence) if group.tested else math.nan,
            tested=group.tested,
            note=group.note,
        )
        for group, frequency, confidence in zip(partition.groups, *directions, strict=True)
    ]


def _event(predictions: Predictions, group: Group) -> dict[str, float]:
    if not len(group.rows):
        return {"predicted": math.nan, "observed": math.nan}
    rows = predictions.take(group.rows)
    event = event_classes(rows)
    chances = rows.y_prob[np.arange(len(event)), event]
    return {
        "predicted": float(np.average(chances, weights=rows.weights)),
        "observed": float(np.average(rows.y_true == event, weights=rows.weights)),
    }


def _within(
    predictions: Predictions, kernel: ScalarKernel, group: Group, parallel: Parallel
) -> float:
    if len(group.rows) < 2:
        return math.nan
    part, n_total = predictions.take(group.rows), predictions.n_samples
    if _approximate(part, kernel, n_total):
        return float(contributions(part, kernel, parallel, n_total).sum())
    if part.pair_weight <= 0.0:
        return 0.0
    # the sum of its contributions, each pair once
    forms = kernel.forms(part.y_prob, part.weighted_residuals)
    return 2.0 * pair_sum(forms, parallel) / part.pair_weight
