"""Calibration errors: frozen configurations that are callable on data."""

from __future__ import annotations

from calibrant.estimators._base import Estimator
from calibrant.estimators._ece import ECE
from calibrant.estimators._kce import KCE
from calibrant.estimators._mce import MCE
from calibrant.estimators._mmce import MMCE
from calibrant.estimators._scorer import Scorer
from calibrant.estimators._skce import SKCE
from calibrant.estimators._ucme import UCME

__all__ = ["ECE", "KCE", "MCE", "MMCE", "SKCE", "UCME", "Estimator", "Scorer"]
