"""A smooth increasing function of a probability, fitted to binary events."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibrant._native import BoolArray, FloatArray

#: knots of the correction, evenly spaced in the logit
N_KNOTS = 8
#: larger logits are reduced to this, because a probability of 1 has an infinite one
_WIDEST = 16.0
#: rows whose logits differ by less than this are pooled
_CELL = 1.0 / 64.0
#: distance between the logits of the resulting lines
_SPACING = 0.2
#: rate of the ridge toward no correction: a priori, corrections are about 2
_RIDGE = 0.25
#: share of the rows beyond the first and the last knot, on either side
_OUTSIDE = 0.005


def fit_smooth_curve(
    p: FloatArray, hit: BoolArray, weight: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the knots of increasing lines: probabilities and their new values.

    The logit z of a probability becomes z + f(z), where f is piecewise linear and maximizes

        Σ w log P(hit) − ∫ f''(z)² dz − |f|²/8,

    with a step of f' at each knot for its second derivative. Cost O(n).
    """
    cells = _count_cells(p, hit, weight)
    correction = _fit(cells)
    low, high = float(cells.logit[0]), float(cells.logit[-1])
    high = max(high, low + _CELL)  # avoids a division by 0
    z = np.linspace(low, high, 2 + int((high - low) / _SPACING))
    curve = _expit(z + correction.at(z))
    return _expit(z), np.maximum.accumulate(curve)


@dataclass(frozen=True, eq=False)
class _Cells:
    """Rows with nearly the same logit: their mean logit, weights and the weight of hits."""

    logit: FloatArray
    weight: FloatArray
    hits: FloatArray


def _count_cells(p: FloatArray, hit: BoolArray, weight: FloatArray) -> _Cells:
    z = np.clip(_logit(p), -_WIDEST, _WIDEST)
    index = np.floor((z + _WIDEST) / _CELL).astype(np.int64)
    weights = np.bincount(index, weight)
    some = np.flatnonzero(weights > 0.0)
    sums = (np.bincount(index, weight * values)[some] for values in (z, np.asarray(hit)))
    total, hits = (np.asarray(one, dtype=np.float64) for one in sums)
    return _Cells(total / weights[some], weights[some].astype(np.float64), hits)


@dataclass(frozen=True, eq=False)
class _Correction:
    """A piecewise linear function of the logit, constant beyond its knots."""

    knots: FloatArray
    values: FloatArray

    def at(self, z: FloatArray) -> FloatArray:
        return np.asarray(np.interp(z, self.knots, self.values))


def _fit(cells: _Cells) -> _Correction:
    from scipy.optimize import minimize

    knots = _place_knots(cells)
    size = len(knots)
    # column k is 1 at knot k and 0 at all others
    basis = np.stack([np.interp(cells.logit, knots, row) for row in np.eye(size)], axis=1)
    penalty = _penalty(knots)

    def objective(values: FloatArray) -> tuple[float, FloatArray]:
        z = cells.logit + basis @ values
        loss = cells.weight @ np.logaddexp(0.0, z) - cells.hits @ z
        slope = basis.T @ (cells.weight * _expit(z) - cells.hits) + penalty @ values
        return float(loss + 0.5 * values @ penalty @ values), slope

    def hessian(values: FloatArray) -> FloatArray:
        q = _expit(cells.logit + basis @ values)
        return np.asarray((basis.T * (cells.weight * q * (1.0 - q))) @ basis + penalty)

    options = {"gtol": 1e-9 * float(cells.weight.sum())}
    found = minimize(
        objective, np.zeros(size), jac=True, hess=hessian, method="trust-exact", options=options
    )
    return _Correction(knots, np.asarray(found.x))


def _place_knots(cells: _Cells) -> FloatArray:
    below = np.cumsum(cells.weight)
    ends = np.searchsorted(below, below[-1] * np.array([_OUTSIDE, 1.0 - _OUTSIDE]))
    low, high = cells.logit[ends]
    # knots closer than cells cannot be distinguished
    size = N_KNOTS if high - low > N_KNOTS * _CELL else 1
    return np.asarray(np.linspace(low, high, size))


def _penalty(knots: FloatArray) -> FloatArray:
    size = len(knots)
    ridge = _RIDGE * np.eye(size)
    if size < 3:
        return ridge
    bends = np.diff(np.eye(size), 2, axis=0)
    return np.asarray(2.0 * bends.T @ bends / (knots[1] - knots[0]) ** 3 + ridge)


def _logit(p: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):  # of 0 and 1
        return np.asarray(np.log(p) - np.log1p(-p))


def _expit(z: FloatArray) -> FloatArray:
    return np.asarray(1.0 / (1.0 + np.exp(-z)))
