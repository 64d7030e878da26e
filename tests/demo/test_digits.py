"""The bundled predictions are small and demonstrate what they should."""

from importlib.resources import files

import numpy as np
import pytest

import calibrant as cal
from calibrant.demo import STORIES, load_digits_predictions
from calibrant.effects import temperature


@pytest.fixture(scope="module")
def models():
    return load_digits_predictions()


def test_the_file_is_small():
    assert len(files("calibrant.demo").joinpath("digits.npz").read_bytes()) < 200_000


def test_all_models_predict_the_same_rows(models):
    assert set(models) == set(STORIES)
    for predictions in models.values():
        assert predictions.y_prob.shape == (797, 10)
        assert np.array_equal(predictions.y_true, models["random_forest"].y_true)


@pytest.mark.parametrize(
    ("name", "evidence", "low", "high"),
    [
        ("logistic_regression", False, 0.85, 1.25),
        ("neural_network", True, 1.6, 2.4),
        ("neural_network_scaled", False, 0.95, 1.4),
        ("random_forest", True, 0.2, 0.35),
    ],
)
def test_the_stories_hold(models, name, evidence, low, high):
    result = cal.calibration_test(models[name], rng=0, effects=False)
    assert (result.pvalue <= 0.05) == evidence
    interval = temperature(models[name]).interval
    assert low < interval.low
    assert interval.high < high


def test_the_repair_changes_no_decision(models):
    raw, scaled = models["neural_network"], models["neural_network_scaled"]
    assert np.array_equal(raw.y_prob.argmax(axis=1), scaled.y_prob.argmax(axis=1))
