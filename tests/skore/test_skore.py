"""The code that docs/sklearn.rst shows for reports of skore, run against skore itself."""

import textwrap
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

import calibrant as cal

pytest.importorskip("skore", reason="skore is not installed")
pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "sklearn.rst"


def code_block():
    """Return the code below the heading, up to the next line that is not indented."""
    section = PAGE.read_text("utf-8").split("In a skore report\n", 1)[1]
    lines = section.split(".. code-block:: python\n", 1)[1].splitlines()
    end = next(i for i, line in enumerate(lines) if line and not line.startswith(" "))
    return textwrap.dedent("\n".join(lines[:end]))


@pytest.fixture(scope="module")
def report():
    X, codes = load_iris(return_X_y=True)
    y = np.array(["setosa", "versicolor", "virginica"])[codes]
    names = {"X": X, "y": y, "model": LogisticRegression(max_iter=1000)}
    exec(code_block(), names)
    return names["report"]


def result_of(report):
    predictions = cal.Predictions.from_estimator(report.estimator_, report.X_test, report.y_test)
    return predictions, cal.calibration_test(predictions, rng=0)


def test_metrics_are_the_numbers_of_calibrant(report):
    predictions, result = result_of(report)
    table = report.metrics.summarize(metric=["skce", "calibration_loss", "calibration_pvalue"])
    found = table.frame().to_dict()
    assert found["skce"] == pytest.approx(-cal.SKCE()(predictions), rel=1e-12)
    loss = result.effects["calibration_loss"].estimate
    assert found["calibration_loss"] == pytest.approx(loss, rel=1e-12)
    assert found["calibration_pvalue"] == result.pvalue == 0.025


def test_the_verdict_is_an_issue_where_the_test_rejects(report):
    _, result = result_of(report)
    assert result.reject()
    assert f"[CAL001] Evidence against calibration. {result.verdict}" in str(
        report.checks.summarize(fast_mode=True)
    )
