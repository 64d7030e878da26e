"""The calibration loss: what a cross-fitted repair gains."""

import numpy as np
import pytest

from calibrant import Predictions
from calibrant.demo import load_digits_predictions
from calibrant.effects import calibration_loss, find_measure, log_loss
from calibrant.effects._repair_gain import RepairGain, learn
from calibrant.models import M1, Distorted, LogitShift, TemperatureModel
from calibrant.recalibration import Temperature, assign_folds

WORDS = find_measure("calibration_loss")


def test_the_gain_of_a_temperature_is_that_of_the_plain_loop():
    y, p = TemperatureModel(0.5, 3, temperature=2.0).sample(200, rng=0)
    folds, gains = assign_folds(len(y), 10), np.empty(200)
    for k in range(10):
        fitted = Temperature().fit(p[folds != k], y[folds != k])
        inside = folds == k
        q = fitted.predict_proba(p[inside])
        rows = np.arange(inside.sum())
        gains[inside] = np.log(q[rows, y[inside]]) - np.log(p[inside][rows, y[inside]])
    found = calibration_loss(Predictions(y, p))
    assert found.details["temperature"]["estimate"] == pytest.approx(gains.mean(), rel=1e-6)
    assert found.details["maps"] == {"temperature": 10}
    whole = log_loss(Predictions(y, p)).estimate
    assert found.details["refinement"] + found.estimate == pytest.approx(whole, rel=1e-9)


def test_demo_gains_are_the_known_ones():
    # over 40 seeds of the folds, the standard deviation is .001
    models = load_digits_predictions()
    known = {
        "neural_network": 0.0565,
        "neural_network_scaled": 0.0022,
        "random_forest": 0.2983,
        "logistic_regression": 0.0001,
    }
    for name, gain in known.items():
        effect = calibration_loss(models[name])
        assert effect.details["temperature"]["estimate"] == pytest.approx(gain, abs=0.003)
        assert (effect.interval.low > 0) == (name in ("neural_network", "random_forest"))
    words = WORDS.put_into_words(calibration_loss(models["random_forest"]), None)
    assert words.startswith("A repair would lower the log loss by 0.298 [")


def test_a_shift_of_classes_is_repaired_by_a_vector_and_not_by_a_temperature():
    model = Distorted(0.5, 4, truth=LogitShift([1.5, 0.0, 0.0, 0.0]))
    effect = calibration_loss(Predictions(*model.sample(2000, rng=0)))
    assert effect.details["maps"] == {"vector scaling": 10}
    assert effect.interval.low > effect.details["temperature"]["estimate"]
    assert effect.details["brier"]["low"] > 0


def test_two_classes_shifted_are_seen():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.2, 0.8, 1000)
    effect = calibration_loss(Predictions((rng.random(1000) < p + 0.2).astype(int), p))
    assert effect.interval.low > 0.05


def test_nothing_to_gain_is_said():
    effect = calibration_loss(Predictions(*M1(3, 0.5).sample(300, rng=0)))
    assert 0.0 in effect.interval
    assert WORDS.put_into_words(effect, None).startswith("No repair is shown to help")


def test_the_same_rows_give_the_same_number():
    predictions = Predictions(*M1(3, 0.5).sample(300, rng=0))
    assert calibration_loss(predictions) == calibration_loss(predictions)


def test_weights_of_zero_are_absent_rows_and_scale_means_nothing():
    y, p = TemperatureModel(0.5, 3, temperature=2.0).sample(120, rng=0)
    w = np.tile([1.0, 0.0], 60)
    left = calibration_loss(Predictions(y, p, sample_weight=w))
    absent = calibration_loss(Predictions(y[::2], p[::2], sample_weight=np.full(60, 7.0)))
    plain = calibration_loss(Predictions(y[::2], p[::2]))
    for other in (left, absent):
        assert other.estimate == pytest.approx(plain.estimate, rel=1e-6)
        assert other.interval.high == pytest.approx(plain.interval.high, rel=1e-6)


def test_impossible_labels_are_floored_and_said():
    y, p = M1(2, 0.5).sample(50, rng=0)
    p[0] = [1.0, 0.0] if y[0] else [0.0, 1.0]
    effect = calibration_loss(Predictions(y, p))
    assert effect.note == "1 label of probability 0 taken as 1e-12"
    assert np.isfinite(effect.estimate)


@pytest.mark.slow
def test_very_many_rows_have_two_halves_and_the_same_answer():
    y, p = TemperatureModel(0.5, 3, temperature=1.5).sample(60_000, rng=0)
    many = calibration_loss(Predictions(y, p))
    assert sum(many.details["maps"].values()) == 2
    few = calibration_loss(Predictions(y[:20_000], p[:20_000]))
    assert sum(few.details["maps"].values()) == 10
    assert many.estimate == pytest.approx(few.estimate, abs=3 * few.standard_error)


def test_no_row_takes_part_in_its_own_map():
    model = Distorted(0.5, 3, truth=LogitShift([1.0, 0.0, 0.0]))
    predictions = Predictions(*model.sample(300, rng=1))
    folds, gain = assign_folds(predictions.n_samples, 10), RepairGain.of(predictions)
    for k in (0, 9):
        fitted, inside = learn(predictions.take(folds != k)).chosen, np.flatnonzero(folds == k)
        y, p = predictions.y_true[inside], predictions.y_prob[inside]
        q, rows = fitted.predict_proba(p), np.arange(len(inside))
        expected = np.log(q[rows, y] / p[rows, y])
        np.testing.assert_allclose(gain.chosen[0, inside], expected, atol=1e-6)
