"""The ranked probability score of ordered classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrant._engine import LabelSets, score_sums
from calibrant._execution import Parallel
from calibrant._native import FloatArray
from calibrant._predictions import Predictions
from calibrant.estimators._base import Estimator, as_label_sets


@dataclass(frozen=True)
class RPS(Estimator):
    r"""Ranked probability score of ordered classes: distant errors cost more than near ones.

    In [0, n_classes − 1]; 0 means certain and right in every row. It is a proper score, which
    combines calibration and sharpness. With two classes it is scikit-learn's Brier score. Cost
    O(n·m), and O(n) for each additional label set.

    Notes
    -----
    The mean over the rows of :math:`\sum_{k < m} (P(Y \le k) - 1[y \le k])^2`, with the classes in
    their order; it is not divided by m − 1.

    References
    ----------
    E. S. Epstein, "A scoring system for probability forecasts of ranked categories", Journal of
    Applied Meteorology 1969.

    Examples
    --------
    >>> from calibrant.estimators import RPS
    >>> near, far = RPS()([1], [[0.0, 0.0, 1.0]]), RPS()([0], [[0.0, 0.0, 1.0]])
    >>> near, far
    (1.0, 2.0)
    """

    def estimate(self, predictions: Predictions, parallel: Parallel = Parallel()) -> float:
        """Return the estimate on checked data."""
        return float(np.average(ranked_scores(predictions), weights=predictions.sample_weight))

    def over_labels(
        self, predictions: Predictions, labels: Any, parallel: Parallel = Parallel()
    ) -> FloatArray:
        """Return one estimate for each label set; the scores of all classes are computed once."""
        label_sets = LabelSets.of(as_label_sets(labels, predictions), predictions.n_classes)
        share = predictions.weights / predictions.weights.sum()
        return score_sums(share[:, None] * _scores(predictions), label_sets)


def ranked_scores(predictions: Predictions) -> FloatArray:
    """Return the ranked probability score of every row, shape (n_samples,)."""
    return _scores(predictions)[np.arange(len(predictions)), predictions.y_true]


def _scores(predictions: Predictions) -> FloatArray:
    """Return the score for each class as the label, shape (n_samples, n_classes)."""
    below = np.cumsum(predictions.distributions[:, :-1], axis=1)
    # the indicator 1[c ≤ k] of the label c is 0 for k < c and 1 from c on
    before = np.cumsum(below**2, axis=1)
    after = np.cumsum((1.0 - below[:, ::-1]) ** 2, axis=1)[:, ::-1]
    none = np.zeros((len(below), 1))
    return np.hstack([none, before]) + np.hstack([after, none])
