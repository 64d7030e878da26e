"""Temperature scaling: division of all logits by one number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibrant._native import IntArray
from calibrant._predictions import Predictions
from calibrant.recalibration._log_linear import FittedTemperature
from calibrant.recalibration._map import FLOOR, FittedMap, Map, check_floor
from calibrant.recalibration._temperature_fit import fit_slope, fit_slope_folds

#: bounds of the temperature, beyond which nothing changes
LOWEST_TEMPERATURE, HIGHEST_TEMPERATURE = 0.05, 20.0

#: bounds of the slope, the inverse of the temperature
_BOUNDS = 1.0 / HIGHEST_TEMPERATURE, 1.0 / LOWEST_TEMPERATURE


@dataclass(frozen=True)
class Temperature(Map):
    r"""Divide all logits by one number, the temperature (Guo et al. 2017).

    The predicted class and the ranking of all classes do not change. Cost: a few passes of O(n·m);
    memory for a few numbers per row.

    Parameters
    ----------
    floor : float, default 1e-12
        Smaller probabilities are raised to it.

    Notes
    -----
    .. math:: \hat\tau = \arg\min_\tau -\sum_i w_i \log
        \mathrm{softmax}\big(\log\max(p_i, \epsilon)/\tau\big)_{y_i}

    is convex in 1/τ and found by Newton's method. τ is limited to [0.05, 20], because the
    likelihood has no maximum if every label is the most likely class of its row.

    Examples
    --------
    >>> from calibrant.models import TemperatureModel
    >>> from calibrant.recalibration import Temperature
    >>> y_true, y_prob = TemperatureModel(0.5, 4, temperature=2.0).sample(2000, rng=0)
    >>> print(f"{Temperature().fit(y_prob, y_true).temperature:.2f}")
    2.13

    The logits are about twice as large as they should be.
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
        return self._of(fit_slope(predictions, self.floor, _BOUNDS), predictions.n_classes)

    def fit_folds(
        self, predictions: Predictions, folds: IntArray
    ) -> tuple[FittedMap, list[FittedMap]]:
        """Return the map fitted to all rows, and for each fold the map fitted to the others."""
        m = predictions.n_classes
        whole, others = fit_slope_folds(predictions, self.floor, _BOUNDS, folds)
        return self._of(whole, m), [self._of(other, m) for other in others]

    def _of(self, slope: float, n_classes: int) -> FittedTemperature:
        return FittedTemperature(n_classes, self.floor, np.array(slope), np.zeros(n_classes), 1)
