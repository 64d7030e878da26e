"""The SKCE of clustered rows, from pairs in different clusters, with a cluster jackknife."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibrant._native import FloatArray
from calibrant._predictions import Predictions


@dataclass(frozen=True, eq=False)
class BetweenClusters:
    """The SKCE over pairs of rows in different clusters, with and without each cluster.

    Parameters
    ----------
    estimate : float
        Unbiased estimate of the SKCE under any dependence within clusters.
    without : ndarray of shape (n_clusters,)
        The estimate without each cluster; NaN if no pairs remain.
    """

    estimate: float
    without: FloatArray

    @classmethod
    def of(cls, rows: Predictions, pairs: FloatArray, inside: FloatArray) -> BetweenClusters:
        """Compute both from Σ_{j≠i} h_ij of every row and Σ_{i≠j} h_ij within every cluster."""
        index = rows.cluster_index
        assert index is not None
        weight = np.bincount(index, rows.weights)
        # sums over pairs of each cluster with all others
        crossing = np.bincount(index, pairs) - inside
        weights = weight * (weight.sum() - weight)
        total, all_weights = float(crossing.sum()), float(weights.sum())
        left = all_weights - 2.0 * weights
        safe = np.where(left > 1e-9 * all_weights, left, np.nan)
        estimate = total / all_weights if all_weights > 0.0 else np.nan
        return cls(float(estimate), np.asarray((total - 2.0 * crossing) / safe))


def design_effect(rows: Predictions) -> float:
    """Return the design effect Σ_g |Σ_i r_i|² / Σ_i |r_i|², at least 1."""
    index = rows.cluster_index
    if index is None:
        return 1.0
    r = rows.weighted_residuals
    between = sum(float(np.sum(np.bincount(index, column) ** 2)) for column in r.T)
    alone = float(np.sum(r**2))
    return max(between / alone, 1.0) if alone > 0.0 else 1.0
