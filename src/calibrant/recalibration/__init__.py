"""Recalibration: maps from predicted probabilities to better ones, fitted and cross-fitted.

A map is a frozen configuration with `fit(y_prob, y_true)`; what it returns has `predict_proba`.
Objects in the style of scikit-learn, whose `fit` returns themselves, take part the same way.
"""

from calibrant._output import publish
from calibrant.recalibration._cross_fit import cross_fit, fit_folds, predict_folds
from calibrant.recalibration._folds import assign_folds
from calibrant.recalibration._identity import Identity
from calibrant.recalibration._log_linear import FittedTemperature, LogLinear
from calibrant.recalibration._map import FLOOR, FittedMap, Map
from calibrant.recalibration._temperature import Temperature
from calibrant.recalibration._vector_scaling import VectorScaling

__all__ = [
    "FittedMap",
    "FittedTemperature",
    "Identity",
    "LogLinear",
    "Map",
    "Temperature",
    "VectorScaling",
    "assign_folds",
    "cross_fit",
]

publish(__name__, globals(), __all__)
