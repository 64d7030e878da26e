"""Logistic regression of the label on the logits, with a common slope and class intercepts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from calibrant._engine import label_logs, shifted_moments
from calibrant._execution import single_threaded_blas, spans
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions, label_probabilities
from calibrant.effects._robust import Spread
from calibrant.effects._row_sums import RowsInMemory, RowSums
from calibrant.effects._steps import Steps
from calibrant.effects._tempering import PART, weights_of

#: slopes and intercepts beyond these mean that the labels can be separated perfectly
_STEEPEST, _FURTHEST = 50.0, 500.0
#: a mean log loss below this counts as 0
_NO_LOSS = 1e-6
#: the search ends when a step could gain less than this, relative to the total weight
_TOLERANCE = 1e-15
_MAX_STEPS = 100
#: curvatures from a sample are replaced if a step with them leaves more than this share of the gain
_SLOW = 0.5
#: rows per class from which the fit of a sample is a good start
_ROWS_A_CLASS = 100
#: rows whose products are added together, at least, and the number of their entries
_COLUMNS, _PRODUCTS = 512, 1 << 19
#: above this many classes, curvatures use products in single precision, if their pivots, relative
#: to the diagonal, are at least this
_DOUBLE_CLASSES, _LEAST_PIVOT = 128, 1e-3
#: entries of a block of rows whose scores are computed together
_BLOCK = 1 << 15


@dataclass(frozen=True, eq=False)
class SlopeFit:
    """The fit softmax(slope·z + intercept) for the classes that occur; the first intercept is 0."""

    parameters: FloatArray  # the slope, then all intercepts but the first
    hessian: FloatArray  # of minus the log-likelihood
    loss: float  # mean log loss

    @property
    def slope(self) -> float:
        """The common slope."""
        return float(self.parameters[0])

    @property
    def is_separated(self) -> bool:
        """Whether the labels can be separated, so that no finite parameters are best."""
        away = np.abs(self.parameters)
        ran = away[0] > _STEEPEST or away[1:].max(initial=0.0) > _FURTHEST
        return bool(ran or self.loss < _NO_LOSS)

    @property
    def is_known(self) -> bool:
        """Whether the labels identify the slope and the intercepts."""
        rest = self.hessian[1:, 1:]
        with np.errstate(all="ignore"):
            try:
                explained = self.hessian[0, 1:] @ np.linalg.solve(rest, self.hessian[1:, 0])
            except np.linalg.LinAlgError:
                return False
        left = self.hessian[0, 0] - explained
        return bool(np.isfinite(left) and left > 1e-9 * self.hessian[0, 0])


@dataclass(frozen=True, eq=False)
class SlopeProblem:
    """The rows, and the classes among their labels."""

    source: RowSums
    floor: float
    seen: IntArray

    @classmethod
    def of(cls, source: RowSums) -> SlopeProblem:
        """Find the classes that occur; the intercepts of others would be −∞."""
        return cls(source, source.floor, np.flatnonzero(source.labels))

    def fit(self) -> SlopeFit:
        """Return the maximum-likelihood fit."""
        start = np.zeros(len(self.seen))
        start[0] = 1.0
        with single_threaded_blas():
            some = self.source.some()
            if len(some) == self.source.n_rows:
                return self._search(start, None)
            sample = replace(self, source=RowsInMemory(some))
            if len(some) >= _ROWS_A_CLASS * len(start):  # a sample gives a good start
                fit = sample._search(start, None)
                start = start if fit.is_separated or not fit.is_known else fit.parameters
            return self._search(start, sample)

    def spread(self, fit: SlopeFit, parameter: int) -> Spread:
        """Return the spread of one of the parameters, from the scores of all rows."""
        direction = np.linalg.inv(fit.hessian)[parameter]
        sums = self._add(_spread_sums, fit.parameters, direction)
        index = self.source.cluster_index
        if index is None:
            return Spread(self.source.n_rows, *sums.tolist())
        arguments = (self.floor, self.seen, self.source.scale, fit.parameters, direction)
        model = 0.0 if self.source.soft else float(sums[2])
        return Spread.of(self.source.gather(_scores, *arguments), model, index)

    def _search(self, start: FloatArray, sample: SlopeProblem | None) -> SlopeFit:
        """Climb from a start, using curvatures of the `sample`, or of all rows if they fail.

        The curvature matrix costs O(n·m²), a step O(n·m).
        """
        total = self.source.weight * self.source.scale
        here, fresh, gain = self._sums(start), sample is None, math.inf
        hessian = self._hessian(start) if sample is None else self._scaled(sample, here)
        steps = Steps(hessian)
        for _ in range(_MAX_STEPS):
            if here.is_separated(total):
                break
            change = steps.step(here.gradient)
            last, gain = gain, float(here.gradient @ change)
            if gain <= _TOLERANCE * total:
                break
            there = None if gain > _SLOW * last and not fresh else self._climb(here, change, fresh)
            if there is None:
                hessian, fresh, gain = self._hessian(here.theta), True, math.inf
                steps = Steps(hessian)
            else:
                steps.learn(there.theta - here.theta, here.gradient - there.gradient)
                here, fresh = there, False
        return SlopeFit(
            here.theta, hessian if fresh else self._hessian(here.theta), -here.value / total
        )

    def _scaled(self, sample: SlopeProblem, here: _Point) -> FloatArray:
        """Return the curvatures of a sample, scaled to the class expectations of all rows."""
        theirs = sample._sums(here.theta).expected
        if not theirs.min() > 0.0:
            return self._hessian(here.theta)
        ratio = np.sqrt(here.expected / theirs)
        return np.asarray(ratio[:, None] * sample._hessian(here.theta) * ratio)

    def _climb(self, here: _Point, change: FloatArray, fresh: bool) -> _Point | None:
        """Return a point that is no worse; steps with a Hessian of elsewhere are not halved."""
        for _ in range(_MAX_STEPS):
            there = self._sums(here.theta + change)
            if there.value >= here.value - 1e-12 * abs(here.value):
                return there
            if not fresh:
                return None
            change = 0.5 * change
        return here

    def _sums(self, theta: FloatArray) -> _Point:
        """Return log-likelihood and gradient."""
        value, slope, *by_class = self._add(_likelihood_sums, theta)
        counts, totals = np.reshape(by_class, (2, -1))
        weight = self.source.weight * self.source.scale
        gradient, expected = np.r_[slope, counts - totals], np.r_[weight, totals]
        return _Point(theta, float(value), gradient, expected)

    def _hessian(self, theta: FloatArray) -> FloatArray:
        """Return the negative second derivatives."""
        size = len(theta)
        if size > _DOUBLE_CLASSES:
            found = self._add(_curvature_sums, theta, True).reshape(size, size)
            if _is_steady(found):
                return found
        return self._add(_curvature_sums, theta, False).reshape(size, size)

    def _add(self, function: Callable[..., FloatArray], *arguments: Any) -> FloatArray:
        return self.source.add(function, self.floor, self.seen, self.source.scale, *arguments)


@dataclass(frozen=True, eq=False)
class _Point:
    """Parameters with the log-likelihood and its gradient."""

    theta: FloatArray
    value: float
    gradient: FloatArray
    expected: FloatArray  # the weight of all rows, then what is expected of the classes

    def is_separated(self, total: float) -> bool:
        """Whether the search can end, because no finite parameters are best."""
        return SlopeFit(self.theta, np.empty((0, 0)), -self.value / total).is_separated


def _likelihood_sums(
    rows: Predictions, floor: float, seen: IntArray, scale: float, theta: FloatArray
) -> FloatArray:
    """Return log-likelihood, its derivative in the slope, and weights of classes.

    Those that occurred, and those that are expected.
    """
    value, totals, slope = 0.0, np.zeros(rows.n_classes), 0.0
    intercepts, labels = _intercepts(rows, seen, theta), label_probabilities(rows)
    counts = np.zeros(rows.n_classes)
    for part in spans(len(rows), PART):
        w = scale * weights_of(rows, part)
        found = shifted_moments(rows.y_prob[part], w, theta[0], intercepts, floor, roots=False)
        z = label_logs(labels[part], found.log_largest, found.row_sum, floor)
        y = rows.y_true[part]
        value += float(np.sum(w * (theta[0] * z + intercepts[y] - found.log_total)))
        slope += float(np.sum(w * (z - found.mean)))
        totals += found.totals
        counts += np.bincount(y, w, rows.n_classes)
    return np.concatenate([[value, slope], counts[seen[1:]], totals[seen[1:]]])


def _curvature_sums(
    rows: Predictions,
    floor: float,
    seen: IntArray,
    scale: float,
    theta: FloatArray,
    single: bool,
) -> FloatArray:
    """Return the negative second derivatives, from products in single or double precision."""
    m, variance = rows.n_classes, 0.0
    totals, crosses, products = np.zeros(m), np.zeros(m), np.zeros((m, m))
    number: Any = np.float32 if single else np.float64
    intercepts = _intercepts(rows, seen, theta)
    for part in spans(len(rows), max(_COLUMNS, _PRODUCTS // m)):
        w = scale * weights_of(rows, part)
        found = shifted_moments(rows.y_prob[part], w, theta[0], intercepts, floor, roots=True)
        variance += float(np.sum(w * found.variance))
        totals += found.totals
        crosses += found.crosses
        roots = found.roots.astype(number, copy=False)
        products += roots.T @ roots
    hessian = np.diag(totals) - products
    hessian = hessian[np.ix_(seen, seen)]
    hessian[0, 0] = variance
    hessian[0, 1:] = hessian[1:, 0] = crosses[seen[1:]]
    return hessian.ravel()


def _is_steady(hessian: FloatArray) -> bool:
    """Whether errors of 1e-7 of the diagonal hardly move the inverse."""
    diagonal = np.diag(hessian)
    if not diagonal.min() > 0.0:
        return False
    rate = diagonal**-0.5
    try:
        factor = np.linalg.cholesky(rate[:, None] * hessian * rate)
    except np.linalg.LinAlgError:
        return False
    return bool(np.diag(factor).min() ** 2 > _LEAST_PIVOT)


def _intercepts(rows: Predictions, seen: IntArray, theta: FloatArray) -> FloatArray:
    """Return the intercepts of all classes, −∞ for those that do not occur."""
    intercepts = np.full(rows.n_classes, -np.inf)
    intercepts[seen] = np.concatenate([[0.0], theta[1:]])
    return intercepts


def _spread_sums(
    rows: Predictions,
    floor: float,
    seen: IntArray,
    scale: float,
    theta: FloatArray,
    direction: FloatArray,
) -> FloatArray:
    """Return the sums of squares and fourth powers of the scores, and the model variance."""
    squares = fourths = model = 0.0
    for block in _blocks(rows, floor, seen, scale):
        scores, variance = block.scores(theta, direction)
        part = scores * scores
        model += float(np.sum(block.weight**2 * variance))
        squares += float(part.sum())
        fourths += float(np.sum(part * part))
    return np.array([squares, fourths, model])


def _scores(
    rows: Predictions,
    floor: float,
    seen: IntArray,
    scale: float,
    theta: FloatArray,
    direction: FloatArray,
) -> FloatArray:
    """Return the score of every row in a direction, shape (n,)."""
    parts = _blocks(rows, floor, seen, scale)
    return np.concatenate([block.scores(theta, direction)[0] for block in parts])


def _blocks(rows: Predictions, floor: float, seen: IntArray, scale: float) -> Iterator[_SeenBlock]:
    number = np.zeros(rows.n_classes, dtype=np.int64)
    number[seen] = np.arange(len(seen))
    for part in spans(len(rows), max(1, _BLOCK // rows.n_classes)):
        p = rows.y_prob[part]
        logits = np.maximum(p, floor * p.sum(axis=1, keepdims=True))
        np.log(logits, out=logits)
        logits -= logits.max(axis=1, keepdims=True)
        if len(seen) < rows.n_classes:
            logits = logits[:, seen]
        yield _SeenBlock(logits, number[rows.y_true[part]], scale * weights_of(rows, part))


@dataclass(frozen=True, eq=False)
class _SeenBlock:
    """Logits (rows, classes), labels among these classes, and weights."""

    logits: FloatArray
    labels: IntArray
    weight: FloatArray

    def scores(self, theta: FloatArray, direction: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the score of every row in a direction, and its variance under the model."""
        q = theta[0] * self.logits
        q[:, 1:] += theta[1:]
        q -= q.max(axis=1, keepdims=True)
        np.exp(q, out=q)
        q /= q.sum(axis=1, keepdims=True)
        # the contributions of the slope and of the class's intercept to every logit
        t = direction[0] * self.logits
        t[:, 1:] += direction[1:]
        label = t[np.arange(len(t)), self.labels]
        mean = np.einsum("ic,ic->i", q, t)
        t *= t
        variance = np.einsum("ic,ic->i", q, t) - mean * mean
        return self.weight * (label - mean), np.maximum(variance, 0.0)
