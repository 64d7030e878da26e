"""Slope and intercept: logistic regression on the predicted log-odds."""

import csv
import gzip
import math

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.effects import oracles_effects as oracles

from calibrant import Predictions
from calibrant.effects import bias, brier, direction, find_measure, intercept, slope
from calibrant.models import Distorted, LogitShift, TemperatureModel


def literal_fit(predictions, seen):
    """Maximize the multinomial likelihood with a general tool."""
    logits = np.log(np.maximum(predictions.y_prob, 1e-12))[:, seen]
    labels = np.searchsorted(seen, predictions.y_true)

    def loss(theta):
        z = theta[0] * logits + np.concatenate([[0.0], theta[1:]])
        z = z - z.max(axis=1, keepdims=True)
        log = z[np.arange(len(z)), labels] - np.log(np.exp(z).sum(axis=1))
        return -np.sum(predictions.weights * log)

    start = np.zeros(len(seen))
    start[0] = 1.0
    return minimize(loss, start, method="BFGS", options={"gtol": 1e-9}).x


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("m", [2, 4])
def test_parameters_maximize_the_likelihood(m, weighted):
    y, p = TemperatureModel(1.0, m, temperature=2.0).sample(150, rng=1)
    w = np.random.default_rng(0).random(150) + 0.1 if weighted else None
    predictions = Predictions(y, p, sample_weight=w)
    effect, expected = slope(predictions), literal_fit(predictions, np.arange(m))
    assert effect.estimate == pytest.approx(expected[0], rel=1e-4)
    if m == 2:
        assert effect.details["intercept"]["estimate"] == pytest.approx(expected[1], abs=1e-4)
    else:
        found = [one["estimate"] for one in effect.details["intercepts"]]
        assert found == pytest.approx([0.0, *expected[1:]], abs=1e-3)


def test_the_sandwich_is_the_literal_one():
    y, p = TemperatureModel(1.0, 2, temperature=2.0).sample(200, rng=1)
    effect = slope(Predictions(y, p))
    x = np.column_stack([np.log(p[:, 1] / p[:, 0]), np.ones(200)])
    theta = np.array([effect.estimate, effect.details["intercept"]["estimate"]])
    q = 1 / (1 + np.exp(-x @ theta))
    bread = np.linalg.inv((x.T * (q * (1 - q))) @ x)
    phi = (x * (y - q)[:, None]) @ bread
    error = math.sqrt(max(200 / 199 * np.sum(phi[:, 0] ** 2), bread[0, 0]))
    assert effect.standard_error == pytest.approx(error, rel=1e-6)
    half = 1.959964 * math.sqrt(bread[0, 0])
    assert effect.details["model_interval"][1] == pytest.approx(theta[0] + half, rel=1e-6)


def test_clinical_values_are_those_of_published_programs(shared):
    tables = {}
    for part in ("train", "test"):
        with gzip.open(shared / "data" / f"{part}data.csv.gz", "rt") as file:
            rows = [[float(x) for x in row] for row in list(csv.reader(file))[1:]]
        tables[part] = np.array(rows)
    x, y = np.insert(tables["train"][:, 1:], 0, 1.0, axis=1), tables["train"][:, 0]
    theta = np.zeros(5)
    for _ in range(20):
        q = 1 / (1 + np.exp(-x @ theta))
        theta += np.linalg.solve((x.T * (q * (1 - q))) @ x, x.T @ (y - q))
    p = 1 / (1 + np.exp(-np.insert(tables["test"][:, 1:], 0, 1.0, axis=1) @ theta))
    predictions = Predictions(tables["test"][:, 0].astype(int), p)
    one = slope(predictions)
    assert one.estimate == pytest.approx(0.82278297, abs=1e-7)
    assert one.details["model_interval"] == pytest.approx([0.66582, 0.97974], abs=1e-5)
    assert one.interval.low == pytest.approx(0.666, abs=0.005)
    assert one.details["intercept"]["estimate"] == pytest.approx(0.20751823, abs=1e-7)
    large = intercept(predictions)
    assert large.estimate == pytest.approx(0.2240468, abs=1e-6)
    assert large.details["model_interval"] == pytest.approx([0.00339, 0.44470], abs=1e-5)
    ratio = bias(predictions).details["observed_expected"]["estimate"]
    assert ratio == pytest.approx(1.0703901941653473, rel=1e-9)
    assert brier(predictions).details["half"] == pytest.approx(0.17703339472555796, rel=1e-9)
    # Spiegelhalter's z has the other sign
    assert direction(predictions).z == pytest.approx(-2.161014486822327, rel=1e-8)


