"""CORP: isotonic recalibration of one probability, and the score decomposition it gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from calibrant._execution import Parallel, run, spans
from calibrant._native import FloatArray, IntArray
from calibrant._output import Plain
from calibrant._predictions import Predictions, as_predictions, event_classes
from calibrant.estimators._base import Estimator, as_label_sets

Score = Literal["brier", "log"]
#: sums of label sets that are pooled together
_POOLED = 1 << 20


def isotonic(sums: FloatArray, weight: FloatArray) -> tuple[FloatArray, IntArray]:
    """Return the isotonic regression of many label sets, and the blocks it consists of.

    Pools adjacent violators, all of them in every round; O(R·k) for each of a few rounds.

    Parameters
    ----------
    sums : ndarray of shape (R, k)
        Weighted number of events for each label set and each of k distinct predictions, in
        ascending order.
    weight : ndarray of shape (k,)
        Weight of each prediction, positive.

    Returns
    -------
    fitted : ndarray of shape (R, k)
        The non-decreasing frequencies that are nearest in weighted least squares.
    blocks : ndarray of shape (R, k)
        The number of the block, from 0 to R·k − 1 in ascending order.
    """
    total, mass = sums.ravel(), np.tile(weight, len(sums))
    starts = np.arange(sums.size)
    first = starts % len(weight) == 0
    while True:
        mean = total / mass
        opens = first.copy()
        opens[1:] |= mean[1:] > mean[:-1]
        if opens.all():
            break
        kept = np.flatnonzero(opens)
        total, mass = np.add.reduceat(total, kept), np.add.reduceat(mass, kept)
        starts, first = starts[kept], first[kept]
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
        MCB ≥ 0: what isotonic recalibration on the same rows would gain. 0 if it changes nothing.
    discrimination : float
        DSC ≥ 0: what the recalibrated predictions gain over the base rate.
    uncertainty : float
        UNC ≥ 0: the score of the base rate.

    Examples
    --------
    >>> from calibrant.estimators import corp_decomposition
    >>> parts = corp_decomposition([0, 1, 0, 1], [0.25, 0.25, 0.75, 0.75])
    >>> parts.miscalibration, parts.discrimination, parts.uncertainty
    (0.0625, 0.0, 0.25)

    Both groups are right half of the time: all of the spread is miscalibration.
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
        (p − y)² or the negative logarithm of the probability of what happened.
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

    A calibrated model: recalibration gains next to nothing.
    """
    event = as_predictions(y_true, y_prob, **data).event()
    return _Sorted.of(event).decompose(event.y_true, _check(score))


@dataclass(frozen=True)
class MCB(Estimator):
    """CORP miscalibration of P(last class) of two, else of the top label.

    At least 0, in units of the score; 0 where isotonic recalibration changes nothing. Like every
    error of a finite sample it is positive for a calibrated model, too. Cost O(n log n), and O(n)
    for each further label set. See `corp_decomposition`.

    Parameters
    ----------
    score : {"brier", "log"}, default "brier"

    Examples
    --------
    >>> import calibrant as cal
    >>> cal.estimators.MCB()([0, 1, 0, 1], [0.25, 0.25, 0.75, 0.75])
    0.0625
    """

    score: Score = "brier"

    def __post_init__(self) -> None:
        _check(self.score)

    def estimate(self, predictions: Predictions, parallel: Parallel = Parallel()) -> float:
        """Return the estimate on checked data."""
        return corp_decomposition(predictions, score=self.score).miscalibration

    def over_labels(
        self, predictions: Predictions, labels: Any, parallel: Parallel = Parallel()
    ) -> FloatArray:
        """Return one estimate for each label set; predictions are sorted once."""
        codes, event = as_label_sets(labels, predictions), event_classes(predictions)
        rows = _Sorted.of(predictions.event())

        def some(part: slice) -> FloatArray:
            events = np.array([rows.count(y == event) for y in codes[part]])
            best = rows.score(events, isotonic(events, rows.weight)[0], self.score)
            return np.asarray(rows.score(events, rows.p, self.score) - best)

        step = max(1, _POOLED // len(rows.p))
        return np.concatenate(list(run(some, spans(len(codes), step), parallel)))


@dataclass(frozen=True, eq=False)
class _Sorted:
    """Distinct probabilities of the event in ascending order; rows of weight 0 are left out."""

    p: FloatArray
    weight: FloatArray
    rows: IntArray
    ids: IntArray
    row_weight: FloatArray

    @classmethod
    def of(cls, event: Predictions) -> _Sorted:
        rows = np.flatnonzero(event.weights > 0.0)
        row_weight = event.weights[rows]
        p, ids = np.unique(event.y_prob[rows, -1], return_inverse=True)
        weight = np.bincount(ids.ravel(), row_weight).astype(np.float64)
        return cls(p, weight, rows, ids.ravel(), row_weight)

    def count(self, happened: Any) -> FloatArray:
        """Return the weight of the events among the rows of each distinct probability."""
        events = np.bincount(self.ids, self.row_weight * happened[self.rows], len(self.p))
        return events.astype(np.float64)

    def score(self, events: FloatArray, p: FloatArray, score: Score) -> Any:
        """Return the mean score of probabilities (R, k) in R label sets."""
        from scipy.special import xlog1py, xlogy

        others = self.weight - events
        if score == "brier":
            loss = events * (1.0 - p) ** 2 + others * p**2
        else:
            loss = -xlogy(events, p) - xlog1py(others, -p)
        return loss.sum(axis=-1) / self.weight.sum()

    def decompose(self, happened: Any, score: Score) -> CorpDecomposition:
        """Return the parts of the score."""
        events = self.count(happened)[None, :]
        base_rate = np.full_like(events, events.sum() / self.weight.sum())
        fitted = isotonic(events, self.weight)[0]
        own, best, base = (float(self.score(events, p, score)[0]) for p in
                           (self.p, fitted, base_rate))  # fmt: skip
        return CorpDecomposition(own, own - best, base - best, base)


def _check(score: Any) -> Score:
    if score not in ("brier", "log"):
        raise ValueError(f'`score` must be "brier" or "log"; got {score!r}.')
    return score  # type: ignore[no-any-return]
