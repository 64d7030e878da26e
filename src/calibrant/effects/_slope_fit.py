"""Logistic regression of the label on the logits: one slope for all, an intercept for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from calibrant._execution import single_threaded_blas
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions
from calibrant.effects._robust import Spread
from calibrant.effects._row_sums import RowsInMemory, RowSums
from calibrant.effects._tempering import blocks

#: slopes and intercepts beyond these are those of labels that can be separated perfectly
_STEEPEST, _FURTHEST = 50.0, 500.0
#: a mean log loss below this is none
_NO_LOSS = 1e-6
#: what a step could still gain, relative to the weight of all rows, where the search ends
_TOLERANCE = 1e-15
_MAX_STEPS = 60
#: rows whose products are added together
_COLUMNS = 512


@dataclass(frozen=True, eq=False)
class SlopeFit:
    """softmax(slope·z + intercept) for the classes that occur; the first intercept is 0."""

    parameters: FloatArray  # the slope, then all intercepts but the first
    hessian: FloatArray  # of minus the log-likelihood
    loss: float  # mean log loss

    @property
    def slope(self) -> float:
        """The common slope."""
        return float(self.parameters[0])

    @property
    def is_separated(self) -> bool:
        """Whether nothing is left to lose, or a parameter ran away: no finite ones are best."""
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
    """Rows, and the classes among their labels."""

    source: RowSums
    floor: float
    seen: IntArray

    @classmethod
    def of(cls, source: RowSums) -> SlopeProblem:
        """Find the classes that occur: the likelihood drives the intercepts of others to −∞."""
        return cls(source, source.floor, np.flatnonzero(source.labels))

    def fit(self) -> SlopeFit:
        """Return the fit of largest likelihood, by Newton's method with halved steps."""
        start = np.zeros(len(self.seen))
        start[0] = 1.0
        with single_threaded_blas():
            some = self.source.some()
            if len(some) < self.source.n_rows:  # they tell nearly all of it
                fit = replace(self, source=RowsInMemory(some))._newton(start)
                start = start if fit.is_separated or not fit.is_known else fit.parameters
            return self._newton(start)

    def spread(self, fit: SlopeFit, parameter: int) -> Spread:
        """Return the spread of one of the parameters, from the scores of all rows."""
        direction = np.linalg.inv(fit.hessian)[parameter]
        sums = self._add(_spread_sums, fit.parameters, direction)
        index = self.source.cluster_index
        if index is None:
            return Spread(self.source.n_rows, *sums.tolist())
        arguments = (self.floor, self.seen, self.source.scale, fit.parameters, direction)
        return Spread.of(self.source.gather(_scores, *arguments), float(sums[2]), index)

    def _newton(self, start: FloatArray) -> SlopeFit:
        theta, change, last = start, np.zeros_like(start), -np.inf
        total = self.source.weight * self.source.scale
        for _ in range(_MAX_STEPS):
            value, gradient, hessian = self._sums(theta + change)
            if value < last - 1e-12 * abs(last):
                change = 0.5 * change
                continue
            theta, last = theta + change, value
            fit = SlopeFit(theta, hessian, -value / total)
            if fit.is_separated:
                return fit
            change = _solve(hessian, gradient)
            if gradient @ change <= _TOLERANCE * total:
                return fit
        return fit

    def _sums(self, theta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
        """Return log-likelihood, gradient and minus the second derivatives."""
        m = len(self.seen)
        sums = self._add(_likelihood_sums, theta)
        return float(sums[0]), sums[1 : 1 + m], sums[1 + m :].reshape(m, m)

    def _add(self, function: Callable[..., FloatArray], *arguments: FloatArray) -> FloatArray:
        return self.source.add(function, self.floor, self.seen, self.source.scale, *arguments)


def _likelihood_sums(
    rows: Predictions, floor: float, seen: IntArray, scale: float, theta: FloatArray
) -> FloatArray:
    """Return log-likelihood, gradient and minus the second derivatives, one after another."""
    m = len(seen)
    value, gradient, hessian = 0.0, np.zeros(m), np.zeros((m, m))
    products, totals = _Products(m - 1), np.zeros(m - 1)
    for block in _blocks(rows, floor, seen, scale):
        w, z = block.weight, block.logits
        here = np.arange(z.shape[1])
        log, q = block.probabilities(theta)
        value += float(w @ log)
        mean = np.einsum("ci,ci->i", q, z)
        square = np.einsum("ci,ci->i", q, z * z)
        counts = np.bincount(block.labels, w, m)
        wq = q * w
        total = wq.sum(axis=1)[1:]
        gradient[0] += w @ (z[block.labels, here] - mean)
        gradient[1:] += counts[1:] - total
        hessian[0, 0] += max(float(w @ (square - mean * mean)), 0.0)
        hessian[0, 1:] += np.einsum("ci,ci->c", wq, z - mean)[1:]
        totals += total
        products.add(np.sqrt(w) * q[1:])
    hessian[1:, 0] = hessian[0, 1:]
    hessian[1:, 1:] = np.diag(totals) - products.sum()
    return np.concatenate([[value], gradient, hessian.ravel()])


def _spread_sums(
    rows: Predictions,
    floor: float,
    seen: IntArray,
    scale: float,
    theta: FloatArray,
    direction: FloatArray,
) -> FloatArray:
    """Return the sums of squares and fourth powers of the scores, and what the model expects."""
    # of every logit: the slope's part, and that of the class's own intercept
    slope, added = direction[0], np.concatenate([[0.0], direction[1:]])
    squares = fourths = model = 0.0
    for block in _blocks(rows, floor, seen, scale):
        _, q = block.probabilities(theta)
        t = slope * block.logits + added[:, None]
        mean = np.einsum("ci,ci->i", q, t)
        variance = np.einsum("ci,ci->i", q, t * t) - mean * mean
        model += float(block.weight**2 @ np.maximum(variance, 0.0))
        part = (block.weight * (t[block.labels, np.arange(t.shape[1])] - mean)) ** 2
        squares += float(part.sum())
        fourths += float(part @ part)
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
    slope, added = direction[0], np.concatenate([[0.0], direction[1:]])
    parts = []
    for block in _blocks(rows, floor, seen, scale):
        _, q = block.probabilities(theta)
        t = slope * block.logits + added[:, None]
        mean = np.einsum("ci,ci->i", q, t)
        parts.append(block.weight * (t[block.labels, np.arange(t.shape[1])] - mean))
    return np.concatenate(parts)


def _blocks(rows: Predictions, floor: float, seen: IntArray, scale: float) -> Iterator[_SeenBlock]:
    number = np.zeros(rows.n_classes, dtype=np.int64)
    number[seen] = np.arange(len(seen))
    for block in blocks(rows, floor):
        logits = block.logits if len(seen) == len(number) else block.logits[seen]
        yield _SeenBlock(logits, number[block.labels], scale * block.weight)


class _Products:
    """Σ x xᵀ over the columns x of matrices, many columns at a time: the sum is m×m numbers."""

    def __init__(self, size: int) -> None:
        self._total = np.zeros((size, size))
        self._waiting: list[FloatArray] = []

    def add(self, columns: FloatArray) -> None:
        """Add the columns of a matrix."""
        self._waiting.append(columns)
        if sum(part.shape[1] for part in self._waiting) >= _COLUMNS:
            self._flush()

    def sum(self) -> FloatArray:
        """Return the sum."""
        self._flush()
        return self._total

    def _flush(self) -> None:
        if self._waiting:
            x = np.concatenate(self._waiting, axis=1)
            self._total += x @ x.T
            self._waiting = []


def _solve(hessian: FloatArray, gradient: FloatArray) -> FloatArray:
    """Return the step of Newton's method; of a singular matrix the shortest one."""
    try:
        factor = np.linalg.cholesky(hessian)
    except np.linalg.LinAlgError:
        factor = np.zeros((1, 1))
    pivots = np.diag(factor)
    if pivots.min() > 1e-5 * pivots.max():
        return np.asarray(np.linalg.solve(hessian, gradient), np.float64)
    return np.asarray(np.linalg.lstsq(hessian, gradient, rcond=1e-13)[0], np.float64)


@dataclass(frozen=True, eq=False)
class _SeenBlock:
    """Logits (classes, rows), labels among these classes, and weights."""

    logits: FloatArray
    labels: IntArray
    weight: FloatArray

    def probabilities(self, theta: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the log-probability of every label, and all probabilities."""
        q = theta[0] * self.logits
        q[1:] += theta[1:, None]
        q -= q.max(axis=0)
        label = q[self.labels, np.arange(q.shape[1])]
        np.exp(q, out=q)
        total = q.sum(axis=0)
        q /= total
        return label - np.log(total), q
