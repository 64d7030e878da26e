"""Calibration is logged to a local MLflow store, by one call or an evaluator."""

import json
import os
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import calibrant as cal

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),
    # importing it takes seconds, which tests that are left out need not pay
    pytest.mark.skipif(not find_spec("mlflow"), reason="MLflow is not installed"),
]

OFF = cal.models.TemperatureModel(0.1, 3, temperature=2.0)


@pytest.fixture
def client(tmp_path, monkeypatch):
    import mlflow

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "mlruns").as_uri())
    yield mlflow.MlflowClient()
    while mlflow.active_run():
        mlflow.end_run()


def artifact(client, run_id, path, folder):
    return Path(client.download_artifacts(run_id, path, os.fspath(folder))).read_text("utf-8")


def test_one_call_logs_metrics_verdict_result_and_report(client, tmp_path):
    import mlflow

    from calibrant.mlflow import log_calibration

    rows = OFF.sample(300, rng=0)
    with mlflow.start_run() as run:
        result = log_calibration(*rows, n_resamples=99, rng=0)
    expected = cal.calibration_test(*rows, method=cal.methods.Aggregated(99), rng=0)
    assert result.pvalue == expected.pvalue
    data = client.get_run(run.info.run_id).data
    assert data.metrics["calibration/pvalue"] == expected.pvalue
    for name in ("rmsce", "temperature", "brier"):
        effect = expected.effects[name]
        assert data.metrics[f"calibration/{name}"] == pytest.approx(effect.estimate, rel=1e-12)
    low = expected.effects["rmsce"].interval.low
    assert data.metrics["calibration/rmsce_low"] == pytest.approx(low, rel=1e-12)
    assert data.tags["calibration.verdict"] == expected.verdict
    found = json.loads(artifact(client, run.info.run_id, "calibration/result.json", tmp_path))
    assert found["result"]["pvalue"] == expected.pvalue
    page = artifact(client, run.info.run_id, "calibration/report.html", tmp_path)
    assert page.startswith("<!doctype html>")
    assert "over-confident" in page


def test_the_evaluator_is_found_by_its_name_and_asks_predict_proba(client):
    import mlflow
    from mlflow.models.evaluation.evaluator_registry import _model_evaluation_registry
    from sklearn.linear_model import LogisticRegression

    from calibrant.mlflow import CalibrantEvaluator

    _model_evaluation_registry.register("calibrant", CalibrantEvaluator)
    rng = np.random.default_rng(0)
    data = pd.DataFrame(rng.normal(size=(400, 2)), columns=["a", "b"])
    labels = np.where(data.a + rng.normal(size=400) > 0, "yes", "no")
    model = LogisticRegression().fit(data[:200], labels[:200])
    table = data[200:].assign(label=labels[200:])
    with mlflow.start_run() as run:
        info = mlflow.sklearn.log_model(model, name="model", input_example=data[:2],
                                        serialization_format="cloudpickle")  # fmt: skip
        found = mlflow.models.evaluate(
            info.model_uri, table, targets="label", model_type="classifier",
            evaluators="calibrant", evaluator_config={"n_resamples": 99},
        )  # fmt: skip
    direct = cal.Predictions.from_estimator(model, data[200:], labels[200:])
    expected = cal.calibration_test(direct, method=cal.methods.Aggregated(99), rng=0)
    assert found.metrics["calibration/pvalue"] == expected.pvalue
    logged = client.get_run(run.info.run_id).data.metrics
    assert logged["calibration/bias"] == pytest.approx(expected.effects["bias"].estimate)


def test_a_table_of_predictions_names_its_columns(client):
    import mlflow
    from mlflow.models.evaluation.evaluator_registry import _model_evaluation_registry

    from calibrant.mlflow import CalibrantEvaluator

    _model_evaluation_registry.register("calibrant", CalibrantEvaluator)
    y, p = OFF.sample(200, rng=1)
    table = pd.DataFrame(p, columns=["p0", "p1", "p2"]).assign(label=y, pred=p.argmax(axis=1))
    config = {"probabilities": ["p0", "p1", "p2"], "n_resamples": 99, "report": False}
    with mlflow.start_run():
        found = mlflow.models.evaluate(
            data=table, targets="label", predictions="pred", model_type="classifier",
            evaluators=["calibrant"], evaluator_config={"calibrant": config},
        )  # fmt: skip
    expected = cal.calibration_test(y, p, method=cal.methods.Aggregated(99), rng=0)
    assert found.metrics["calibration/pvalue"] == expected.pvalue


def test_the_entry_point_names_the_evaluator():
    import tomllib

    from calibrant.mlflow import CalibrantEvaluator

    project = tomllib.loads(Path(__file__).parents[2].joinpath("pyproject.toml").read_text())
    points = project["project"]["entry-points"]["mlflow.model_evaluator"]
    module, _, name = points[CalibrantEvaluator.name].partition(":")
    assert getattr(__import__(module, fromlist=[name]), name) is CalibrantEvaluator
