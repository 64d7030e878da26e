"""Temperature scaling: all logits divided by one number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions
from calibrant.recalibration._likelihood import CommonSlope
from calibrant.recalibration._log_linear import FittedTemperature
from calibrant.recalibration._map import FLOOR, FittedMap, Map, check_floor
from calibrant.recalibration._minimize import Penalty, Problem, fit_problem, fit_problem_folds

#: temperatures outside these bounds are not told apart
LOWEST, HIGHEST = 0.05, 20.0

_PROBLEM = Problem(
    CommonSlope(),
    penalty=lambda n: Penalty(np.ones(1), np.zeros(1)),
    start=np.ones(1),
    bounds=(1.0 / HIGHEST, 1.0 / LOWEST),
)


@dataclass(frozen=True)
class Temperature(Map):
    r"""Divide all logits by one number, the temperature (Guo et al. 2017).

    The predicted class and the order of all classes stay. Cost: a few passes of O(n·m); memory
    of `y_prob` once more.

    Parameters
    ----------
    floor : float, default 1e-12
        Probabilities below it are taken for it.

    Notes
    -----
    .. math:: \hat\tau = \arg\min_\tau -\sum_i w_i \log
        \mathrm{softmax}\big(\log\max(p_i, \epsilon)/\tau\big)_{y_i}

    is convex in 1/τ and found by Newton's method. τ is limited to [0.05, 20]: where every label
    is its row's most likely class the likelihood grows without end as τ falls.

    Examples
    --------
    >>> from calibrant.models import TemperatureModel
    >>> from calibrant.recalibration import Temperature
    >>> y_true, y_prob = TemperatureModel(0.5, 4, temperature=2.0).sample(2000, rng=0)
    >>> print(f"{Temperature().fit(y_prob, y_true).temperature:.2f}")
    2.13

    The logits are about twice too large.
    """

    floor: float = FLOOR

    def __post_init__(self) -> None:
        check_floor(self.floor)

    @property
    def name(self) -> str:
        """What the map is called in results and files."""
        return "temperature"

    def count_parameters(self, n_classes: int) -> int:
        """Return how many parameters a fit has."""
        return 1

    def fit_predictions(self, predictions: Predictions) -> FittedTemperature:
        """Return the map fitted to checked predictions."""
        return self._fitted(predictions, fit_problem(_PROBLEM, predictions, self.floor))

    def fit_folds(
        self, predictions: Predictions, folds: IntArray
    ) -> tuple[FittedMap, list[FittedMap]]:
        """Return the map fitted to all rows, and for each fold the one fitted to the others."""
        whole, others = fit_problem_folds(_PROBLEM, predictions, self.floor, folds)
        return self._fitted(predictions, whole), [self._fitted(predictions, o) for o in others]

    def _fitted(self, predictions: Predictions, theta: FloatArray) -> FittedTemperature:
        m = predictions.n_classes
        return FittedTemperature(m, self.floor, np.array(theta[0]), np.zeros(m), 1)
