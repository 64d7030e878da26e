"""The observed/expected ratio: closed form, published value, coverage of its interval."""

import csv
import gzip
import math

import numpy as np
import pytest

from calibrant import Predictions
from calibrant.effects import bias, find_measure, observed_expected


def test_closed_form():
    effect = observed_expected(Predictions([1] * 60 + [0] * 40, [0.4] * 100))
    assert effect.estimate == pytest.approx(1.5, rel=1e-14)
    reach = math.exp(1.959963984540054 * math.sqrt(0.4 / 60))
    assert effect.interval.high == pytest.approx(1.5 * reach, rel=1e-12)
    assert effect.interval.low == pytest.approx(1.5 / reach, rel=1e-12)
    words = find_measure("observed_expected").put_into_words(effect, None)
    assert words == "For each event that was predicted, 1.5 occur."


def test_more_classes_are_looked_at_through_the_top_label():
    rng = np.random.default_rng(0)
    P, y = rng.dirichlet(np.ones(4), 50), rng.integers(0, 4, 50)
    effect = observed_expected(Predictions(y, P))
    hits = y == P.argmax(axis=1)
    assert effect.estimate == pytest.approx(hits.mean() / P.max(axis=1).mean(), rel=1e-12)
    assert effect.details["event"] == "the predicted label"


def test_the_bias_quotes_the_same_ratio():
    rng = np.random.default_rng(1)
    rows = Predictions(rng.integers(0, 2, 30), rng.random(30), sample_weight=rng.random(30) + 0.1)
    ratio, quoted = observed_expected(rows), bias(rows).details["observed_expected"]
    assert quoted == {
        "estimate": ratio.estimate,
        "low": ratio.interval.low,
        "high": ratio.interval.high,
    }


@pytest.mark.parametrize(
    ("y", "p", "value"), [([0, 0], [0.2, 0.4], 0.0), ([1, 1], [0.0, 0.0], math.inf)]
)
def test_without_events_there_is_no_interval(y, p, value):
    effect = observed_expected(Predictions(y, p))
    assert effect.estimate == value
    assert not effect.interval.is_known
    assert "no interval" in effect.note


def test_clinical_value(shared):
    # ORACLES 9: logistic regression without penalty on traindata, evaluated on testdata
    linear_model = pytest.importorskip("sklearn.linear_model")

    def table(name):
        with gzip.open(shared / "data" / name, "rt") as file:
            rows = list(csv.DictReader(file))
        X = np.array([[float(row[f"x{k}"]) for k in range(1, 5)] for row in rows])
        return X, np.array([int(float(row["y"])) for row in rows])

    X, y = table("traindata.csv.gz")
    model = linear_model.LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(X, y)
    X, y = table("testdata.csv.gz")
    effect = observed_expected(Predictions(y, model.predict_proba(X)[:, 1]))
    assert effect.estimate == pytest.approx(1.0703901941653473, rel=1e-6)


def test_the_interval_holds_the_truth():
    # truth 1, n = 400, 400 runs: .95 with an error of .011
    held = 0
    for run in range(400):
        rng = np.random.default_rng([5, run])
        p = rng.beta(2, 5, 400)
        y = (rng.random(400) < p).astype(int)
        held += 1.0 in observed_expected(Predictions(y, p)).interval
    assert held / 400 > 0.95 - 3 * 0.011
