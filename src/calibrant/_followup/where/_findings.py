"""Findings about single classes and groups of rows, without p-values."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import partial

import numpy as np

from calibrant._engine import BlockForm, kernel_products, pair_sum, sizes
from calibrant._execution import Parallel
from calibrant._followup.where._finding import Finding
from calibrant._followup.where._groups import Group, Partition
from calibrant._followup.where._label_sets import LabelSetSums, View, asked_classes
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions, event_classes
from calibrant.estimators import feature_class_sums, feature_totals
from calibrant.kernels import Laplacian, ScalarKernel, fixed_bandwidth

_CERTAIN = "not tested: in every row its probability is 0 or 1"


def contributions(
    predictions: Predictions,
    kernel: ScalarKernel,
    parallel: Parallel,
    n_total: int | None = None,
) -> FloatArray:
    r"""Return the contribution of every row and class to the unbiased SKCE, shape (n, m).

    Entry (i, c) is :math:`r_{ic} \sum_{j \ne i} k_{ij} r_{jc} / \sum_{i \ne j} w_i w_j`, so the
    entries sum to the estimate. O(n²m); above 50,000 rows (15,811 for 100 classes) with more than
    two classes, a total variation Laplacian is approximated by 512 random frequencies, O(n·m·D). A
    part of `n_total` rows is approximated earlier, so that all parts together cost no more than
    50,000 rows.
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


@dataclass(frozen=True, eq=False)
class Shares:
    """The contributions of classes and groups to the unbiased SKCE, and the SKCE within groups."""

    by_class: FloatArray
    #: by the number of the group, partition after partition
    by_group: FloatArray
    within: FloatArray

    @classmethod
    def of(cls, view: View, parallel: Parallel) -> Shares:
        """Compute them from all pairs, or from features once for every row and partition."""
        predictions, kernel = view.predictions, view.kernel
        rows = [group.rows for partition in view.partitions for group in partition.groups]
        within = partial(_within, predictions, kernel, parallel)
        weight = predictions.pair_weight
        if weight <= 0.0 or not _approximate(predictions, kernel, predictions.n_samples):
            parts = contributions(predictions, kernel, parallel)
            by_row = parts.sum(axis=1)
            by_group = np.array([by_row[some].sum() for some in rows])
            return cls(parts.sum(axis=0), by_group, np.array([within(some) for some in rows]))
        totals = [_totals(predictions, kernel, some, parallel) for some in rows]
        squares = [np.sum(predictions.weighted_residuals[some] ** 2, axis=0) for some in rows]
        n_all = len(view.partitions[0].groups)  # the first partition contains every row
        whole, own = sum(totals[:n_all]), sum(squares[:n_all])
        return cls(
            (np.einsum("cf,cf->c", whole, whole) - own) / weight,
            np.array([(np.vdot(t, whole) - s.sum()) / weight
                      for t, s in zip(totals, squares, strict=True)]),
            np.array([within(*one) for one in zip(rows, totals, strict=True)]),
        )  # fmt: skip


def _totals(
    predictions: Predictions, kernel: ScalarKernel, rows: IntArray, parallel: Parallel
) -> FloatArray:
    return feature_totals(predictions.take(rows), fixed_bandwidth(kernel), 0, parallel)


def class_findings(
    predictions: Predictions, parts: FloatArray, sums: LabelSetSums
) -> list[Finding]:
    """Describe every class, or only the positive one of two; `parts` are those of `Shares`."""
    asked = asked_classes(predictions.n_classes)
    # each of two classes has half of the error
    estimates = parts * (2.0 if len(asked) == 1 else 1.0)
    weights, p = predictions.weights, predictions.y_prob
    predicted = np.average(p, axis=0, weights=weights)
    observed = np.bincount(predictions.y_true, weights, predictions.n_classes) / weights.sum()
    tested = np.any((p > 0.0) & (p < 1.0), axis=0)
    return [
        Finding(
            kind="class",
            name=predictions.classes[c],
            grouping=None,
            target=_target(predictions, c),
            n_samples=predictions.n_samples,
            predicted=float(predicted[c]),
            observed=float(observed[c]),
            contribution=float(estimates[c]),
            estimate=float(estimates[c]),
            frequency_z=float(sums.class_frequency[k, 0]),
            confidence_z=_confidence(predictions, sums.class_confidence[k, 0]),
            tested=bool(tested[c]),
            note="" if tested[c] else _CERTAIN,
        )
        for k, c in enumerate(asked)
    ]


def group_findings(
    predictions: Predictions, partition: Partition, numbers: FloatArray
) -> list[Finding]:
    """Describe groups of rows from contributions, estimates, frequency and confidence.

    These `numbers` have the shape (4, n_groups).
    """
    m = predictions.n_classes
    return [
        Finding(
            kind=partition.kind,
            name=group.name,
            grouping=partition.grouping,
            target=_target(predictions, 1) if m == 2 else None,
            n_samples=len(group.rows),
            **_event(predictions, group),
            contribution=float(contribution),
            estimate=float(estimate),
            frequency_z=float(frequency) if group.tested else math.nan,
            confidence_z=_confidence(predictions, confidence) if group.tested else math.nan,
            tested=group.tested,
            note=group.note,
        )
        for group, contribution, estimate, frequency, confidence in zip(
            partition.groups, *numbers, strict=True
        )
    ]


def _target(predictions: Predictions, c: int) -> Hashable:
    """Return the class of a finding, or None for the predicted label."""
    return None if _is_right_or_wrong(predictions) else predictions.classes[c]


def _confidence(predictions: Predictions, z: float) -> float:
    # whether the predicted label is right has a single direction, the frequency
    return math.nan if _is_right_or_wrong(predictions) else float(z)


def _is_right_or_wrong(predictions: Predictions) -> bool:
    """Return whether the two classes are a right and a wrong predicted label."""
    return predictions.ranked and predictions.n_classes == 2


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
    predictions: Predictions,
    kernel: ScalarKernel,
    parallel: Parallel,
    rows: IntArray,
    totals: FloatArray | None = None,
) -> float:
    """Return the SKCE within some rows, from their totals if these approximate it."""
    if len(rows) < 2:
        return math.nan
    part = predictions.take(rows)
    if part.pair_weight <= 0.0:
        return 0.0
    if _approximate(part, kernel, predictions.n_samples):
        if totals is None:
            totals = _totals(predictions, kernel, rows, parallel)
        own = float(np.sum(part.weighted_residuals**2))
        return (float(np.vdot(totals, totals)) - own) / part.pair_weight
    # the sum of the contributions, with each pair once
    forms = kernel.forms(part.y_prob, part.weighted_residuals)
    return 2.0 * pair_sum(forms, parallel) / part.pair_weight