def test_the_slope_is_blind_to_shifts_and_the_intercept_sees_them():
    model = Distorted(1.0, 3, truth=LogitShift([1.0, 0.0, 0.0]))
    predictions = Predictions(*model.sample(4000, rng=0), classes=list("abc"))
    assert 1.0 in slope(predictions).interval
    effect = intercept(predictions)
    assert effect.details["class"] == "a"
    assert effect.interval.low > 0.8
    words = find_measure("intercept").put_into_words(effect, None)
    assert words.startswith("The odds of class a should be ")
    assert words.endswith("times as large: it is predicted too rarely.")


def test_intercepts_of_many_classes_are_those_behind_the_lens():
    y, p = oracles.sample(2, 300, 4)
    whole = Predictions(y, p)
    classes = intercept(whole).details["classes"]
    for c in range(4):
        alone = intercept(whole.one_vs_rest(c))
        assert classes[c]["estimate"] == pytest.approx(alone.estimate, rel=1e-6)


def test_an_intercept_makes_the_class_as_likely_as_it_is_frequent():
    y, p = oracles.sample(5, 100, 2)
    a = intercept(Predictions(y, p)).estimate
    q = 1 / (1 + np.exp(-(np.log(p[:, 1] / p[:, 0]) + a)))
    assert q.mean() == pytest.approx(y.mean(), rel=1e-9)


def test_a_class_that_never_occurs_has_an_open_interval():
    effect = intercept(Predictions([0] * 100, [0.02] * 100))
    assert effect.estimate == -math.inf
    # z² = 3.84 labels of 100 would be expected at the end
    odds = 0.0384146 / (1 - 0.0384146) / (0.02 / 0.98)
    assert effect.interval.high == pytest.approx(math.log(odds), rel=1e-4)
    assert effect.interval.low == -math.inf
    always = intercept(Predictions([1] * 100, [0.98] * 100))
    assert always.estimate == math.inf
    assert always.interval.low == pytest.approx(-effect.interval.high, rel=1e-6)


def test_unseen_classes_are_left_out_and_named():
    y, p = oracles.sample(6, 200, 4)
    y = np.where(y == 3, 0, y)
    effect = slope(Predictions(y, p))
    assert effect.note == "1 of 4 classes do not occur and are left out"
    expected = literal_fit(Predictions(y, p), np.arange(3))
    assert effect.estimate == pytest.approx(expected[0], rel=1e-3)


def test_perfect_separation_has_no_finite_slope():
    effect = slope(Predictions([0, 0, 1, 1], [0.1, 0.2, 0.8, 0.9]))
    assert effect.estimate == math.inf
    assert "separate the labels perfectly" in effect.note


def test_many_rows_are_the_same_as_few_repeated():
    y, p = oracles.sample(3, 500, 5)
    one, many = Predictions(y, p), Predictions(np.tile(y, 40), np.tile(p, (40, 1)))
    assert slope(many).estimate == pytest.approx(slope(one).estimate, rel=1e-7)
    ours, theirs = (intercept(rows).details["classes"] for rows in (many, one))
    for a, b in zip(ours, theirs, strict=True):
        assert a["estimate"] == pytest.approx(b["estimate"], rel=1e-6)


@pytest.mark.slow
def test_intervals_of_the_slope_cover():
    # 300 data sets: .95 ± .0126; conservative for few rows, three errors below
    held = 0
    for seed in range(300):
        data = TemperatureModel(0.5, 2, temperature=1.5).sample(200, rng=seed)
        held += 1 / 1.5 in slope(Predictions(*data)).interval
    assert held / 300 > 0.95 - 3 * 0.0126
