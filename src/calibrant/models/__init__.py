"""Generative models of labeled predictions whose miscalibration is known.

Predictions come from a Dirichlet distribution, and labels from a known function of the prediction,
the calibration function P(Y = · | g(X) = p). Use the models to compare an estimator with the truth,
or to measure the level (`M1`) or the power (`M2`, `M3`, `TemperatureModel`, `Distorted`) of a test.
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
