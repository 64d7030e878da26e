"""Adapters of fitted scikit-learn maps to `FittedMap`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrant._native import FloatArray
from calibrant.recalibration import FLOOR, FittedMap, predict


@dataclass(frozen=True, eq=False)
class ForeignMap(FittedMap):
    """An object with `predict_proba`; it cannot be written to a file."""

    fitted: Any
    n_parameters: int = 0

    def transform(self, block: FloatArray) -> FloatArray:
        """Return the object's probabilities for some rows."""
        return predict(self.fitted, np.ascontiguousarray(block.T)).T


def as_fitted_map(fitted: Any, n_classes: int) -> FittedMap:
    """Return a fitted map of any kind as a `FittedMap`."""
    return fitted if isinstance(fitted, FittedMap) else ForeignMap(n_classes, FLOOR, fitted)
