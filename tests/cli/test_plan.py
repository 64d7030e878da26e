"""`calibrant plan`, the measures shown, and gates that catch errors in every direction."""

import re
from pathlib import Path

import pytest

import calibrant as cal
from calibrant.effects import MEASURES
from calibrant.io import write_predictions
from calibrant.models import Distorted, LogitShift, TemperatureModel


@pytest.fixture(autouse=True)
def _few_simulations(limit):
    limit(simulation_rounds=(20, 20))


def test_a_plan_is_that_of_the_library(document, raw):
    found = document("plan", raw, "--temperature", "2", "--power", "0.7", "--seed", "3")
    rows = cal.io.read_predictions(raw).predictions
    plan = cal.rows_needed(rows, temperature=2.0, power=0.7, rng=3)
    assert found["result"] == plan.to_dict()
    assert found["input"]["n_samples"] == 200


def test_a_described_model_needs_no_file(document, run):
    options = ("plan", "--bias", "-0.1", "--n-classes", "3", "--confidence", "0.6")
    found = document(*options)
    assert found["input"] is None
    assert found["result"]["n_classes"] == 3
    assert found["result"]["size"] == -0.1
    page = run(*options).stdout
    assert "predicted too rarely" in page
    assert "3 classes, mean confidence 0.6" in page


def test_a_class_is_named_as_in_the_file(document, raw):
    found = document("plan", raw, "--bias", "0.1", "--class", "2")
    assert "class 2 predicted too often" in found["result"]["description"]


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        ((), 2, "say what to detect"),
        (("--temperature", "1.1", "--bias", "0.1"), 2, "say what to detect"),
        (("--temperature", "1"), 2, "are not errors"),
        (("--bias", "0.1", "--class", "a"), 2, "--class needs --bias and a FILE"),
        (("--temperature", "1.1", "--confidence", "0.4"), 2, "must be above 1/2"),
        (("--temperature", "1.1", "--power", "0.01"), 4, "`power` must be above `alpha`"),
        (("--bias", "0.9"), 4, "must leave a frequency between 0 and 1"),
    ],
)
def test_plans_that_make_no_sense_are_refused(run, options, code, message):
    result = run("plan", *options)
    assert result.exit_code == code
    assert message in result.stderr


def test_a_file_is_not_described_as_well(run, raw):
    result = run("plan", raw, "--temperature", "1.1", "--n-classes", "3")
    assert result.exit_code == 2
    assert "in place of FILE" in result.stderr


def test_measure_shows_the_usual_measures_unless_asked(document, run, raw):
    usual = [one["name"] for one in document("measure", raw)["measures"]]
    assert usual == [one.name for one in MEASURES if one.by_default]
    every = [one["name"] for one in document("measure", raw, "--all")["measures"]]
    assert every == [one.name for one in MEASURES]
    some = document("measure", raw, "--only", "ici", "--only", "hosmer_lemeshow")["measures"]
    assert [one["name"] for one in some] == ["ici", "hosmer_lemeshow"]
    assert run("measure", raw, "--only", "nothing").exit_code == 2


def test_every_estimator_can_be_tested_and_gated_by_name(run, raw):
    for name in ("kuiper", "hosmer-lemeshow", "mcb", "rps"):
        result = run("test", raw, "--estimator", name, "--resamples", "19", "--no-effects")
        assert result.exit_code == 0, result.stderr
    condition = "kuiper.excess>-9 and observed_expected.lo>-1"
    refused = run("gate", raw, "--fail-if", condition, "--resamples", "19")
    assert refused.exit_code == 2  # a ratio is never below 0
    condition = "kuiper.excess>-9 and observed_expected.lo>0.1 and mcb<1"
    assert run("gate", raw, "--fail-if", condition, "--resamples", "19").exit_code == 1


def test_the_upper_bound_is_a_number_of_the_gate(document, run, raw):
    found = document("gate", raw, "--fail-if", "bound>0.01", "--resamples", "99", exit_code=1)
    result = cal.calibration_test(
        cal.io.read_predictions(raw).predictions, method=cal.methods.Aggregated(99), rng=0
    )
    assert found["numbers"]["bound"] == result.upper_bound()
    assert run("gate", raw, "--fail-if", "bound>0.9", "--resamples", "19").exit_code == 0
    refused = run("gate", raw, "--fail-if", "bound>3")
    assert refused.exit_code == 2
    assert "Write 0.05, not 5" in refused.stderr


@pytest.mark.parametrize(
    ("name", "model", "code"),
    [
        ("calibrated", TemperatureModel(1.0, 2, temperature=1.0), 0),
        ("over-confident", TemperatureModel(1.0, 2, temperature=2.5), 1),
        ("under-confident", TemperatureModel(1.0, 2, temperature=0.4), 1),
        ("biased", Distorted(1.0, 2, truth=LogitShift([0.0, 1.0])), 1),
        ("one class of ten biased", Distorted(0.3, 10, truth=LogitShift([1.0, *[0.0] * 9])), 1),
    ],
)
def test_the_condition_of_the_readme_catches_every_direction(run, tmp_path, name, model, code):
    file = tmp_path / "model.csv"
    write_predictions(str(file), cal.Predictions(*model.sample(1000, rng=0)))
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    condition = re.search(r"calibrant gate preds.csv --fail-if '(p<[^']*)'", readme).group(1)
    result = run("gate", file, "--fail-if", condition, "--resamples", "199")
    assert result.exit_code == code, name
