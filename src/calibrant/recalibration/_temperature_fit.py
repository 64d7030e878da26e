"""The maximum-likelihood temperature of all rows, and of all rows but one fold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from calibrant._engine import label_logs, tempered_moments
from calibrant._execution import spans, still_wanted
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions, label_probabilities
from calibrant.recalibration._minimize import RIDGE

#: rows of the sample that gives the start
_START_ROWS = 20_000
#: rows whose moments are in memory together
_PART = 1 << 16
#: a step this small, relative to β, is the last, because the next error is about its cube
_LAST_STEP = 1e-4
_MAX_STEPS = 100


def fit_slope(predictions: Predictions, floor: float, bounds: tuple[float, float]) -> float:
    """Return β = 1/τ, the minimum of the mean log loss of softmax(β log max(p, floor))."""
    return _Search(predictions, floor, bounds).whole()


def fit_slope_folds(
    predictions: Predictions, floor: float, bounds: tuple[float, float], folds: IntArray
) -> tuple[float, list[float]]:
    """Return β of all rows, and for each fold β of the other folds.

    The searches without a fold start at the common β, whose pass gives the derivatives of all
    folds.
    """
    search = _Search(predictions, floor, bounds)
    whole = search.whole()
    at, here = search.last
    n_folds = int(folds.max()) + 1
    parts = np.array([np.bincount(folds, row, n_folds) for row in here]).T
    others = []
    for k in range(n_folds):
        # added up, not subtracted from the total, because one row may have almost all the weight
        first = np.delete(parts, k, axis=0).sum(axis=0)
        others.append(search.minimum(np.flatnonzero(folds != k), at, first))
    return whole, others


class _Search:
    """Newton's method in β, with the third derivative."""

    def __init__(self, predictions: Predictions, floor: float, bounds: tuple[float, float]) -> None:
        self.p, self.weights = predictions.y_prob, predictions.weights
        self.labels = label_probabilities(predictions)
        self.floor, self.bounds = floor, bounds
        #: the last β evaluated on all rows, with their weights and derivatives
        self.last = 1.0, np.empty((4, 0))

    def whole(self) -> float:
        """Return the minimum over all rows, starting from a sample of every k-th row."""
        every = np.arange(len(self.p))
        start, step = 1.0, len(every) // _START_ROWS
        if step >= 2 and self.weights[::step].any():
            start = self.minimum(every[::step], start)

        def at(beta: float) -> FloatArray:
            self.last = beta, self._rows(every, beta)
            return np.asarray(self.last[1].sum(axis=1))

        return _root(at, start, self.bounds)

    def minimum(self, rows: IntArray, start: float, first: FloatArray | None = None) -> float:
        """Return the minimum over some rows; `first` are their sums at the start, if known."""
        return _root(lambda b: self._rows(rows, b).sum(axis=1), start, self.bounds, first)

    def _rows(self, rows: IntArray, beta: float) -> FloatArray:
        """Return weights and weighted derivatives of the log loss of some rows, shape (4, n)."""
        found = np.empty((4, len(rows)))
        for part in spans(len(rows), _PART):
            still_wanted()
            some = rows[part]
            moments = tempered_moments(self.p, beta, self.floor, rows=some, relative=False)
            none = np.ones(1)  # the floor is absolute
            label = label_logs(self.labels[some], moments.log_largest, none, self.floor)
            w = self.weights[some]
            found[:, part] = w, w * (moments.mean - label), w * moments.variance, w * moments.third
        return found


@dataclass(frozen=True)
class _Derivatives:
    """The first three derivatives of the mean loss and its ridge in β."""

    first: float
    second: float
    third: float

    @classmethod
    def of(cls, sums: FloatArray, beta: float) -> _Derivatives:
        """Divide the sums by the total weight."""
        weight, first, second, third = sums.tolist()
        weight = weight or 1.0  # without weight, only the ridge remains
        ridge = 2.0 * RIDGE
        return cls(first / weight + ridge * (beta - 1.0), second / weight + ridge, third / weight)

    def step(self) -> float:
        """Return the step to the root of a quadratic expansion, or a Newton step if it is far."""
        step = newton = -self.first / self.second
        for _ in range(4):
            bend = 0.5 * self.third * step / self.second
            if abs(bend) > 0.25:
                return newton
            step = newton / (1.0 + bend)
        return step


def _root(
    at: Callable[[float], FloatArray],
    start: float,
    bounds: tuple[float, float],
    first: FloatArray | None = None,
) -> float:
    """Return the minimum of the convex mean loss within the bounds."""
    low, high = bounds
    beta = start
    for _ in range(_MAX_STEPS):
        here = _Derivatives.of(at(beta) if first is None else first, beta)
        first = None
        if (beta == bounds[0] and here.first >= 0.0) or (beta == bounds[1] and here.first <= 0.0):
            return beta
        low, high = (beta, high) if here.first < 0.0 else (low, beta)
        step = here.step()
        if abs(step) <= _LAST_STEP * beta:
            return float(np.clip(beta + step, *bounds))
        # replace a step beyond a known bound by half of the way, on the scale of τ
        target = beta + step
        if not low < target < high:
            end = low if step < 0.0 else high
            target = end if end in bounds else float(np.sqrt(beta * end))
        beta = target
    return beta
