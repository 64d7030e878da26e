"""The result of a calibration test: its contents, its words, and its JSON form."""

import json
import math
import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

import calibrant as cal
from calibrant import CalibrationTestResult
from calibrant.effects import Effect, Interval, NoiseFloor
from calibrant.methods import Aggregated, AsymptoticBlock, Exact, Moments
from calibrant.models import M1, TemperatureModel


@pytest.fixture(scope="module")
def wrong():
    data = TemperatureModel(0.3, 4, temperature=3.0).sample(200, rng=0)
    return cal.calibration_test(*data, method=Aggregated(99), rng=0)


@pytest.fixture(scope="module")
def right():
    return cal.calibration_test(*M1(3, 1.0).sample(100, rng=1), method=Aggregated(99), rng=0)


def minimal(**values):
    given = {
        "estimate": 0.1,
        "statistic": 1.0,
        "pvalue": 0.5,
        "method": "M",
        "estimator": "E",
        "n_samples": 10,
        "n_classes": 3,
    }
    return CalibrationTestResult(**given | values)


def through_json(result):
    return CalibrationTestResult.from_dict(
        json.loads(json.dumps(result.to_dict(), allow_nan=False))
    )


def test_results_are_frozen(wrong):
    with pytest.raises(FrozenInstanceError):
        wrong.pvalue = 0.5


def test_results_are_not_tuples(wrong):
    with pytest.raises(TypeError):
        iter(wrong)
    with pytest.raises(TypeError):
        len(wrong)


def test_truth_is_ambiguous(wrong):
    with pytest.raises(TypeError, match=r"ambiguous; .* `result.reject\(alpha=0.05\)`"):
        bool(wrong)


def test_results_can_be_pickled(wrong):
    copy = pickle.loads(pickle.dumps(wrong))
    assert copy.to_dict() == wrong.to_dict()
    assert copy.method == wrong.method


def test_fields_travel_through_json(wrong):
    copy = through_json(wrong)
    assert copy.to_dict() == wrong.to_dict()
    assert copy.summary() == wrong.summary()
    assert copy.method == "Aggregated(n_resamples=99)"  # defaults are left out
    assert copy.estimator == "SKCE()"
    np.testing.assert_array_equal(copy.null_distribution, wrong.null_distribution)
    assert copy.noise_floor == wrong.noise_floor
    assert copy.effects == wrong.effects
    assert copy.confidence_interval(0.9) == wrong.confidence_interval(0.9)


def test_nan_is_none_in_json_and_comes_back():
    result = minimal(estimate=math.nan, statistic=math.nan, details={"a": math.nan, "b": [1.5]})
    table = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert (table["estimate"], table["statistic"]) == (None, None)
    assert table["details"] == {"a": None, "b": [1.5]}
    copy = CalibrationTestResult.from_dict(table)
    assert math.isnan(copy.estimate)
    assert math.isnan(copy.statistic)
    assert copy.to_dict() == result.to_dict()


@pytest.mark.parametrize("value", [math.inf, -math.inf])
def test_infinite_statistics_come_back(value):
    # equal blocks of negative estimates have the statistic −∞
    assert through_json(minimal(statistic=value)).statistic == value


@pytest.mark.parametrize(
    ("method", "n"),
    [
        (Aggregated(19), 2),
        (Exact(19), 2),
        (Moments(), 2),
        (Aggregated(19), 3),
        (Moments(), 3),
        (AsymptoticBlock(), 4),
    ],
)
def test_small_results_travel_too(method, n):
    result = cal.calibration_test(*M1(3, 1.0).sample(n, rng=0), method=method, rng=0)
    copy = through_json(result)
    assert copy.to_dict() == result.to_dict()
    assert copy.summary() == result.summary()


def test_other_tables_are_refused():
    table = minimal().to_dict()
    del table["pvalue"]
    with pytest.raises(ValueError, match=r"missing \['pvalue'\], unknown \['p'\]"):
        CalibrationTestResult.from_dict(table | {"p": 0.5})


def test_summary_speaks_of_evidence_component_and_direction(wrong):
    text = wrong.summary()
    assert wrong.verdict.startswith(
        "Evidence against calibration: p ≤ 0.01; the predictions are over-confident: temperature "
    )
    assert text.splitlines()[0] == wrong.verdict
    assert f"driven by: {wrong.details['component_name']}" in wrong.highlights
    assert f"driven by         {wrong.details['component_name']}" in text
    assert "200 rows, 4 classes" in text
    assert "default: exact, 99 label sets" in text
    assert "temperature" in text
    assert "a calibrated model would show" in text
    assert str(wrong) == text


def test_no_evidence_names_neither_component_nor_direction(right):
    assert right.verdict.startswith("No evidence against calibration: p = ")
    assert "confident" not in right.verdict
    assert not any("driven by" in line for line in right.highlights)


