r"""Ordered classes: the events "class at least k" and the ranked-probability direction.

Class k > 0 of m ordered classes is reached if :math:`y \ge k`, with probability
:math:`q_k = \sum_{c \ge k} p_c`. Each of these m − 1 events has two classes. Their kernel sums are
the class-wise family on the ordered scale, their totals detect grades that are predicted too often
or too rarely, and the score direction of the RPS, :math:`\sum_k (q_k - 1[y \ge k])^2`, detects a
spread that is too narrow or too wide. With two classes they add nothing to the test.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from calibrant._engine import LabelSets, cell_sums
from calibrant._native import FloatArray
from calibrant._predictions import Predictions
from calibrant.methods._class_scores import two_sided_tails


def reach_probabilities(p: FloatArray) -> FloatArray:
    """Return P(class at least k), k = 1, …, m − 1, of distributions p (n, m): (n, m − 1)."""
    return np.asarray(np.cumsum(p[:, :0:-1], axis=1)[:, ::-1])


def ranked_scores(p: FloatArray) -> FloatArray:
    r"""Return f(p) of the ranked-probability direction, (n, m): −½ RPS up to a common term.

    Notes
    -----
    :math:`\sum_k (q_k - 1[c \ge k])^2 = \sum_k q_k^2 + \sum_{k \le c} (1 - 2 q_k)`, so that
    :math:`f_c = \sum_{k \le c} (q_k - \tfrac12)`, as f = p stands for −½ of the Brier score.
    """
    steps = np.cumsum(reach_probabilities(p) - 0.5, axis=1)
    return np.hstack([np.zeros((len(p), 1)), steps])


def reach_squares(x: FloatArray) -> FloatArray:
    """Return Σ_k (q_k − 1[c ≥ k])² for every label c and row of probabilities x (n, m)."""
    q = reach_probabilities(x)
    steps = np.hstack([np.zeros((len(q), 1)), np.cumsum(1.0 - 2.0 * q, axis=1)])
    return np.asarray(np.einsum("ik,ik->i", q, q)[:, None] + steps)


def reach_sets(label_sets: LabelSets) -> Iterator[LabelSets]:
    """Yield label sets of 0 and 1 for every class but the first: whether the labels reach it."""
    for k in range(1, label_sets.n_classes):
        reached = (label_sets.codes >= k).view(np.uint8)
        yield LabelSets(reached, len(label_sets), 2)


@dataclass(frozen=True, eq=False)
class ReachMoments:
    """Exact conditional moments of the totals of the events "class at least k"."""

    expected: FloatArray  # (m − 1,) Σ w q
    variance: FloatArray  # (m − 1,) Σ w² q(1 − q)
    third: FloatArray  # (m − 1,) Σ w³ q(1 − q)(1 − 2q)

    @classmethod
    def of(cls, p: FloatArray, weights: FloatArray) -> ReachMoments:
        """Sum over rows with distributions p (n, m); O(n·m)."""
        q = np.clip(reach_probabilities(p), 0.0, 1.0)
        spread = q * (1.0 - q)
        return cls(weights @ q, weights**2 @ spread, weights**3 @ (spread * (1.0 - 2.0 * q)))

    def statistics(self, totals: FloatArray) -> FloatArray:
        """Return two statistics (2, R) of class totals Σ w 1[y = c], (R, m): largest and all."""
        deviations = np.cumsum(totals[:, :0:-1], axis=1)[:, ::-1] - self.expected
        # a class that is certain in every row leaves rounding errors
        sd = np.sqrt(np.where(self.variance > 1e-9 * self.expected.max(), self.variance, 0.0))
        skewness = np.divide(self.third, sd**3, out=np.zeros_like(sd), where=sd > 0.0)
        tails = two_sided_tails(deviations, sd, skewness)
        z = np.divide(deviations, sd, out=np.zeros_like(deviations), where=sd > 0.0)
        largest = -np.log(len(sd) / np.sum(1.0 / tails, axis=1))
        return np.stack([largest, np.einsum("rk,rk->r", z, z)])


def grade_statistics(predictions: Predictions, label_sets: LabelSets) -> FloatArray:
    """Return the statistics (2, R) of the totals of the events "class at least k"; O(n·(m + R))."""
    moments = ReachMoments.of(predictions.distributions, predictions.weights)
    totals = np.zeros((len(label_sets), predictions.n_classes, 1))
    same = np.zeros((predictions.n_samples, 1), np.uint16)
    cell_sums(same, predictions.weights, label_sets, totals)
    return moments.statistics(totals[:, :, 0])
