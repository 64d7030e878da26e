import csv
import math

import numpy as np
import pytest
from tests.effects import oracles_effects as oracles

from calibrant import Predictions
from calibrant.effects import direction, direction_sums
from calibrant.models import TemperatureModel


def literal(predictions, f):
    total = variance = 0.0
    for p, y, w in zip(predictions.y_prob, predictions.y_true, predictions.weights, strict=True):
        p = p / p.sum()
        r = np.eye(len(p))[y] - p
        total += w * (r @ f(p))
        variance += w**2 * (f(p) @ (np.diag(p) - np.outer(p, p)) @ f(p))
    return total / math.sqrt(variance)


def test_spiegelhalter_value_of_mapie(shared):
    # MAPIE 1.6 on the logistic forecasts of precipitation in Niamey: ORACLES 9
    with (shared / "data" / "precip_niamey_2016.csv").open() as file:
        rows = list(csv.DictReader(file))
    y = [int(float(row["obs"])) for row in rows]
    found = direction(Predictions(y, [float(row["Logistic"]) for row in rows]))
    assert found.z == pytest.approx(0.770661193426536, rel=1e-10)


def test_spiegelhalter_value():
    # Spiegelhalter z = −1.03024, two-sided p 0.30290; the Brier direction has the other sign
    found = direction(Predictions([1, 0, 1, 0, 1, 0], [0.8, 0.3, 0.5, 0.5, 0.7, 0.1]))
    assert found.z == pytest.approx(1.03024, abs=5e-6)
    assert found.pvalue == pytest.approx(0.30290, abs=5e-6)
    assert found.verdict == "under-confident"


@pytest.mark.parametrize("weighted", [False, True])
def test_direction_is_the_literal_sum_for_any_function(weighted):
    y, p = oracles.sample(0, 25, 4)
    w = np.random.default_rng(0).random(25) if weighted else None
    predictions = Predictions(y, p, sample_weight=w)
    for f in (None, lambda p: np.log(np.maximum(p, 1e-3)), lambda p: p**3):
        z = literal(predictions, f or (lambda p: p))
        assert direction(predictions, f).z == pytest.approx(z, rel=1e-12)


def test_variance_is_that_of_the_formula():
    y, p = oracles.sample(1, 10, 3)
    _, variance = direction_sums(Predictions(y, p))
    assert variance == pytest.approx(np.sum((p**3).sum(1) - (p**2).sum(1) ** 2), rel=1e-12)


def test_sums_add_over_parts():
    predictions = Predictions(*oracles.sample(2, 20, 3))
    parts = [direction_sums(predictions.take(rows)) for rows in (slice(0, 7), slice(7, 20))]
    assert np.sum(parts, axis=0) == pytest.approx(direction_sums(predictions), rel=1e-12)


@pytest.mark.parametrize(("tau", "verdict"), [(3.0, "over-confident"), (0.4, "under-confident")])
def test_sign_tells_the_direction(tau, verdict):
    found = direction(Predictions(*TemperatureModel(0.5, 5, temperature=tau).sample(500, rng=0)))
    assert found.verdict == verdict
    assert found.pvalue < 1e-6


@pytest.mark.parametrize("name", ["uniform", "certain and right", "certain and wrong"])
def test_no_variance_means_no_direction(name):
    found = direction(oracles.DEGENERATE[name])
    assert math.isnan(found.z)
    assert found.pvalue == 1.0
    assert found.verdict is None
    assert found.to_dict() == {"z": None, "pvalue": 1.0, "verdict": None}


@pytest.mark.parametrize("m", [3, 7, 10, 1000])
def test_rounding_of_uniform_rows_is_not_standardized(m):
    predictions = Predictions(np.arange(20) % m, np.full((20, m), 1 / m))
    assert direction(predictions).verdict is None


def test_nearly_certain_and_wrong_is_not_lost():
    found = direction(Predictions([0, 1], [1.0 - 1e-15, 0.5]))
    assert found.z < -1e6
    assert found.verdict == "over-confident"


def test_balanced_score_has_no_direction():
    found = direction(Predictions([1, 1, 1, 0], [0.75, 0.75, 0.75, 0.75]))
    assert found.z == 0.0
    assert found.pvalue == 1.0
    assert found.verdict is None


@pytest.mark.parametrize("f", [np.log, lambda p: p[:, 0]], ids=["infinite", "shape"])
def test_function_must_return_finite_rows(f):
    with np.errstate(divide="ignore"), pytest.raises(ValueError, match="`f` must return finite"):
        direction(Predictions([0, 1], [0.0, 0.5]), f)


def test_score_of_a_calibrated_model_is_standard_normal():
    # 1000 data sets: mean 0 ± 3·.032, variance 1 ± 3·.045
    model = TemperatureModel(0.5, 4)
    z = [direction(Predictions(*model.sample(100, rng=seed))).z for seed in range(1000)]
    assert abs(np.mean(z)) < 3 * 0.032
    assert abs(np.var(z) - 1.0) < 3 * 0.045
