"""Tell whether a probabilistic classifier can be trusted."""

from calibrant import binning, kernels
from calibrant._native import core_info
from calibrant._predictions import Predictions
from calibrant.estimators import ECE, KCE, MCE, MMCE, SKCE, UCME, Estimator

__all__ = [
    "ECE",
    "KCE",
    "MCE",
    "MMCE",
    "SKCE",
    "UCME",
    "Estimator",
    "Predictions",
    "binning",
    "core_info",
    "kernels",
]
