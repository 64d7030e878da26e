"""Calibration errors: frozen configurations that are callable on data."""

from __future__ import annotations

from calibrant.estimators._base import Estimator

__all__ = ["Estimator"]
