"""The smooth calibration error: its definition as a loop, published values, closed forms."""

import csv
import math

import numpy as np
import pytest
from scipy.integrate import trapezoid
from tests.samples import make_sample

from calibrant import Parallel, Predictions, SmoothECE


def literal(p, y, sigma, w=None, n_points=4001):
    """∫|Σ w K_σ(t, s)(c − s)|dt/Σw with a Gaussian cut at ±1/2, reflected once at both ends."""
    w = np.ones(len(p)) if w is None else w
    t = np.linspace(0.0, 1.0, n_points)
    mass = math.erf(0.5 / sigma / math.sqrt(2.0))
    total = np.zeros(n_points)
    for s, c, weight in zip(p, y, w, strict=True):
        for mirror in (s, -s, 2.0 - s):
            distance = np.abs(t - mirror)
            kernel = np.exp(-0.5 * (distance / sigma) ** 2) / (
                sigma * math.sqrt(2 * math.pi) * mass
            )
            total += weight * (c - s) * np.where(distance <= 0.5, kernel, 0.0)
    return trapezoid(np.abs(total), t) / np.sum(w)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_the_error_is_the_width_at_which_the_smoothed_error_equals_it(seed, weighted):
    sample = make_sample(seed, 60, 2)
    w = sample.w if weighted else None
    error = SmoothECE()(sample.y, sample.P, sample_weight=w)
    assert literal(sample.P[:, 1], sample.y, error, w) == pytest.approx(error, rel=2e-4)


def test_reflections_keep_what_lies_near_the_ends():
    p, y = np.array([0.001, 0.999, 0.002]), np.array([1, 0, 0])
    error = SmoothECE()(y, p)
    assert literal(p, y, error, n_points=40_001) == pytest.approx(error, rel=1e-3)


def test_a_constant_prediction_is_off_by_its_distance_from_the_frequency():
    # K integrates to 1: |Σ(c − s)|/n for every σ
    assert SmoothECE()([1, 1, 0, 0], [0.8] * 4) == pytest.approx(0.3, abs=1e-9)
    assert SmoothECE()([1, 1, 0, 0], [0.5] * 4) < 1e-12


def test_published_values(shared):
    # relplot 1.0.3, which rounds to a grid: 2e-3 (ORACLES, section 9)
    p = (np.arange(200) + 0.5) / 200
    assert SmoothECE()((np.arange(200) % 3 == 0).astype(int), p) == pytest.approx(0.23516, abs=2e-3)
    with (shared / "data" / "precip_niamey_2016.csv").open() as file:
        rows = list(csv.DictReader(file))
    y = [int(float(row["obs"])) for row in rows]
    for name, value in {"Logistic": 0.0559, "EMOS": 0.0595}.items():
        assert SmoothECE()(y, [float(row[name]) for row in rows]) == pytest.approx(value, abs=2e-3)


def test_more_than_two_classes_are_seen_through_the_predicted_label(ternary):
    predictions = Predictions(ternary.y, ternary.P)
    assert SmoothECE()(predictions) == SmoothECE()(predictions.top_label())


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_label_sets_give_what_each_of_them_gives(ternary, n_jobs):
    predictions = Predictions(ternary.y, ternary.P, sample_weight=ternary.w)
    labels = np.random.default_rng(0).integers(3, size=(40, len(ternary.y)))
    found = SmoothECE().over_labels(predictions, labels, Parallel(n_jobs))
    assert found.tolist() == [SmoothECE()(predictions.with_labels(row)) for row in labels]


def test_close_predictions_have_close_errors():
    # bins would jump by 0.5 here: 0.5 lies on the edge of two of them
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=500)
    p = np.where(y == 1, 0.5, 0.5 + 1e-9)
    assert SmoothECE()(y, p) == pytest.approx(SmoothECE()(y, np.full(500, 0.5)), abs=1e-6)
