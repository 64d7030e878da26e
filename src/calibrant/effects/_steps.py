"""Quasi-Newton steps toward a maximum, from an approximate curvature matrix.

This is the limited-memory BFGS method with a given initial matrix: it converges superlinearly
without computing the curvatures again.
"""

from __future__ import annotations

import numpy as np

from calibrant._native import FloatArray

#: number of steps that are remembered
_MEMORY = 12


class Steps:
    """Steps for the negative curvatures `hessian`, a positive semi-definite matrix."""

    def __init__(self, hessian: FloatArray) -> None:
        self._hessian, self._inverse = hessian, _inverse(hessian)
        self._seen: list[tuple[FloatArray, FloatArray, float]] = []

    def learn(self, step: FloatArray, fall: FloatArray) -> None:
        """Remember a step and the decrease of the gradient over it."""
        product = float(step @ fall)
        if product > 0.0:
            self._seen = [*self._seen[1 - _MEMORY :], (step, fall, product)]

    def step(self, gradient: FloatArray) -> FloatArray:
        """Return the step from a point with this gradient."""
        rest, shares = gradient, []
        for step, fall, product in reversed(self._seen):
            share = float(step @ rest) / product
            rest = rest - share * fall
            shares.append(share)
        found = self._solve(rest)
        for (step, fall, product), share in zip(self._seen, reversed(shares), strict=True):
            found = found + (share - float(fall @ found) / product) * step
        return found

    def _solve(self, gradient: FloatArray) -> FloatArray:
        if self._inverse is not None:
            return np.asarray(self._inverse @ gradient)
        # the shortest step if the matrix is singular
        return np.asarray(np.linalg.lstsq(self._hessian, gradient, rcond=1e-13)[0], np.float64)


def _inverse(hessian: FloatArray) -> FloatArray | None:
    try:
        factor = np.linalg.cholesky(hessian)
    except np.linalg.LinAlgError:
        return None
    pivots = np.diag(factor)
    if not pivots.min() > 1e-5 * pivots.max():
        return None
    return np.asarray(np.linalg.inv(hessian), np.float64)