@pytest.mark.parametrize(("alpha", "rejected"), [(0.05, True), (0.01, True), (0.009, False)])
def test_rejection_is_at_an_alpha(alpha, rejected):
    assert minimal(pvalue=0.01).reject(alpha) is rejected
    assert minimal(pvalue=0.01).reject() is True


def test_an_alpha_outside_the_unit_interval_is_refused():
    with pytest.raises(ValueError, match=r"`alpha` must be in \(0, 1\)"):
        minimal().reject(5)


def test_the_repr_fits_on_one_screen(wrong):
    assert len(repr(wrong)) < 800
    assert "null_distribution" not in repr(wrong)


@pytest.mark.parametrize("pvalue", [0.001, 0.05, 0.0501, 1.0])
def test_a_summary_never_says_that_a_model_is_calibrated(wrong, pvalue):
    text = replace(wrong, pvalue=pvalue).summary()
    assert "is calibrated" not in text
    assert text.startswith("Evidence" if pvalue <= 0.05 else "No evidence")


def test_impossible_labels_are_noted():
    result = minimal(details={"impossible_labels": 3})
    [note] = result.notes
    assert note.startswith("3 labels had predicted probability exactly 0")
    assert note.endswith("rounded")
    assert f"note      {note}" in result.summary()
    assert "probability exactly 0" not in minimal(details={"impossible_labels": 0}).summary()


@pytest.mark.parametrize(
    ("over", "under", "words"),
    [
        (1.5, 0.7, "temperatures above 1.5 or below 0.7 with 80 % power"),
        (1.5, None, "temperatures above 1.5 with 80 % power"),
        (None, None, "hardly anything at this size"),
    ],
)
def test_what_could_be_detected_is_said(over, under, words):
    detectable = {"over": over, "under": under, "alpha": 0.05, "power": 0.8}
    assert words in minimal(details={"detectable_temperature": detectable}).summary()


def test_the_noise_floor_stands_beside_the_estimate():
    floor = NoiseFloor.of([0.01, 0.02, 0.03])
    text = minimal(noise_floor=floor).summary()
    assert "E = 0.1; a calibrated model would show 0.02 ± 0.01 here" in text


def test_confidence_interval_is_that_of_the_jackknife():
    effect = Effect("skce", 0.25, Interval(0.1, 0.3), "", 0.05, details={"center": 0.2})
    found = minimal(effects={"skce": effect}).confidence_interval(0.95)
    assert found.low == pytest.approx(0.2 - 1.959964 * 0.05, abs=1e-6)
    assert found.high == pytest.approx(0.2 + 1.959964 * 0.05, abs=1e-6)
    wide = replace(effect, details={"center": 0.2, "null_variance": 1.0})
    assert minimal(effects={"skce": wide}).confidence_interval().high > 2.0


def test_confidence_interval_is_unknown_without_a_jackknife():
    assert not minimal().confidence_interval().is_known
    unknown = Effect("skce", 0.3, Interval.unknown(), "", details={"center": None})
    assert not minimal(effects={"skce": unknown}).confidence_interval().is_known


def test_html_is_escaped():
    html = minimal(estimator="<b>&")._repr_html_()
    assert html.startswith("<strong>No evidence against calibration")
    assert "&lt;b&gt;&amp;" in html
    assert "<b>" not in html
    noted = minimal(pvalue=0.01, details={"caution": "<i>"})._repr_html_()
    assert "&lt;i&gt;" in noted
    assert "<i>" not in noted


@pytest.mark.parametrize(
    ("details", "words"),
    [
        ({"component_name": "any", "n_resamples": 99}, "the p-value accounts for all of them"),
        ({}, "the p-value is that of E alone, which may miss an error that they show"),
    ],
)
def test_only_the_default_test_accounts_for_every_interval(details, words):
    clear = Effect("temperature", 1.5, Interval(1.2, 1.8), "")
    assert words in minimal(effects={"temperature": clear}, details=details).summary()


def test_an_estimate_among_the_effects_is_not_told_again():
    same = Effect("skce", 0.1 + 1e-15, Interval(0.0, 0.2), "")
    assert "E = 0.1" not in minimal(effects={"skce": same}).summary()
    other = replace(same, estimate=0.11)
    assert "E = 0.1" in minimal(effects={"skce": other}).summary()


@pytest.mark.parametrize(("n_classes", "told"), [(2, False), (3, True)])
def test_an_ece_of_all_classes_is_told_apart_from_that_of_the_predicted_label(n_classes, told):
    text = minimal(estimator="ECE()", n_classes=n_classes).summary()
    assert ("ECE() = 0.1 (all classes together)" in text) == told
