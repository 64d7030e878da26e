"""Vector scaling: a slope and an intercept for every class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibrant._native import FloatArray
from calibrant.recalibration._likelihood import Tied, diagonal
from calibrant.recalibration._likelihood_map import PenalizedMap
from calibrant.recalibration._log_linear import LogLinear
from calibrant.recalibration._map import FLOOR
from calibrant.recalibration._minimize import Penalty, Problem

#: slope and shift of the logit of the positive class, as (a, a, −c/2, c/2)
_LOGIT = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, -0.5], [0.0, 0.5]])


@dataclass(frozen=True)
class VectorScaling(PenalizedMap):
    r"""Scale and shift the logit of every class, with shrinkage toward a common temperature.

    The ranking of the classes within a row may change. Two classes have one slope, so ``penalty=0``
    is logistic regression on the logit (Platt scaling). Cost: a few passes of O(n·m²); memory of a
    copy of `y_prob`.

    Parameters
    ----------
    penalty : float, optional
        The penalty λ, in units of the mean log loss; ``n_classes / n_samples`` by default (with
        weights, Kish's effective number of rows), 0 for no penalty.
    floor : float, default 1e-12
        Smaller probabilities are raised to it.

    Notes
    -----
    The map minimizes

    .. math:: -\frac1{\sum w} \sum_i w_i \log \mathrm{softmax}
        \big(a \circ \log\max(p_i, \epsilon) + b\big)_{y_i}
        + \lambda \big(|a - \bar a 1|^2 + |b|^2\big)

    by Newton's method, or by L-BFGS for more than 300 classes. A ridge of 1e-10 toward a = 1, b =
    0 is always added; without it, labels that the map can separate perfectly would have no finite
    best parameters. The default penalty corresponds to a normal prior with variance 1/(2m) for the
    intercepts of m classes.

    Examples
    --------
    >>> from calibrant.models import Distorted, LogitShift
    >>> from calibrant.recalibration import VectorScaling
    >>> y_true, y_prob = Distorted(1.0, 3, truth=LogitShift([0.8, 0.0, 0.0])).sample(9999, rng=0)
    >>> fitted = VectorScaling().fit(y_prob, y_true)
    >>> shift = fitted.intercepts[0] - fitted.intercepts[1:].mean()
    >>> print(f"{shift:.1f}")
    0.8

    The odds of the first class are e^0.8 times as large as predicted.
    """

    penalty: float | None = None
    floor: float = FLOOR

    @property
    def name(self) -> str:
        """What the map is called in results and files."""
        return "vector scaling"

    def count_parameters(self, n_classes: int) -> int:
        """Return how many parameters a fit has."""
        return 2 if n_classes == 2 else 2 * n_classes - 1

    def _problem(self, n_classes: int) -> Problem:
        """Return the family of slopes and intercepts; two classes have those of the logit."""
        m = n_classes
        if m == 2:
            return Problem(Tied(diagonal(2), _LOGIT), self._logit_penalty, np.array([1.0, 0.0]))
        start = np.repeat([1.0, 0.0], m)

        def penalty(n: float) -> Penalty:
            return Penalty(start, np.full(2 * m, 2.0 * self._rate(n, m)), common=np.arange(m))

        return Problem(diagonal(m), penalty, start)

    def _fitted(self, theta: FloatArray, n_classes: int) -> LogLinear:
        """Return the map with these slopes and intercepts."""
        m = n_classes
        theta = _LOGIT @ theta if m == 2 else theta
        return LogLinear(m, self.floor, theta[:m], theta[m:], self.count_parameters(m))

    def _logit_penalty(self, n: float) -> Penalty:
        # b is ∓c/2 for a shift c of the logit, so |b|² = c²/2
        return Penalty(np.array([1.0, 0.0]), np.array([0.0, self._rate(n, 2)]))
