"""Facts about the clusters of streamed rows from one pass: sums by cluster, and a sample."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from calibrant._engine import Coupling, coupling_of, sample_limit, sample_rows
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import (
    Predictions,
    brier_scores,
    hits,
    join,
    log_losses,
)
from calibrant.effects import Effect, Spread, accuracy_effect, size_of_sums
from calibrant.estimators import ranked_scores


@dataclass(frozen=True, eq=False)
class ClusterSums:
    """Sums over the rows of every cluster, with ascending codes (G,) and sums (G, k)."""

    codes: IntArray
    sums: FloatArray

    @classmethod
    def of(cls, codes: IntArray, values: FloatArray) -> ClusterSums:
        """Sum the values (n, k) of rows with the same code."""
        found, index = np.unique(codes, return_inverse=True)
        columns = [np.bincount(index, column, len(found)) for column in values.T]
        return cls(found, np.stack(columns, axis=1).astype(np.float64))

    def merge(self, other: ClusterSums) -> ClusterSums:
        """Return the sums over both; a cluster may be in several parts of the files."""
        return ClusterSums.of(
            np.concatenate([self.codes, other.codes]), np.concatenate([self.sums, other.sums])
        )


@dataclass(frozen=True, eq=False)
class ClusterSurvey:
    """The clusters of some rows: 48 bytes per cluster, and the rows of a sample of whole clusters.

    The sums are those of 1, w, w·hit, w·Brier score, w·log loss and, for ordered classes, w·RPS.
    """

    table: ClusterSums
    sample: Predictions

    @classmethod
    def of(cls, rows: Predictions) -> ClusterSurvey:
        """Survey some rows."""
        assert rows.clusters is not None
        w, losses = rows.weights, log_losses(rows)
        values = np.stack(
            [np.ones(len(w)), w, w * hits(rows), w * brier_scores(rows),
             w * np.where(np.isfinite(losses), losses, 0.0),
             *([w * ranked_scores(rows)] if rows.has_order else [])], axis=1
        )  # fmt: skip
        return cls(ClusterSums.of(rows.clusters, values), _pruned(rows))

    def merge(self, other: ClusterSurvey) -> ClusterSurvey:
        """Return the survey of both."""
        sample = _pruned(join(self.sample, other.sample))
        return ClusterSurvey(self.table.merge(other.table), sample)

    @classmethod
    def join(cls, parts: Iterable[ClusterSurvey]) -> ClusterSurvey | None:
        """Return the survey of all parts; None without clusters."""
        total: ClusterSurvey | None = None
        for part in parts:
            total = part if total is None else total.merge(part)
        return total

    @property
    def coupling(self) -> Coupling:
        """Return how the labels of a cluster depend on each other."""
        counts = self.table.sums[:, 0]
        return coupling_of(self.sample, len(counts), int(counts.max()), int(counts.sum()))

    def effects(self, effects: Mapping[str, Effect]) -> dict[str, Effect]:
        """Return effects computed for independent rows, with intervals from whole clusters."""
        weight, *sums = self.table.sums[:, 1:].T
        columns = dict(zip(("accuracy", "brier", "log_loss", "rps"), sums, strict=False))
        found = dict(effects)
        for name, column in columns.items():
            effect = effects[name]
            if not effect.interval.is_known:
                continue
            parts = (column - effect.estimate * weight) / weight.sum()
            if name == "accuracy":
                size = size_of_sums(float(self.table.sums[:, 0].sum()), effect.estimate, parts)
                found[name] = accuracy_effect(effect.estimate, size)
                continue
            spread = Spread.of(parts)
            interval = spread.positive_interval(effect.estimate, 0.95)
            found[name] = replace(effect, interval=interval, standard_error=spread.error)
        return found

    def to_record(self) -> dict[str, Any]:
        """Return a record of arrays for sending and for checkpoints."""
        rows = self.sample
        return {
            "cluster_codes": self.table.codes,
            "cluster_sums": self.table.sums,
            "sample_clusters": np.asarray(rows.clusters),
            "sample_labels": np.asarray(rows.y_true),
            "sample_rows": np.asarray(rows.y_prob),
            "sample_weights": np.asarray(rows.weights),
        }


def _pruned(rows: Predictions) -> Predictions:
    """Keep the clusters with the smallest codes, as many as the estimate of λ uses."""
    assert rows.clusters is not None
    most = sample_rows(rows.n_classes)
    if len(rows) <= most:
        return rows
    return rows.take(rows.clusters <= sample_limit(rows.clusters, most))
