"""The integrated calibration index and related distances from a lowess curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions
from calibrant.estimators._event_estimator import EventEstimator, EventPlan, EventRows

Summary = Literal["mean", "median", "p90", "max"]
#: above this many distinct predictions the curve uses cells of equal counts instead, none
#: wider than this fraction of [0, 1]
N_POINTS, N_WIDTHS = 512, 512


@dataclass(frozen=True)
class ICI(EventEstimator):
    r"""Distance of predictions from a smooth calibration curve: ICI, E50, E90, Emax.

    In [0, 1]; for the positive class, or the top label if there are more than two classes. The
    curve is a lowess: straight lines fitted locally, with tricube weights. On a finite sample the
    distance is positive even for a calibrated model. Cost O(n log n + k²), and O(n + k²) for each
    additional label set, with k ≤ 1024 points.

    Parameters
    ----------
    summary : {"mean", "median", "p90", "max"}, default "mean"
        How to summarize the distances of all rows: mean gives the ICI (also called Eavg), median
        the E50, p90 the E90, max the Emax.
    span : float in (0, 1], default 2/3
        Share of the rows that each line is fitted to.

    Notes
    -----
    c(p) is the weighted least-squares line at p through the outcomes of the nearest ``span·n``
    rows, with weights :math:`(1 - |p_i - p|^3/h^3)^3`, h the distance of the farthest of them,
    cut to [0, 1]: lowess without robustness iterations, as in R's ``rms::val.prob``. More than
    512 distinct predictions are grouped into cells of equal counts, at most 1/512 wide.

    References
    ----------
    P. C. Austin and E. W. Steyerberg, "The Integrated Calibration Index (ICI) and related metrics
    for quantifying the calibration of logistic regression models", Statistics in Medicine 2019.
    W. S. Cleveland, "Robust locally weighted regression and smoothing scatterplots", JASA 1979.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant.estimators import ICI
    >>> y_prob = np.repeat([0.3, 0.5, 0.7], 100)
    >>> y_true = np.tile(np.arange(100) < 60, 3).astype(int)  # always 60 of 100
    >>> print(f"{ICI()(y_true, y_prob):.3f} {ICI('max')(y_true, y_prob):.3f}")
    0.167 0.300

    Predictions are off by 0.17 on average and by 0.3 at worst.
    """

    summary: Summary = "mean"
    span: float = 2.0 / 3.0

    def __post_init__(self) -> None:
        if self.summary not in get_args(Summary):
            raise ValueError(
                f'`summary` must be "mean", "median", "p90" or "max"; got {self.summary!r}.'
            )
        if not 0.0 < self.span <= 1.0:
            raise ValueError(f"`span` must be in (0, 1], for example 2/3; got {self.span!r}.")

    def _plan(self, event: Predictions) -> EventPlan:
        """Compute the smoother once; it is linear in the outcomes."""
        rows = EventRows.of(event)
        point = np.arange(len(rows.p))
        if len(rows.p) > N_POINTS:
            cells = np.floor(N_POINTS * rows.ranks()) * N_WIDTHS + np.floor(N_WIDTHS * rows.p)
            point = np.unique(cells, return_inverse=True)[1]
        size = int(point[-1]) + 1
        weight: FloatArray = np.bincount(point, rows.weight, size).astype(np.float64)
        x = np.bincount(point, rows.weight * rows.p, size) / weight
        counts = np.bincount(point[rows.ids], minlength=size)
        smoother = lowess_matrix(x, weight, counts, self.span)

        def count(happened: FloatArray) -> FloatArray:
            events = rows.row_weight * happened[rows.rows]
            return np.asarray(np.bincount(point[rows.ids], events, size))

        def errors(events: FloatArray) -> FloatArray:
            curve = np.clip((events / weight) @ smoother.T, 0.0, 1.0)
            return self._summarize(np.abs(curve - x), weight / weight.sum())

        return EventPlan(count, errors, size)

    def _summarize(self, distance: FloatArray, share: FloatArray) -> FloatArray:
        if self.summary == "mean":
            return np.asarray(distance @ share)
        if self.summary == "max":
            return np.asarray(distance.max(axis=1))
        order = np.argsort(distance, axis=1)
        reached = np.cumsum(share[order], axis=1) >= {"median": 0.5, "p90": 0.9}[self.summary]
        # rounding may keep the last sum below the quantile
        first = np.where(reached.any(axis=1), reached.argmax(axis=1), len(share) - 1)
        at = np.take_along_axis(order, first[:, None], axis=1)
        return np.asarray(np.take_along_axis(distance, at, axis=1)[:, 0])


def lowess_matrix(
    x: FloatArray,
    weight: FloatArray,
    counts: IntArray,
    span: float,
) -> FloatArray:
    """Return S with curve = S @ outcomes, (k, k), for ascending x; O(k²).

    Parameters
    ----------
    x, weight : ndarray of shape (k,)
        The points where outcomes were averaged, and the weight of each average.
    counts : ndarray of shape (k,)
        Number of rows in each average, which the span counts.
    span : float
        Share of the rows that each line is fitted to.
    """
    distance = np.abs(x[:, None] - x)
    order = np.argsort(distance, axis=1, kind="stable")
    nearest = max(2, int(span * counts.sum() + 1e-7))
    last = np.argmax(np.cumsum(counts[order], axis=1) >= nearest, axis=1)
    reach = np.take_along_axis(distance, np.take_along_axis(order, last[:, None], 1), 1)
    relative = np.divide(distance, reach, out=np.zeros_like(distance), where=reach > 0.0)
    kernel = np.clip(1.0 - relative**3, 0.0, None) ** 3
    kernel[relative <= 0.001] = 1.0
    kernel[relative > 0.999] = 0.0
    kernel = np.where(reach > 0.0, kernel, distance == 0.0) * weight
    kernel /= kernel.sum(axis=1, keepdims=True)
    center = kernel @ x
    away = x - center[:, None]
    spread = np.sum(kernel * away**2, axis=1, keepdims=True)
    # points that hardly differ determine a mean but no slope
    sloped = np.sqrt(spread) > 0.001 * (x[-1] - x[0])
    tilt = np.divide((x - center)[:, None] * away, spread, out=np.zeros_like(away), where=sloped)
    return np.asarray(kernel * (1.0 + tilt))
