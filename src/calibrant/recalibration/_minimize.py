"""Penalized convex fits of a family to all rows, and to all rows but one fold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from calibrant._execution import single_threaded_blas
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions
from calibrant.recalibration._likelihood import Family, LossSums
from calibrant.recalibration._log_blocks import LogBlock, log_blocks

#: rate of a permanent ridge, in units of the mean log loss: without it, labels that a map can
#: separate perfectly would have no finite best parameters
RIDGE = 1e-10

#: a Newton step this small is the last, because the next error is about thirty times its square
_LAST_STEP = 1e-6
_MAX_STEPS = 100
#: a step with an old Hessian is the last if the next would be smaller than this
_LAST_CHORD = 1e-10
_MAX_CHORDS = 10
#: families with more parameters are fitted without a Hessian
_LARGEST_HESSIAN = 600
#: rows of the sample that gives the start
_START_ROWS = 20_000


@dataclass(frozen=True, eq=False)
class Penalty:
    """The penalty ½ Σ rate·(θ − anchor)², where the mean of the `common` parameters is free.

    The `common` parameters have the same rate.
    """

    anchor: FloatArray
    rates: FloatArray
    common: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def gradient(self, theta: FloatArray) -> FloatArray:
        """Return the gradient; the penalty is half its product with θ − anchor."""
        away = theta - self.anchor
        result = self.rates * away
        if self.common.size:
            result[self.common] -= self.rates[self.common] * away[self.common].mean()
        return result + 2.0 * RIDGE * away

    def value(self, theta: FloatArray) -> float:
        """Return the penalty."""
        return 0.5 * float(self.gradient(theta) @ (theta - self.anchor))

    def hessian(self) -> FloatArray:
        """Return the matrix of second derivatives."""
        matrix = np.diag(self.rates + 2.0 * RIDGE)
        if self.common.size:
            rate = float(self.rates[self.common[0]])
            matrix[np.ix_(self.common, self.common)] -= rate / self.common.size
        return matrix


@dataclass(frozen=True, eq=False)
class Problem:
    """A family with its start, bounds and penalty, which may depend on the number of rows."""

    family: Family
    penalty: Callable[[float], Penalty]
    start: FloatArray
    bounds: tuple[float, float] = (-np.inf, np.inf)


def fit_problem(problem: Problem, predictions: Predictions, floor: float) -> FloatArray:
    """Return the parameters fitted to all rows."""
    with single_threaded_blas():  # threads cost more than they save for products this small
        start = _start(problem, predictions, floor)
        return _fit_blocks(problem, log_blocks(predictions, floor), start)


def fit_problem_folds(
    problem: Problem, predictions: Predictions, floor: float, folds: IntArray
) -> tuple[FloatArray, list[FloatArray]]:
    """Return the parameters fitted to all rows, and for each fold those fitted to the other folds.

    The fits without a fold start at the common fit, where one pass gives the sums of all folds.
    """
    blocks = log_blocks(predictions, floor, folds)
    with single_threaded_blas():
        whole = _fit_blocks(problem, blocks, _start(problem, predictions, floor))
        return whole, _fit_others(problem, blocks, whole, int(folds.max()) + 1)


def _fit_others(
    problem: Problem, blocks: list[LogBlock], whole: FloatArray, n_folds: int
) -> list[FloatArray]:
    second = problem.family.size <= _LARGEST_HESSIAN
    parts = [[block for block in blocks if block.fold == k] for k in range(n_folds)]
    sums = [problem.family.sums(part, whole, second) for part in parts]
    fits = []
    for k in range(n_folds):
        # added up, not subtracted from the total, because one row may have almost all the weight
        others = sum((part for j, part in enumerate(sums) if j != k), problem.family.zero(second))
        rest = [block for block in blocks if block.fold != k]
        fits.append(
            _fit_blocks(problem, rest, whole, others) if others.weight > 0.0 else problem.start
        )
    return fits


def _start(problem: Problem, predictions: Predictions, floor: float) -> FloatArray:
    """Return a fit to every k-th row, a good start that saves passes over all rows."""
    step = len(predictions) // _START_ROWS
    if step < 2:
        return problem.start
    some = predictions.take(slice(None, None, step))
    if not some.weights.any():
        return problem.start
    return _fit_blocks(problem, log_blocks(some, floor), problem.start)


def _fit_blocks(
    problem: Problem, blocks: list[LogBlock], start: FloatArray, first: LossSums | None = None
) -> FloatArray:
    if problem.family.size > _LARGEST_HESSIAN:
        return _quasi_newton(problem, blocks, start)
    near = None if first is None else _chord(problem, blocks, start, first)
    return _newton(problem, blocks, start, first) if near is None else near


@dataclass(frozen=True, eq=False)
class _Point:
    """The mean penalized loss and its derivatives at θ."""

    theta: FloatArray
    value: float
    gradient: FloatArray
    hessian: FloatArray

    def step(self) -> FloatArray:
        """Return the Newton step, with the gradient in directions without curvature."""
        # scale each parameter: the blocks of rare classes are tiny, but not singular
        scale = 1.0 / np.sqrt(np.maximum(np.diag(self.hessian), RIDGE))
        scaled = self.hessian * scale[:, None] * scale
        return np.asarray(-scale * np.linalg.solve(scaled, scale * self.gradient))


def _penalized(problem: Problem, sums: LossSums, theta: FloatArray) -> _Point:
    penalty = problem.penalty(sums.effective_size)
    hessian = sums.hessian / sums.weight
    return _Point(
        theta,
        sums.loss / sums.weight + penalty.value(theta),
        sums.gradient / sums.weight + penalty.gradient(theta),
        hessian + penalty.hessian() if hessian.size else hessian,
    )


def _chord(
    problem: Problem, blocks: list[LogBlock], start: FloatArray, first: LossSums
) -> FloatArray | None:
    """Return the minimum by steps with the initial Hessian, or None if it is too far.

    A pass without a Hessian costs a fraction of one with it. Near the minimum, each step shrinks by
    a factor of about the distance to the minimum.
    """
    here = _penalized(problem, first, start)
    last = 0.1
    for _ in range(_MAX_CHORDS):
        theta = np.asarray(np.clip(here.theta + here.step(), *problem.bounds))
        size = float(np.abs(theta - here.theta).max() / (1.0 + np.abs(here.theta).max()))
        if size > 0.3 * last:
            return None
        if size * size <= _LAST_CHORD * last:
            return theta
        sums = problem.family.sums(blocks, theta, second=False)
        here = replace(_penalized(problem, sums, theta), hessian=here.hessian)
        last = size
    return None


def _newton(
    problem: Problem, blocks: list[LogBlock], start: FloatArray, first: LossSums | None
) -> FloatArray:
    """Return the minimum by Newton's method, halving steps until the loss decreases."""
    sums = problem.family.sums(blocks, start) if first is None else first
    here = _penalized(problem, sums, start)
    for _ in range(_MAX_STEPS):
        target = np.clip(here.theta + here.step(), *problem.bounds)
        step = target - here.theta
        if _is_last(step, here):
            return np.asarray(target)
        lower = _descend(problem, blocks, here, step)
        if lower is None:
            break
        here = lower
    return here.theta


def _descend(
    problem: Problem, blocks: list[LogBlock], here: _Point, step: FloatArray
) -> _Point | None:
    """Return a point with a sufficiently smaller loss, or None if rounding ends the search."""
    slope = float(here.gradient @ step)
    share = 1.0
    while not _is_last(share * step, here):
        theta = here.theta + share * step
        there = _penalized(problem, problem.family.sums(blocks, theta), theta)
        if there.value <= here.value + 1e-4 * share * slope:
            return there
        share *= 0.5
    return None


def _is_last(step: FloatArray, here: _Point) -> bool:
    return float(np.abs(step).max()) <= _LAST_STEP * (1.0 + float(np.abs(here.theta).max()))


def _quasi_newton(problem: Problem, blocks: list[LogBlock], start: FloatArray) -> FloatArray:
    from scipy.optimize import minimize

    def loss(theta: FloatArray) -> tuple[float, FloatArray]:
        sums = problem.family.sums(blocks, theta, second=False)
        point = _penalized(problem, sums, theta)
        return point.value, point.gradient

    options = {"maxiter": 500, "ftol": 1e-13, "gtol": 1e-8}
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options=options)
    return np.asarray(found.x)
