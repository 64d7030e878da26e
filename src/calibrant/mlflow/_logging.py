"""Logging of a model's calibration as metrics and artifacts of an MLflow run."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import mlflow
from mlflow.tracking import MlflowClient

from calibrant._calibration_test import CalibrationTestResult
from calibrant._output import document, to_json
from calibrant._predictions import as_predictions
from calibrant.report import Report


def log_calibration(
    y_true: Any,
    y_prob: Any = None,
    *,
    run_id: str | None = None,
    prefix: str = "calibration",
    classes: Iterable[Any] | None = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    report: bool = True,
    n_resamples: int = 999,
    rng: Any = 0,
) -> CalibrationTestResult:
    """Log the calibration of predictions: metrics, the verdict and the report.

    Metrics are ``calibration/pvalue`` and every effect with the ends of its interval, such as
    ``calibration/rmsce``, ``calibration/rmsce_low`` and ``calibration/rmsce_high``; unknown values
    are omitted. The verdict becomes a tag; the result and the HTML report become artifacts. Cost:
    one `calibration_test`, or one `Report`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or Predictions
        Labels, or one `Predictions` in place of labels and probabilities.
    y_prob : array-like of shape (n_samples, n_classes) or (n_samples,)
        Predicted probabilities.
    run_id : str, optional
        The run; by default the active one, or a new one.
    prefix : str, default "calibration"
        Prefix of the names.
    classes, pos_label, sample_weight
        See `calibrant.Predictions`.
    report : bool, default True
        Whether to log the HTML report, too.
    n_resamples : int, default 999
        Number of label sets drawn for the test.
    rng : int, Generator or None, default 0
        Source of randomness; the same integer gives the same result.

    Returns
    -------
    CalibrationTestResult

    Examples
    --------
    >>> import mlflow  # doctest: +SKIP
    >>> import calibrant as cal  # doctest: +SKIP
    >>> from calibrant.mlflow import log_calibration  # doctest: +SKIP
    >>> with mlflow.start_run():  # doctest: +SKIP
    ...     result = log_calibration(y_true, model.predict_proba(X))
    """
    predictions = as_predictions(
        y_true, y_prob, classes=classes, pos_label=pos_label, sample_weight=sample_weight
    )
    page = Report(predictions, n_resamples=n_resamples, rng=rng)
    result: CalibrationTestResult = next(iter(page.tests.values()))
    run = run_id or (mlflow.active_run() or mlflow.start_run()).info.run_id
    client = MlflowClient()
    for name, value in metrics_of(result).items():
        client.log_metric(run, f"{prefix}/{name}", value)
    client.set_tag(run, f"{prefix}.verdict", result.verdict)
    client.log_text(run, to_json(document("test", {"result": result})), f"{prefix}/result.json")
    if report:
        client.log_text(run, page.html(), f"{prefix}/report.html")
    return result


def metrics_of(result: CalibrationTestResult) -> dict[str, float]:
    """Return the p-value and all effects with their intervals, if they are finite."""
    found = {"pvalue": result.pvalue}
    for name, effect in result.effects.items():
        found |= {
            name: effect.estimate,
            f"{name}_low": effect.interval.low,
            f"{name}_high": effect.interval.high,
        }
    return {name: float(value) for name, value in found.items() if math.isfinite(value)}
