"""Recalibration: maps from predicted to better calibrated probabilities, with cross-fitting.

A map is a frozen configuration whose ``fit(y_prob, y_true)`` returns a fitted map with
``predict_proba``. Objects in the style of scikit-learn, whose `fit` returns themselves, work, too.
"""

from typing import Any

from calibrant._output import publish
from calibrant.recalibration._beta_scaling import BetaScaling
from calibrant.recalibration._calibrator import Calibrator
from calibrant.recalibration._class_prior import ClassPrior
from calibrant.recalibration._confidence_curve import ConfidenceCurve, FittedConfidenceCurve
from calibrant.recalibration._cross_fit import cross_fit, fit_folds, predict, predict_folds
from calibrant.recalibration._dirichlet_scaling import DirichletScaling
from calibrant.recalibration._file import from_document, load, to_document
from calibrant.recalibration._folds import assign_folds
from calibrant.recalibration._identity import Identity
from calibrant.recalibration._isotonic import FittedIsotonic, Isotonic
from calibrant.recalibration._log_linear import FittedTemperature, LogLinear
from calibrant.recalibration._map import FLOOR, FittedMap, Map
from calibrant.recalibration._temperature import (
    HIGHEST_TEMPERATURE,
    LOWEST_TEMPERATURE,
    Temperature,
)
from calibrant.recalibration._vector_scaling import VectorScaling

__all__ = [
    "BetaScaling",
    "Calibrator",
    "ClassPrior",
    "ConfidenceCurve",
    "DirichletScaling",
    "FittedConfidenceCurve",
    "FittedIsotonic",
    "FittedMap",
    "FittedTemperature",
    "Identity",
    "Isotonic",
    "LogLinear",
    "Map",
    "Temperature",
    "VectorScaling",
    "assign_folds",
    "cross_fit",
    "load",
]

publish(__name__, globals(), __all__)


def __getattr__(name: str) -> Any:
    # scikit-learn is imported only when needed
    if name == "Recalibrated":
        from calibrant.recalibration import _recalibrated

        publish(__name__, vars(_recalibrated), [name])
        return _recalibrated.Recalibrated
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
