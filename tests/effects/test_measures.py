"""One table of measures for tests, the command line, gates and reports."""

import math

import numpy as np
import pytest

import calibrant as cal
from calibrant._engine import LabelResampler
from calibrant.effects import MEASURES, Effect, Interval, arrange, find_measure, measure_all

ECE = find_measure("ece")


@pytest.fixture(scope="module")
def predictions():
    return cal.Predictions(*cal.models.TemperatureModel(0.5, 3, temperature=2.0).sample(60, rng=0))


def test_names_are_told_once_and_values_are_those_of_the_errors(predictions):
    measures = [measure.adjusted(bins=4, bandwidth=0.3) for measure in MEASURES]
    names = [measure.name for measure in measures]
    assert len(set(names)) == len(names)
    found = {effect.name: effect for effect in measure_all(predictions, measures)}
    assert list(found) == names
    assert found["skce"].estimate == cal.SKCE(cal.kernels.Laplacian(0.3))(predictions)
    assert found["mce"].estimate == cal.MCE(cal.binning.Uniform(4))(predictions)
    assert "4 bins" in found["mce"].meaning
    assert found["ece"].estimate == cal.ECE(cal.binning.Uniform(15))(predictions.top_label())
    assert found["accuracy"] == cal.effects.accuracy(predictions)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.name)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_row_of_the_table_holds(measure, n_classes):
    model = cal.models.TemperatureModel(0.5, n_classes, temperature=2.0)
    predictions = cal.Predictions(*model.sample(60, rng=0))
    effect = measure.measure(predictions)
    assert effect.name == measure.name
    assert effect.meaning == measure.describe(predictions)
    assert measure.range[0] <= effect.estimate <= measure.range[1]
    assert effect.interval.is_known == (measure.has_interval and measure.effect is not None)
    assert (measure.effect is not None) + (measure.estimator is not None) == 1 + (
        measure.name == "rps"  # a mean with an interval, which can also be tested
    )
    words = measure.put_into_words(effect, None)
    assert words.endswith(".")
    assert not set("{}") & set(words + effect.meaning)
    event = "P(class 1)" if n_classes == 2 else "the predicted label"
    if n_classes > 2 and measure.name in ("bias", "intercept"):
        event = "the worst class"
    assert effect.details.get("event") == (event if "{event}" in measure.title else None)


def test_chance_is_put_into_words_where_it_is_known(predictions):
    effect = ECE.measure(predictions, n_resamples=19, resampler=LabelResampler(0))
    assert "A calibrated model would show" in ECE.put_into_words(effect, effect.noise_floor)


def test_the_size_of_an_error_is_what_is_left_of_its_square(predictions):
    effect = ECE.measure(predictions, n_resamples=19, resampler=LabelResampler(0))
    floor = effect.noise_floor.mean
    assert effect.estimate > floor
    size = math.sqrt(effect.estimate**2 - floor**2)
    assert effect.details["size"] == pytest.approx(size, rel=1e-12)
    assert f"without chance about {size:.3g} is left" in ECE.put_into_words(
        effect, effect.noise_floor
    )
    skce = find_measure("skce")
    assert not skce.adds_in_squares  # unbiased: its floor is 0


def test_a_noise_floor_is_the_error_of_drawn_labels(predictions, limit):
    resampler = LabelResampler(seed=1)
    labels = resampler.labels(predictions.y_prob, range(29))
    null = [ECE.estimator(predictions.with_labels(row.astype(np.int64))) for row in labels]
    effect = ECE.measure(predictions, n_resamples=29, resampler=resampler)
    floor = effect.details["noise_floor"]
    assert floor["mean"] == pytest.approx(np.mean(null), rel=1e-12)
    assert effect.details["excess"] == effect.estimate - floor["mean"]
    limit(label_bytes=180)  # three label sets at a time
    again = ECE.measure(predictions, n_resamples=29, resampler=resampler)
    assert again.details["noise_floor"] == floor


def test_progress_is_told(predictions):
    told = []
    measure_all(predictions, MEASURES[3:5], progress=lambda *step: told.append(step))
    assert told == [(1, 2), (2, 2)]


def test_an_effect_that_is_not_in_the_table_is_kept():
    names = ["log_loss", "unheard_of", "temperature"]
    effects = {n: Effect(n, math.nan, Interval.unknown(), "") for n in names}
    assert list(arrange(effects)) == ["temperature", "log_loss", "unheard_of"]


def test_a_test_reports_every_measure_that_belongs_to_it(predictions):
    result = cal.calibration_test(predictions, method=cal.methods.Aggregated(19), rng=0)
    assert list(result.effects) == [one.name for one in MEASURES if one.goes_with_test(predictions)]
    assert "rps" not in result.effects
