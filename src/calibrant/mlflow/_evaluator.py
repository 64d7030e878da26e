"""An evaluator for `mlflow.models.evaluate`, registered as ``calibrant``."""

from __future__ import annotations

from typing import Any

import numpy as np
from mlflow.models.evaluation.base import EvaluationResult, ModelEvaluator

from calibrant._predictions import Predictions
from calibrant.errors import DataError, Problem
from calibrant.mlflow._logging import log_calibration, metrics_of


class CalibrantEvaluator(ModelEvaluator):  # type: ignore[misc] # untyped where installed
    """Log the calibration of a classifier next to MLflow's own metrics.

    ``mlflow.models.evaluate(..., evaluators=["default", "calibrant"])`` gets probabilities from
    the model's ``predict_proba``, or from its output if that has one probability per class. For a
    table of predictions, ``evaluator_config={"calibrant": {"probabilities": [...]}}`` names the
    columns, in the order of ``classes``. Other keys are ``classes``, ``pos_label``, ``prefix``,
    ``report``, ``n_resamples`` and ``rng``, as in `log_calibration`.

    Examples
    --------
    >>> import mlflow  # doctest: +SKIP
    >>> mlflow.models.evaluate(  # doctest: +SKIP
    ...     model_uri, data, targets="label", model_type="classifier",
    ...     evaluators=["default", "calibrant"])
    """

    name = "calibrant"

    @classmethod
    def can_evaluate(cls, *, model_type: str, evaluator_config: Any, **kwargs: Any) -> bool:
        """Return whether the model is a classifier."""
        return model_type == "classifier"

    def evaluate(
        self,
        *,
        model_type: str,
        dataset: Any,
        run_id: str,
        evaluator_config: Any,
        model: Any = None,
        **kwargs: Any,
    ) -> EvaluationResult:
        """Log metrics, verdict and report, and return the metrics."""
        config = dict(evaluator_config or {})
        predictions = _predictions(model, dataset, config)
        prefix = config.get("prefix", "calibration")
        options = {key: config[key] for key in ("report", "n_resamples", "rng") if key in config}
        result = log_calibration(predictions, run_id=run_id, prefix=prefix, **options)
        metrics = {f"{prefix}/{name}": value for name, value in metrics_of(result).items()}
        return EvaluationResult(metrics=metrics, artifacts={}, run_id=run_id)


def _predictions(model: Any, dataset: Any, config: dict[str, Any]) -> Predictions:
    labels = np.asarray(dataset.labels_data)
    classes = config.get("classes", config.get("label_list"))
    meaning: dict[str, Any] = {"classes": classes, "pos_label": config.get("pos_label")}
    if "probabilities" in config:
        columns = list(config["probabilities"])
        table = np.asarray(dataset.features_data[columns], dtype=np.float64)
        return Predictions(labels, table[:, 0] if len(columns) == 1 else table, **meaning)
    raw = model.get_raw_model() if hasattr(model, "get_raw_model") else None
    if hasattr(raw, "predict_proba") and hasattr(raw, "classes_"):
        return Predictions.from_estimator(raw, dataset.features_data, labels)
    output = dataset.predictions_data if model is None else model.predict(dataset.features_data)
    values = np.asarray(output)
    if values.dtype == object and values.ndim == 1:  # a list in every row
        values = np.stack([np.asarray(row, dtype=np.float64) for row in values])
    if values.dtype.kind != "f":
        raise DataError(
            Problem.NOT_NUMBERS,
            "must be probabilities",
            argument="the output of the model",
            got=f"values such as {values.ravel()[0]!r}",
            remedy='name the columns with evaluator_config={"calibrant": {"probabilities": [...]}}',
        )
    return Predictions(labels, values, **meaning)
