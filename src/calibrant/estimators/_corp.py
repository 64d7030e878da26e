"""CORP: isotonic recalibration of one probability and the resulting score decomposition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from calibrant._engine import pool_adjacent
from calibrant._native import FloatArray, IntArray
from calibrant._output import Plain
from calibrant._predictions import Predictions, as_predictions
from calibrant.estimators._event_estimator import EventEstimator, EventPlan, EventRows

Score = Literal["brier", "log"]


def isotonic(sums: FloatArray, weight: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the isotonic regression of many label sets, and its blocks.

    Cost: a few rounds of O(R·k).

    Parameters
    ----------
    sums : ndarray of shape (R, k)
        Weighted number of events for each label set and each of the k distinct predictions, in
        ascending order.
    weight : ndarray of shape (k,)
        Weight of each prediction, positive.

    Returns
    -------
    fitted : ndarray of shape (R, k)
        The non-decreasing frequencies closest in weighted least squares.
    blocks : ndarray of shape (R, k)
        The number of the block, from 0 to R·k − 1 in ascending order.
    """
    mean, _, starts = pool_adjacent(sums, weight)
    size = np.diff(starts, append=sums.size)
    blocks = np.repeat(np.arange(len(starts)), size)
    return mean[blocks].reshape(sums.shape), blocks.reshape(sums.shape)


@dataclass(frozen=True)
class CorpDecomposition(Plain):
    """A mean score in three parts: score = miscalibration − discrimination + uncertainty.

    Attributes
    ----------
    score : float
        The mean score of the predictions.
    miscalibration : float
        MCB ≥ 0: the gain from isotonic recalibration on the same rows; 0 if it changes nothing.
    discrimination : float
        DSC ≥ 0: the gain of the recalibrated predictions over the base rate.
    uncertainty : float
        UNC ≥ 0: the score of the base rate.

    Examples
    --------
    >>> from calibrant.estimators import corp_decomposition
    >>> parts = corp_decomposition([0, 1, 0, 1], [0.25, 0.25, 0.75, 0.75])
    >>> parts.miscalibration, parts.discrimination, parts.uncertainty
    (0.0625, 0.0, 0.25)

    Events are equally frequent in both groups, so the difference between them is miscalibration.
    """

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float


def corp_decomposition(
    y_true: Any, y_prob: Any = None, *, score: Score = "brier", **data: Any
) -> CorpDecomposition:
    r"""Split a mean score into miscalibration, discrimination and uncertainty.

    Cost O(n log n).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or Predictions
        Labels; or one `Predictions`, also behind a lens.
    y_prob : array-like of shape (n_samples,) or (n_samples, n_classes)
        Probabilities. With more than two classes, those of the predicted label are used.
    score : {"brier", "log"}, default "brier"
        (p − y)², or the negative logarithm of the probability of the outcome.
    **data
        `classes`, `pos_label`, `sample_weight`, `normalize`: see `Predictions`.

    Returns
    -------
    CorpDecomposition

    Notes
    -----
    With the isotonic regression :math:`\hat p` of the outcomes on the predictions, ties pooled,
    and the base rate :math:`\bar y`: MCB = S(p) − S(p̂), DSC = S(ȳ) − S(p̂), UNC = S(ȳ).

    References
    ----------
    T. Dimitriadis, T. Gneiting and A. I. Jordan, "Stable reliability diagrams for probabilistic
    classifiers", PNAS 2021.

    Examples
    --------
    >>> import calibrant as cal
    >>> y_true, y_prob = cal.models.M1(2).sample(1000, rng=0)
    >>> parts = cal.estimators.corp_decomposition(y_true, y_prob)
    >>> parts.miscalibration < 0.01
    True

    The model is calibrated, so recalibration gains next to nothing.
    """
    event = as_predictions(y_true, y_prob, **data).event()
    rows = EventRows.of(event)
    found = _scores(rows, rows.count(event.y_true)[None], _check(score))
    own, best, base = (float(value[0]) for value in found)
    return CorpDecomposition(own, own - best, base - best, base)


