"""The shift of a class's log-odds that matches its mean prediction to its frequency."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from calibrant._engine import odds_scores, odds_sums, shifted_odds
from calibrant._execution import spans
from calibrant._native import BoolArray, FloatArray, IntArray
from calibrant._predictions import Predictions
from calibrant.effects._robust import Spread
from calibrant.effects._root import find_root
from calibrant.effects._row_sums import RowsInMemory, RowSums
from calibrant.effects._tempering import weights_of

#: a step this small is the last, because the next error is its square
_LAST_STEP = 1e-7
_LARGEST_STEP = 2.0
_MAX_STEPS = 100
#: odds outside this range count as 0 or infinite
_ODDS = 1e-30, 1e30
#: entries of a block whose scores are computed together
_BLOCK = 1 << 15


@dataclass(frozen=True, eq=False)
class ShiftProblem:
    """The rows, and the classes whose odds against all others are shifted.

    With `against`, all other classes together replace a class that always occurs.
    """

    source: RowSums
    floor: float
    columns: IntArray
    against: bool = False

    @classmethod
    def of(cls, source: RowSums, columns: IntArray) -> ShiftProblem:
        """Set up the problem for some classes."""
        return cls(source, source.floor, columns)

    def fit(self) -> FloatArray:
        """Return the shift a with Σ w(1[y = c] − q_c(a)) = 0 for every class, possibly infinite."""
        labels = self.source.labels[self.columns]
        never, always = labels == 0, labels == self.source.n_rows
        finite = ~(never | always)
        shift = np.zeros(len(self.columns))
        some = self.source.some()
        if len(some) < self.source.n_rows:  # a sample gives a good start
            shift = replace(self, source=RowsInMemory(some))._newton(shift, finite)
        shift = self._newton(shift, finite)
        return np.where(never, -math.inf, np.where(always, math.inf, shift))

    def spreads(self, shift: FloatArray) -> list[Spread]:
        """Return the spread of every finite shift."""
        if self.source.cluster_index is not None:
            return self._clustered_spreads(shift)
        n = self.source.n_rows
        return [
            Spread(n, squares / j**2, fourths / j**4, model / j**2)
            if j > 0.0
            else Spread(0, 0.0, 0.0)
            for j, model, squares, fourths in self._add(_sums, shift)[1:].T.tolist()
        ]

    def _clustered_spreads(self, shift: FloatArray) -> list[Spread]:
        index, scale = self.source.cluster_index, self.source.scale
        _, information, models, *_ = self._add(_sums, shift)
        if self.source.soft:
            models = np.zeros_like(models)
        scores = self.source.gather(_scores, self.floor, self.columns, self.against, scale, shift)
        return [
            Spread.of(score / j, model / j**2, index) if j > 0.0 else Spread(0, 0.0, 0.0)
            for score, j, model in zip(scores.T, information.tolist(), models.tolist(), strict=True)
        ]

    def open_end(self, k: int, expected: float) -> float:
        """Return the shift that expects this many labels of a class that never occurred."""
        one = replace(self, columns=self.columns[k : k + 1])

        def excess(factor: float) -> tuple[float, float]:
            score, information, *_ = one._add(_sums, np.array([math.log(factor)]))
            return -float(score[0]) - expected, float(information[0]) / factor

        root = find_root(excess, 1.0, *_ODDS)
        return math.inf if root.at_bound else math.log(root.x)

    def _newton(self, shift: FloatArray, finite: BoolArray) -> FloatArray:
        for _ in range(_MAX_STEPS):
            score, information, *_ = self._add(_sums, shift)
            # the sample for the start may have no label of the class, so limit the step
            change = np.clip(score / np.maximum(information, 1e-300), -_LARGEST_STEP, _LARGEST_STEP)
            shift = np.clip(shift + np.where(finite, change, 0.0), -60.0, 60.0)
            if np.abs(change[finite]).max(initial=0.0) <= _LAST_STEP:
                break
        return shift

    def _add(self, function: Callable[..., FloatArray], shift: FloatArray) -> FloatArray:
        columns, scale = self.columns, self.source.scale
        return self.source.add(function, self.floor, columns, self.against, scale, shift)


def _sums(
    rows: Predictions,
    floor: float,
    columns: IntArray,
    against: bool,
    scale: float,
    shift: FloatArray,
) -> FloatArray:
    """Return scores, information, model variance, and squares and fourth powers of the scores.

    There is one column for every requested class.
    """
    rows, columns = _asked(rows, columns, against)
    weights = scale * weights_of(rows, slice(None))
    factors = _factors(rows.n_classes, columns, shift)
    return odds_sums(rows.y_prob, rows.y_true, weights, factors, floor)[:, columns]


def _scores(
    rows: Predictions,
    floor: float,
    columns: IntArray,
    against: bool,
    scale: float,
    shift: FloatArray,
) -> FloatArray:
    """Return the score of every row and class, shape (n, classes)."""
    rows, columns = _asked(rows, columns, against)
    weights, factors = weights_of(rows, slice(None)), _factors(rows.n_classes, columns, shift)
    found = np.empty((len(rows), len(columns)))
    for part in spans(len(rows), max(1, _BLOCK // rows.n_classes)):
        q, rest = shifted_odds(rows.y_prob[part], factors, floor)
        scores = odds_scores(q, rest, rows.y_true[part])[:, columns]
        found[part] = scale * weights[part, None] * scores
    return found


def _asked(rows: Predictions, columns: IntArray, against: bool) -> tuple[Predictions, IntArray]:
    """Return the rows in which the classes are compared with all others, and their columns."""
    if not against:
        return rows, columns
    [c] = columns.tolist()
    return rows.one_vs_rest(rows.classes[c]), np.array([0])


def _factors(n_classes: int, columns: IntArray, shift: FloatArray) -> FloatArray:
    factors = np.ones(n_classes)
    factors[columns] = np.exp(shift)
    return factors
