"""Errors of a single event, whose label-independent parts are computed once for all label sets."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrant._execution import Parallel, run, spans
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions, event_classes
from calibrant.estimators._base import Estimator, as_label_sets

#: sums of label sets that are processed together
_POOLED = 1 << 20


@dataclass(frozen=True, eq=False)
class EventPlan:
    """The functions that compute the error of label sets of the same predictions.

    Parameters
    ----------
    count : callable
        Maps whether the event happened in each row, (n,), to sums of fixed size, (k,).
    errors : callable
        Maps the sums of R label sets, (R, k), to their errors, (R,).
    size : int
        k, the number of sums.
    """

    count: Callable[[Any], FloatArray]
    errors: Callable[[FloatArray], FloatArray]
    size: int


class EventEstimator(Estimator):
    """An error of the positive class, or of the top label; subclasses define `_plan`."""

    @abstractmethod
    def _plan(self, event: Predictions) -> EventPlan:
        """Return how to compute the errors of label sets of these two-class predictions."""

    def estimate(self, predictions: Predictions, parallel: Parallel = Parallel()) -> float:
        """Return the estimate on checked data."""
        event = predictions.event()
        plan = self._plan(event)
        return float(plan.errors(plan.count(event.y_true)[None])[0])

    def over_labels(
        self, predictions: Predictions, labels: Any, parallel: Parallel = Parallel()
    ) -> FloatArray:
        """Return one estimate for each label set; the predictions are processed once."""
        codes, event = as_label_sets(labels, predictions), event_classes(predictions)
        plan = self._plan(predictions.event())

        def some(part: slice) -> FloatArray:
            return plan.errors(np.array([plan.count(y == event) for y in codes[part]]))

        step = max(1, _POOLED // plan.size)
        return np.concatenate(list(run(some, spans(len(codes), step), parallel)))


@dataclass(frozen=True, eq=False)
class EventRows:
    """Distinct probabilities of the event in ascending order, without rows of weight 0."""

    p: FloatArray  # (k,)
    weight: FloatArray  # (k,)
    rows: IntArray
    ids: IntArray  # which of the k, for each row of positive weight
    row_weight: FloatArray

    @classmethod
    def of(cls, event: Predictions) -> EventRows:
        """Sort the rows."""
        rows = np.flatnonzero(event.weights > 0.0)
        row_weight = event.weights[rows]
        p, ids = np.unique(event.y_prob[rows, -1], return_inverse=True)
        weight = np.bincount(ids.ravel(), row_weight).astype(np.float64)
        return cls(p, weight, rows, ids.ravel(), row_weight)

    def count(self, happened: Any) -> FloatArray:
        """Return the weight of the events among the rows of each distinct probability."""
        events = np.bincount(self.ids, self.row_weight * happened[self.rows], len(self.p))
        return events.astype(np.float64)

    def ranks(self) -> FloatArray:
        """Return the share of rows below each distinct probability, in [0, 1)."""
        count = np.bincount(self.ids, minlength=len(self.p))
        return np.asarray((np.cumsum(count) - count) / len(self.rows))

    def noise(self) -> FloatArray:
        """Return Σ w² p(1 − p) of each distinct probability: the variance of its events."""
        squares = np.bincount(self.ids, self.row_weight**2, len(self.p))
        return np.asarray(squares * np.clip(self.p * (1.0 - self.p), 0.0, None))
