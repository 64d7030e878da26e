"""The Hosmer–Lemeshow statistic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibrant._native import FloatArray
from calibrant._predictions import Predictions
from calibrant.binning import check_count
from calibrant.estimators._event_estimator import EventEstimator, EventPlan, EventRows


@dataclass(frozen=True)
class HosmerLemeshow(EventEstimator):
    r"""Hosmer–Lemeshow statistic of the positive class, or of the top label (multi-class).

    At least 0; about `n_groups` for a calibrated model (chi-square distributed if groups are
    large), and growing with n for a miscalibrated one. `Exact` gives a p-value that is valid at
    every n. Cost O(n log n), and O(n) for each additional label set.

    Parameters
    ----------
    n_groups : int, default 10
        Number of groups of equal size; rows of equal probability stay together.

    Notes
    -----
    With observed and expected events :math:`O_g, E_g` of :math:`n_g` rows,

    .. math:: \sum_g \frac{(O_g - E_g)^2}{E_g (1 - E_g/n_g)} ;

    with sample weights, weighted sums take their place, and the denominator is :math:`\sum w^2\,
    \bar p_g (1 - \bar p_g)`. Groups whose predictions are all 0 or all 1 are left out. On data that
    the model was not fitted to, the chi-square distribution has `n_groups` degrees of freedom, not
    `n_groups` − 2.

    References
    ----------
    D. W. Hosmer and S. Lemeshow, "Goodness of fit tests for the multiple logistic regression
    model", Communications in Statistics 1980.

    Examples
    --------
    >>> from calibrant.estimators import HosmerLemeshow
    >>> y_prob = [0.2] * 10 + [0.5] * 10
    >>> y_true = [1] * 2 + [0] * 8 + [1] * 8 + [0] * 2
    >>> round(HosmerLemeshow(2)(y_true, y_prob), 12)
    3.6

    The first group is right; in the second, 8 events occur where 5 were expected.
    """

    n_groups: int = 10

    def __post_init__(self) -> None:
        check_count("HosmerLemeshow", "n_groups", self.n_groups, 1)

    def _plan(self, event: Predictions) -> EventPlan:
        """Find the groups once."""
        rows = EventRows.of(event)
        group = np.floor(self.n_groups * rows.ranks() + 1e-12).astype(np.int64)[rows.ids]
        squares, weight, expected = (
            np.bincount(group, values, self.n_groups)
            for values in (rows.row_weight**2, rows.row_weight, rows.row_weight * rows.p[rows.ids])
        )
        mean = np.divide(expected, weight, out=np.zeros(self.n_groups), where=weight > 0.0)
        variance = squares * np.clip(mean * (1.0 - mean), 0.0, None)
        counts = variance > 0.0

        def count(happened: FloatArray) -> FloatArray:
            events = np.bincount(group, rows.row_weight * happened[rows.rows], self.n_groups)
            return np.asarray(events)

        def errors(events: FloatArray) -> FloatArray:
            parts = (events - expected)[:, counts] ** 2 / variance[counts]
            return np.asarray(parts.sum(axis=1))

        return EventPlan(count, errors, self.n_groups)
