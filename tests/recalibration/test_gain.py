"""What a repair gains: honest out of fold, chosen without the labels it is judged by."""

import math

import numpy as np
import pytest

import calibrant as cal
from calibrant import Predictions
from calibrant.models import Distorted, LogitShift, TemperatureModel
from calibrant.recalibration import (
    RepairGain,
    Temperature,
    VectorScaling,
    assign_folds,
    repair_gain,
)


def sample(n=400, m=3, temperature=2.0, seed=0):
    return Predictions(*TemperatureModel(0.5, m, temperature=temperature).sample(n, rng=seed))


def label_losses(table, y):
    return -np.log(table[np.arange(len(y)), y])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("m", [2, 4])
def test_each_fold_is_repaired_by_the_map_of_the_others(m, weighted):
    rows = sample(m=m)
    if weighted:
        w = np.random.default_rng(1).random(len(rows)) + 0.5
        rows = Predictions(rows.y_true, rows.y_prob, sample_weight=w)
    gain, folds = repair_gain(rows), assign_folds(rows.y_true)
    maps = {one.name: one for one in (Temperature(), VectorScaling())}
    np.testing.assert_allclose(gain.before, label_losses(rows.y_prob, rows.y_true), rtol=1e-9)
    for fold in range(10):
        own = folds == fold
        fitted = maps[gain.maps[fold]].fit_predictions(rows.take(~own))
        expected = label_losses(fitted.predict_proba(rows.y_prob[own]), rows.y_true[own])
        np.testing.assert_allclose(gain.after[own], expected, rtol=1e-6)


def test_labels_of_a_fold_do_not_reach_its_repair():
    rows = sample()
    folds = assign_folds(rows.y_true)
    changed = rows.y_true.copy()
    first, *others = np.flatnonzero(folds == 3)
    changed[others] = (changed[others] + 1) % 3
    one = repair_gain(rows, folds=folds)
    two = repair_gain(rows.with_labels(changed), folds=folds)
    assert one.maps[3] == two.maps[3]
    assert two.after[first] == pytest.approx(one.after[first], rel=1e-7)
    assert two.after[folds == 4] != pytest.approx(one.after[folds == 4], rel=1e-4)


def test_gain_of_a_known_temperature():
    # truth ∝ p^(1/2): the loss of a row is the Kullback–Leibler divergence from truth to p
    y, p = TemperatureModel(0.5, 4, temperature=2.0).sample(20_000, rng=1)
    truth = cal.models.temperature_scale(p, 2.0)
    expected = float(np.mean(np.sum(truth * np.log(truth / np.maximum(p, 1e-300)), axis=1)))
    gain = repair_gain(Predictions(y, p)).rows
    assert abs(gain.mean() - expected) < 4 * gain.std() / math.sqrt(len(gain))


def test_shifted_class_odds_call_for_a_slope_and_intercept_of_each_class():
    shifted = Distorted(1.0, 3, truth=LogitShift([0.8, 0.0, 0.0]))
    gain = repair_gain(Predictions(*shifted.sample(1000, rng=0)))
    assert set(gain.maps) == {"vector scaling"}
    assert set(repair_gain(sample()).maps) == {"temperature"}


def test_optimism_is_a_parameter_per_row():
    # calibrated rows: one temperature is fitted, k = 1. 60 data sets of 300 rows: the mean of
    # n times the optimism is known to about .03
    found = [300 * repair_gain(sample(300, temperature=1.0, seed=s)).optimism for s in range(60)]
    assert np.mean(found) == pytest.approx(1.0, abs=0.35)


def test_null_error_in_closed_form():
    zeros = np.zeros(2)
    one, two = (RepairGain(zeros, zeros, optimism, ()) for optimism in (0.02, 0.06))
    assert one.null_error(50.0) == pytest.approx(math.sqrt(0.01 / 50 + 0.01**2), rel=1e-14)
    expected = math.sqrt((0.01 + 0.03) / 50 + 0.02**2)
    assert one.null_error(50.0, two) == pytest.approx(expected, rel=1e-14)
    assert two.null_error(50.0, one) == pytest.approx(expected, rel=1e-14)


def test_effective_parameters_lie_between_those_of_a_temperature_and_all():
    rows = sample(m=5)
    few, many = (
        VectorScaling(penalty).effective_parameters(VectorScaling(penalty).fit_predictions(rows),
                                                    rows)
        for penalty in (1e3, 0.0)
    )  # fmt: skip
    assert few == pytest.approx(1.0, abs=0.05)
    assert many == pytest.approx(9.0, abs=0.01)


def test_impossible_labels_have_a_finite_loss():
    gain = repair_gain(Predictions([0, 1] * 15, [0.0, 1.0] * 14 + [1.0, 0.0]))
    assert gain.before.max() == pytest.approx(-math.log(1e-12), rel=1e-6)
    assert np.isfinite(gain.after).all()
