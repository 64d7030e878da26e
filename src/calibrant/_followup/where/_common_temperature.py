r"""A robust common temperature, which a single bad group cannot dominate.

In the likelihood, the influence of a row is its score :math:`u_{iy} = z_{iy} - E z_i`, which grows
with the logits: forty swapped labels of a confident model outweigh a thousand correct ones. Here,
the influence of a row is at most b, the typical score:

.. math:: \sum_i w_i \Big[\psi(u_{iy_i}) - \sum_c q_{ic}\, \psi(u_{ic})\Big] = 0,
    \qquad \psi(u) = \max(-b, \min(u, b)),\quad q_i = \mathrm{softmax}(\beta z_i).

The second term makes it unbiased if a temperature is the only error (Künsch, Stefanski and
Carroll, "Conditionally unbiased bounded-influence estimation in general regression models",
JASA 1989).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions
from calibrant.recalibration import FLOOR, FittedMap, FittedTemperature, Map

#: bounds of the temperature
_LOWEST, _HIGHEST = 0.05, 20.0
#: largest influence of a row, in typical scores
_REACH = 1.0
#: a step for derivatives, relative to β
_STEP = 1e-4
#: entries of a block of rows
_BLOCK = 1 << 16


@dataclass(frozen=True)
class CommonTemperature(Map):
    """A temperature with bounded influence of every row. Cost: about fifteen passes of O(n·m)."""

    @property
    def name(self) -> str:
        """The name of the map in results."""
        return "temperature"

    def count_parameters(self, n_classes: int) -> int:
        """Return the number of parameters of a fit."""
        return 1

    def fit_predictions(self, predictions: Predictions) -> FittedTemperature:
        """Return the map fitted to all rows."""
        return _fitted(_solve(predictions, _reach(predictions)), predictions.n_classes)

    def fit_folds(
        self, predictions: Predictions, folds: IntArray
    ) -> tuple[FittedMap, list[FittedMap]]:
        """Return the map fitted to all rows, and for each fold one Newton step from it."""
        m, reach = predictions.n_classes, _reach(predictions)
        beta = _solve(predictions, reach)
        ends = [_scores(predictions, reach, beta * (1.0 + step)) for step in (-_STEP, _STEP)]
        score, change = _scores(predictions, reach, beta), (ends[1] - ends[0]) / (2 * _STEP * beta)
        n_folds = int(folds.max()) + 1
        left, slope = (
            values.sum() - np.bincount(folds, values, n_folds) for values in (score, change)
        )
        steps = np.divide(left, slope, out=np.zeros(n_folds), where=slope < 0.0)
        betas = np.clip(beta - steps, 1.0 / _HIGHEST, 1.0 / _LOWEST)
        return _fitted(beta, m), [_fitted(float(one), m) for one in betas]


def _fitted(beta: float, m: int) -> FittedTemperature:
    return FittedTemperature(m, FLOOR, np.array(beta), np.zeros(m), 1)


def _solve(predictions: Predictions, reach: float) -> float:
    from scipy.optimize import brentq

    def excess(log_beta: float) -> float:
        return float(_scores(predictions, reach, np.exp(log_beta)).sum())

    ends = np.log(1.0 / _HIGHEST), np.log(1.0 / _LOWEST)
    values = [excess(end) for end in ends]
    if values[0] <= 0.0 or values[1] >= 0.0:
        # if all labels are the most likely ones, or none, there is no root between the bounds
        return float(np.exp(ends[0] if values[0] <= 0.0 else ends[1]))
    return float(np.exp(brentq(excess, *ends, xtol=1e-10)))


def _reach(predictions: Predictions) -> float:
    """Return b, the root mean square of the scores expected by the predictions."""
    total = sum(
        float(w @ np.einsum("ic,ic->i", q, u * u)) for q, u, _, w in _rows(predictions, 1.0)
    )
    return _REACH * float(np.sqrt(total / predictions.weights.sum()))


def _scores(predictions: Predictions, reach: float, beta: float) -> FloatArray:
    """Return each row's term of the equation, shape (n,)."""
    parts = []
    for q, u, labels, w in _rows(predictions, beta):
        bounded = np.clip(u, -reach, reach)
        mean = np.einsum("ic,ic->i", q, bounded)
        parts.append(w * (bounded[np.arange(len(w)), labels] - mean))
    return np.concatenate(parts)


def _rows(
    predictions: Predictions, beta: float
) -> Iterator[tuple[FloatArray, FloatArray, IntArray, FloatArray]]:
    """Yield probabilities, class scores, labels and weights, block by block."""
    size = max(1, _BLOCK // predictions.n_classes)
    for start in range(0, predictions.n_samples, size):
        rows = slice(start, start + size)
        z = np.log(np.maximum(predictions.y_prob[rows], FLOOR))
        z -= z.max(axis=1, keepdims=True)
        q = np.exp(beta * z)
        q /= q.sum(axis=1, keepdims=True)
        u = z - np.einsum("ic,ic->i", q, z)[:, None]
        yield q, u, predictions.y_true[rows], predictions.weights[rows]
