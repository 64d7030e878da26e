"""One list of measures for the command line and for reports."""

import numpy as np
import pytest

import calibrant as cal
from calibrant import _measures
from calibrant._measures import TOP_ECE, every_measure, measured, noise_floor
from calibrant._resampling import LabelResampler


@pytest.fixture(scope="module")
def predictions():
    return cal.Predictions(*cal.models.TemperatureModel(0.5, 3, temperature=2.0).sample(60, rng=0))


def test_names_are_told_once_and_values_are_those_of_the_errors(predictions):
    measures = every_measure(bins=4, bandwidth=0.3)
    names = [measure.name for measure in measures]
    assert len(set(names)) == len(names)
    found = {effect.name: effect for effect in measured(predictions, measures)}
    assert found["skce"].estimate == cal.SKCE(cal.kernels.Laplacian(0.3))(predictions)
    assert found["mce"].estimate == cal.MCE(cal.binning.Uniform(4))(predictions)
    assert found["ece"].estimate == cal.ECE(cal.binning.Uniform(15))(predictions.top_label())
    assert all(effect.meaning and not effect.details for effect in found.values())


def test_a_noise_floor_is_the_error_of_drawn_labels(predictions, monkeypatch):
    resampler = LabelResampler(seed=1)
    top = predictions.top_label()
    null = TOP_ECE.error.over_labels(top, resampler.labels(top.y_prob, range(29)))
    effect = TOP_ECE.effect(predictions, n_resamples=29, resampler=resampler)
    floor = effect.details["noise_floor"]
    assert floor["mean"] == pytest.approx(np.mean(null), rel=1e-12)
    assert effect.details["excess"] == effect.estimate - floor["mean"]
    monkeypatch.setattr(_measures, "LABEL_BYTES", 180)  # three label sets at a time
    again = noise_floor(TOP_ECE.error, top, resampler, 29)
    assert again.to_dict() == floor


def test_progress_is_told(predictions):
    told = []
    chosen = every_measure()[3:5]
    measured(predictions, chosen, progress=lambda *step: told.append(step))
    assert told == [(1, 2), (2, 2)]