@dataclass(frozen=True)
class _CorpPart(EventEstimator):
    """One part of the decomposition as an error."""

    score: Score = "brier"

    def __post_init__(self) -> None:
        _check(self.score)

    def _plan(self, event: Predictions) -> EventPlan:
        """Sort the predictions once."""
        rows = EventRows.of(event)
        return EventPlan(rows.count, lambda events: self._part(_scores(rows, events, self.score)),
                         len(rows.p))  # fmt: skip

    @staticmethod
    def _part(scores: _Scores) -> FloatArray:
        raise NotImplementedError


@dataclass(frozen=True)
class MCB(_CorpPart):
    """CORP miscalibration of the positive class, or of the top label (multi-class).

    At least 0, in units of the score; 0 if isotonic recalibration changes nothing. On a finite
    sample it is positive even for a calibrated model. Cost O(n log n), and O(n) for each
    additional label set. See `corp_decomposition`.

    Parameters
    ----------
    score : {"brier", "log"}, default "brier"
        The score.

    Examples
    --------
    >>> import calibrant as cal
    >>> cal.estimators.MCB()([0, 1, 0, 1], [0.25, 0.25, 0.75, 0.75])
    0.0625
    """

    @staticmethod
    def _part(scores: _Scores) -> FloatArray:
        return scores.own - scores.best


@dataclass(frozen=True)
class DSC(_CorpPart):
    """CORP discrimination of the positive class, or of the top label (multi-class).

    At least 0, in units of the score; 0 if isotonic recalibration yields the base rate for every
    row, that is, if the predictions say nothing about the events. Larger is better: this is not an
    error. Cost O(n log n). See `corp_decomposition`.

    Parameters
    ----------
    score : {"brier", "log"}, default "brier"
        The score.

    Examples
    --------
    >>> import calibrant as cal
    >>> cal.estimators.DSC()([0, 0, 1, 1], [0.25, 0.25, 0.75, 0.75])
    0.25
    """

    @staticmethod
    def _part(scores: _Scores) -> FloatArray:
        return scores.base - scores.best


@dataclass(frozen=True)
class UNC(_CorpPart):
    """CORP uncertainty of the positive class, or of the top label (multi-class).

    The score of the base rate. At least 0, in units of the score; 0 if all outcomes are equal. It
    depends on the labels only. Cost O(n log n). See `corp_decomposition`.

    Parameters
    ----------
    score : {"brier", "log"}, default "brier"
        The score.

    Examples
    --------
    >>> import calibrant as cal
    >>> cal.estimators.UNC()([0, 0, 1, 1], [0.25, 0.25, 0.75, 0.75])
    0.25
    """

    @staticmethod
    def _part(scores: _Scores) -> FloatArray:
        return scores.base


class _Scores(NamedTuple):
    """Mean scores (R,) of the predictions, the isotonic predictions and the base rate."""

    own: FloatArray
    best: FloatArray
    base: FloatArray


def _scores(rows: EventRows, events: FloatArray, score: Score) -> _Scores:
    total = rows.weight.sum()
    base_rate = events.sum(axis=1, keepdims=True) / total
    forecasts = (rows.p, isotonic(events, rows.weight)[0], base_rate)
    return _Scores(*(_loss(events, rows.weight - events, p, score) / total for p in forecasts))


def _loss(events: FloatArray, others: FloatArray, p: FloatArray, score: Score) -> Any:
    """Return the total score of the probabilities for each of R label sets."""
    from scipy.special import xlog1py, xlogy

    if score == "brier":
        loss = events * (1.0 - p) ** 2 + others * p**2
    else:
        loss = -xlogy(events, p) - xlog1py(others, -p)
    return loss.sum(axis=-1)


def _check(score: Score) -> Score:
    if score not in ("brier", "log"):
        raise ValueError(f'`score` must be "brier" or "log"; got {score!r}.')
    return score
