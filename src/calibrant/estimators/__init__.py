"""Calibration errors: frozen configurations that are callable on data."""

from __future__ import annotations

from calibrant.estimators._base import Estimator
from calibrant.estimators._ece import ECE
from calibrant.estimators._mce import MCE

__all__ = ["ECE", "MCE", "Estimator"]
