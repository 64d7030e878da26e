"""Cumulative differences: errors from partial sums, without bins or bandwidths."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrant._native import FloatArray
from calibrant._output import concise
from calibrant._predictions import Predictions, as_predictions
from calibrant.estimators._event_estimator import EventEstimator, EventPlan, EventRows


@concise
@dataclass(frozen=True, eq=False, kw_only=True)
class CumulativeDifferences:
    """Partial sums of outcomes minus predictions, in ascending order of the predictions.

    Where the curve rises, events occur more often than predicted; the slope is the local error.

    Attributes
    ----------
    predicted : ndarray of shape (k,)
        Distinct predictions, ascending.
    share : ndarray of shape (k,)
        Share of the rows, by weight, up to this prediction; ascending to 1.
    difference : ndarray of shape (k,)
        Mean of y − p over all rows, with rows above this prediction counted as 0.
    sd : ndarray of shape (k,)
        Standard deviation of `difference` for a calibrated model.

    Examples
    --------
    >>> from calibrant.estimators import cumulative_differences
    >>> found = cumulative_differences([0, 1, 0, 1], [0.2, 0.4, 0.6, 0.8])
    >>> found.difference[:3].round(3)
    array([-0.05,  0.1 , -0.05])
    """

    predicted: FloatArray
    share: FloatArray
    difference: FloatArray
    sd: FloatArray


def cumulative_differences(y_true: Any, y_prob: Any = None, **data: Any) -> CumulativeDifferences:
    """Return the cumulative differences between outcomes and predictions; O(n log n).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or Predictions
        Labels; or one `Predictions`, also behind a lens.
    y_prob : array-like of shape (n_samples,) or (n_samples, n_classes)
        Probabilities. With more than two classes, those of the predicted label are used.
    **data
        `classes`, `pos_label`, `sample_weight`, `normalize`: see `Predictions`.

    Returns
    -------
    CumulativeDifferences

    References
    ----------
    I. Arrieta-Ibarra, P. Gujral, J. Tannen, M. Tygert and C. Xu, "Metrics of calibration for
    probabilistic predictions", JMLR 2022.

    Examples
    --------
    >>> import calibrant as cal
    >>> y_true, y_prob = cal.models.M1(2).sample(1000, rng=0)
    >>> found = cal.estimators.cumulative_differences(y_true, y_prob)
    >>> bool(abs(found.difference).max() < 3.0 * found.sd[-1])
    True

    The model is calibrated, so its curve stays near 0.
    """
    event = as_predictions(y_true, y_prob, **data).event()
    rows = EventRows.of(event)
    total = rows.weight.sum()
    return CumulativeDifferences(
        predicted=rows.p,
        share=np.cumsum(rows.weight) / total,
        difference=np.cumsum(rows.count(event.y_true) - rows.weight * rows.p) / total,
        sd=np.sqrt(np.cumsum(rows.noise())) / total,
    )


@dataclass(frozen=True)
class _Cumulative(EventEstimator):
    standardized: bool = True

    def _plan(self, event: Predictions) -> EventPlan:
        """Sort the predictions once."""
        rows = EventRows.of(event)
        scale = float(rows.weight.sum())
        if self.standardized:
            scale = math.sqrt(float(rows.noise().sum())) or math.inf
        expected = rows.weight * rows.p

        def errors(events: FloatArray) -> FloatArray:
            sums = np.cumsum(events - expected, axis=1)
            # the sum before the first row is 0
            highest = np.maximum(sums.max(axis=1), 0.0)
            return np.asarray(self._join(highest, np.minimum(sums.min(axis=1), 0.0)) / scale)

        return EventPlan(rows.count, errors, len(rows.p))

    @staticmethod
    def _join(highest: FloatArray, lowest: FloatArray) -> FloatArray:
        raise NotImplementedError


@dataclass(frozen=True)
class KolmogorovSmirnov(_Cumulative):
    r"""Largest cumulative difference of the positive class, or of the top label (multi-class).

    At least 0; 0 if all partial sums of outcomes and predictions agree. The standardized value is
    about 1.2 for a calibrated model at every n (the maximum of |Brownian motion|), and grows with
    n for a miscalibrated one. In units of probability (``standardized=False``, the ECCE-MAD) it is
    the largest error of any event "p at most t". Cost O(n log n), and O(n) for each additional
    label set.

    Parameters
    ----------
    standardized : bool, default True
        In standard deviations of a calibrated model; otherwise in units of probability.

    Notes
    -----
    With the rows in ascending order of p, and rows of equal p as one step, the error is
    :math:`\max_k |\sum_{i \le k} w_i (y_i - p_i)| / s` with
    :math:`s = \sqrt{\sum w_i^2 p_i(1 - p_i)}`, or :math:`s = \sum w_i`. It is 0 if every prediction
    is certain, so that s = 0.

    References
    ----------
    I. Arrieta-Ibarra, P. Gujral, J. Tannen, M. Tygert and C. Xu, "Metrics of calibration for
    probabilistic predictions", JMLR 2022.

    Examples
    --------
    >>> from calibrant.estimators import KolmogorovSmirnov
    >>> round(KolmogorovSmirnov(standardized=False)([1, 1, 1, 1], [0.6, 0.8, 0.2, 0.4]), 12)
    0.5

    On average, the predictions are 0.5 too low.
    """

    @staticmethod
    def _join(highest: FloatArray, lowest: FloatArray) -> FloatArray:
        return np.maximum(highest, -lowest)


@dataclass(frozen=True)
class Kuiper(_Cumulative):
    r"""Range of the cumulative differences of the positive class, or the top label (multi-class).

    At least 0; 0 if all partial sums of outcomes and predictions agree. The standardized value is
    about 1.6 for a calibrated model at every n (the range of Brownian motion). In units of
    probability (``standardized=False``, the ECCE-R) it is the largest error of any event "p
    between s and t". Cost O(n log n), and O(n) for each additional label set.

    Parameters
    ----------
    standardized : bool, default True
        In standard deviations of a calibrated model; otherwise in units of probability.

    Notes
    -----
    Like `KolmogorovSmirnov`, but with the largest minus the smallest partial sum, including the
    empty sum 0.

    References
    ----------
    I. Arrieta-Ibarra, P. Gujral, J. Tannen, M. Tygert and C. Xu, "Metrics of calibration for
    probabilistic predictions", JMLR 2022.

    Examples
    --------
    >>> from calibrant.estimators import Kuiper
    >>> round(Kuiper(standardized=False)([0, 1, 0, 1], [0.6, 0.8, 0.2, 0.4]), 12)
    0.15
    """

    @staticmethod
    def _join(highest: FloatArray, lowest: FloatArray) -> FloatArray:
        return highest - lowest
