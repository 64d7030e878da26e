"""A debiased squared error at several scales, so that errors of alternating sign do not cancel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibrant._native import FloatArray
from calibrant._predictions import Predictions
from calibrant.binning import check_count
from calibrant.estimators._event_estimator import EventEstimator, EventPlan, EventRows


@dataclass(frozen=True)
class MultiScale(EventEstimator):
    r"""Largest debiased squared error over 2, 4, 8, … groups, as in T-Cal.

    It is for the positive class, or the top label if there are more than two classes. The unit is
    the standard deviation under calibration; a calibrated model has about 0.9 at every n. Unlike a
    fixed number of bins, it detects both wide and narrow errors. Cost O(n log n), and O(n) for each
    additional label set.

    Parameters
    ----------
    n_scales : int, default 5
        Use 2 to 2^n_scales groups of equal size; rows of equal probability stay together.

    Notes
    -----
    With residuals :math:`r = y - p`, :math:`W_g = \sum_g w` and :math:`W = \sum w`, the debiased
    squared error of a scale and its null variance are

    .. math:: S = \sum_g \frac{(\sum_g w r)^2 - \sum_g w^2 r^2}{W_g W}, \qquad
        V = \sum_g \frac{2 [(\sum_g w^2 v)^2 - \sum_g w^4 v^2]}{W_g^2 W^2}, \quad v = p(1-p),

    and the error is the largest :math:`S/\sqrt V`. Scales without variance are left out.

    References
    ----------
    D. Lee, X. Huang, H. Hassani and E. Dobriban, "T-Cal: an optimal test for the calibration of
    predictive models", JMLR 2023 (there with cells of equal width).

    Examples
    --------
    >>> import calibrant as cal
    >>> y_true, y_prob = cal.models.M3(2).sample(200, rng=0)  # labels ignore the predictions
    >>> cal.estimators.MultiScale()(y_true, y_prob) > 10.0
    True
    """

    n_scales: int = 5

    def __post_init__(self) -> None:
        check_count("MultiScale", "n_scales", self.n_scales, 1)
        if self.n_scales > 20:
            raise ValueError(
                f"`n_scales` of MultiScale must be at most 20, a million groups; got "
                f"{self.n_scales}."
            )

    def _plan(self, event: Predictions) -> EventPlan:
        """Find the groups of the finest scale once; the coarser groups are unions of them."""
        rows = EventRows.of(event)
        size = 1 << self.n_scales
        cell = np.floor(size * rows.ranks() + 1e-12).astype(np.int64)[rows.ids]
        w, p = rows.row_weight, rows.p[rows.ids]
        noise = np.clip(p * (1.0 - p), 0.0, None)

        def total(values: FloatArray) -> FloatArray:
            return np.asarray(np.bincount(cell, values, size))

        # r² is (1 − p)² for an event, else p²: a constant plus a multiple of y
        expected, offset, slope = total(w * p), total(w**2 * p**2), w**2 * (1.0 - 2.0 * p)
        weight, own, squares = total(w), total(w**2 * noise), total(w**4 * noise**2)
        scales = [_Scale.of(weight, own, squares, k) for k in range(self.n_scales)]

        def count(happened: FloatArray) -> FloatArray:
            y = happened[rows.rows]
            return np.concatenate([total(w * y) - expected, offset + total(slope * y)])

        def errors(sums: FloatArray) -> FloatArray:
            residuals, own_squares = sums[:, :size], sums[:, size:]
            found = [one.standardize(residuals, own_squares) for one in scales if one.sd > 0.0]
            return np.max(found, axis=0) if found else np.zeros(len(sums))

        return EventPlan(count, errors, 2 * size)


@dataclass(frozen=True, eq=False)
class _Scale:
    """Groups of 2^depth cells."""

    depth: int
    weight: FloatArray  # W_g·W, infinite for a group without rows
    sd: float

    @classmethod
    def of(cls, weight: FloatArray, own: FloatArray, squares: FloatArray, depth: int) -> _Scale:
        weight, own, squares = (_join(values, depth) for values in (weight, own, squares))
        scale = np.where(weight > 0.0, weight * weight.sum(), np.inf)
        pairs = own**2 - squares
        # a group of one row leaves a rounding error
        pairs[pairs <= 1e-12 * own**2] = 0.0
        return cls(depth, scale, float(np.sqrt(np.sum(2.0 * pairs / scale**2))))

    def standardize(self, residuals: FloatArray, squares: FloatArray) -> FloatArray:
        excess = _join(residuals, self.depth) ** 2 - _join(squares, self.depth)
        return np.asarray((excess / self.weight).sum(axis=-1) / self.sd)


def _join(values: FloatArray, depth: int) -> FloatArray:
    """Add neighboring cells, 2^depth at a time."""
    return np.asarray(values.reshape(*values.shape[:-1], -1, 1 << depth).sum(axis=-1))
