"""What is found about groups of rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from calibrant._where._classes import positive_shares
from calibrant._where._contributions import contributions
from calibrant._where._result import Finding

if TYPE_CHECKING:
    from calibrant._executors import Parallel
    from calibrant._predictions import Predictions
    from calibrant._typing import FloatArray
    from calibrant._where._groups import Group, Partition
    from calibrant.kernels import ScalarKernel


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
            **_top_label(predictions, group),
            contribution=float(total[k]),
            share=float(shares[k]),
            estimate=_within(predictions, kernel, group, parallel),
            confidence_z=float(confidence[k]) if group.tested else math.nan,
            tested=group.tested,
            note=group.note,
        )
        for k, group in enumerate(partition.groups)
    ]


def _top_label(predictions: Predictions, group: Group) -> dict[str, float]:
    if not len(group.rows):
        return {"predicted": math.nan, "observed": math.nan}
    p, y = predictions.y_prob[group.rows], predictions.y_true[group.rows]
    weights = predictions.weights[group.rows]
    return {
        "predicted": float(np.average(p.max(axis=1), weights=weights)),
        "observed": float(np.average(p.argmax(axis=1) == y, weights=weights)),
    }


def _within(
    predictions: Predictions, kernel: ScalarKernel, group: Group, parallel: Parallel
) -> float:
    if len(group.rows) < 2:
        return math.nan
    part, n_total = predictions.take(group.rows), predictions.n_samples
    return float(contributions(part, kernel, parallel, n_total).sum())
