"""The map that changes nothing, the baseline of all candidates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibrant._predictions import Predictions
from calibrant.recalibration._log_linear import LogLinear
from calibrant.recalibration._map import FLOOR, Map, check_floor


@dataclass(frozen=True)
class Identity(Map):
    """Leave the predictions as they are, except for the floor.

    Probabilities below the floor are raised to it, and rows are divided by their sums, so that the
    log loss is finite.

    Parameters
    ----------
    floor : float, default 1e-12
        Smaller probabilities are raised to it.

    Examples
    --------
    >>> from calibrant.recalibration import Identity
    >>> Identity().fit([[0.25, 0.75]], [1]).predict_proba([[0.5, 0.5]])
    array([[0.5, 0.5]])
    """

    floor: float = FLOOR

    def __post_init__(self) -> None:
        check_floor(self.floor)

    @property
    def name(self) -> str:
        """What the map is called in results and files."""
        return "identity"

    def count_parameters(self, n_classes: int) -> int:
        """Return how many parameters a fit has."""
        return 0

    def fit_predictions(self, predictions: Predictions) -> LogLinear:
        """Return the map, which depends only on the number of classes."""
        m = predictions.n_classes
        return LogLinear(m, self.floor, np.array(1.0), np.zeros(m), 0)
