"""Beta scaling: for two classes, logit q = a log p − b log(1 − p) + c."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibrant._native import FloatArray
from calibrant._predictions import Predictions
from calibrant.errors import DataError, Problem as DataProblem
from calibrant.recalibration._likelihood import Tied, diagonal
from calibrant.recalibration._log_linear import LogLinear
from calibrant.recalibration._map import FLOOR, Map, check_floor
from calibrant.recalibration._minimize import Penalty, Problem, fit_problem

#: slopes of classes 0 and 1 and the shift of the logit, as (b, a, −c/2, c/2)
_BASIS = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -0.5], [0.0, 0.0, 0.5]])


@dataclass(frozen=True)
class BetaScaling(Map):
    r"""Beta calibration of two classes (Kull et al. 2017): two slopes and a shift of the logit.

    A monotone map with three parameters; with a = b it is `VectorScaling` for two classes. Cost: a
    few passes of O(n).

    Parameters
    ----------
    floor : float, default 1e-12
        Smaller probabilities are raised to it.

    Notes
    -----
    .. math:: \mathrm{logit}\, q = a \log p - b \log(1 - p) + c, \qquad a, b \ge 0,

    is logistic regression on log p and −log(1 − p). As in the paper, a negative slope is set to 0
    and the other parameters are fitted again.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant.recalibration import BetaScaling
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(5000)
    >>> y_true = rng.random(5000) < p**2
    >>> fitted = BetaScaling().fit(p, y_true)
    >>> print(f"{fitted.predict_proba([0.5])[0, 1]:.2f}")
    0.25

    The true probability is the square of the predicted one.
    """

    floor: float = FLOOR

    def __post_init__(self) -> None:
        check_floor(self.floor)

    @property
    def name(self) -> str:
        """What the map is called in results and files."""
        return "beta scaling"

    def count_parameters(self, n_classes: int) -> int:
        """Return how many parameters a fit has."""
        return 3

    def fit_predictions(self, predictions: Predictions) -> LogLinear:
        """Return the map fitted to checked predictions of two classes."""
        if predictions.n_classes != 2:
            raise DataError(
                DataProblem.CLASSES,
                "`BetaScaling` needs two classes",
                got=str(predictions.n_classes),
                remedy="use `VectorScaling`, or look at one class with `one_vs_rest`",
            )
        theta = self._fit(predictions, [0, 1, 2])
        if min(theta[:2]) < 0:
            theta = self._fit(predictions, [int(theta[1] >= theta[0]), 2])
        if min(theta[:2]) < 0:
            theta = self._fit(predictions, [2])
        return LogLinear(2, self.floor, theta[:2], np.array([-0.5, 0.5]) * theta[2], 3)

    def _fit(self, predictions: Predictions, free: list[int]) -> FloatArray:
        """Return both slopes and the shift; those not in `free` are 0."""
        start = np.array([1.0, 1.0, 0.0])[free]
        family = Tied(diagonal(2), _BASIS[:, free])
        problem = Problem(family, lambda n: Penalty(start, np.zeros(len(free))), start)
        theta = np.zeros(3)
        theta[free] = fit_problem(problem, predictions, self.floor)
        return theta
