"""Generative models of labeled predictions whose miscalibration is known.

Predictions come from a Dirichlet distribution, labels from a known function of the prediction,
the calibration function P(Y = · | g(X) = p). Use them to check an estimator against the truth,
to find the level of a test (`M1`) or its power (`M2`, `M3`, `TemperatureModel`, `Distorted`).
"""

from calibrant._output import publish
from calibrant.models._dirichlet import M1, M2, M3, DirichletModel
from calibrant.models._distorted import Distorted, LogitShift, Oscillation, Swap
from calibrant.models._generative import GenerativeModel, sample_dirichlet
from calibrant.models._temperature import TemperatureModel, temperature_scale

__all__ = [
    "M1",
    "M2",
    "M3",
    "DirichletModel",
    "Distorted",
    "GenerativeModel",
    "LogitShift",
    "Oscillation",
    "Swap",
    "TemperatureModel",
    "temperature_scale",
]

publish(__name__, globals(), __all__)
