"""Calibration in MLflow: a function to log it, and an evaluator for `mlflow.evaluate`."""

from __future__ import annotations

try:
    import mlflow as _mlflow
except ImportError as error:
    raise ImportError("calibrant.mlflow needs MLflow: python -m pip install mlflow") from error

from calibrant._output import publish
from calibrant.mlflow._evaluator import CalibrantEvaluator
from calibrant.mlflow._logging import log_calibration

__all__ = ["CalibrantEvaluator", "log_calibration"]

publish(__name__, globals(), __all__)
