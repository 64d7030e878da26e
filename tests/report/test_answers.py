"""The answers of the first screen: on models whose truth is known, none contradicts another."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import calibrant as cal
from calibrant._output import estimate_text
from calibrant.methods import family_names
from calibrant.report._answers import QUESTIONS, _compare_with, _LargestError, _share, answer
from calibrant.report._tables import component_table

from .conftest import FEW

pytestmark = pytest.mark.slow


@cache
def shifted():
    """Every probability is 0.20 too low."""
    rng = np.random.default_rng(0)
    truth = rng.uniform(0.25, 0.95, 4000)
    return cal.Predictions((rng.random(4000) < truth).astype(int), truth - 0.2)


@cache
def class_shift():
    """Of ten classes one is more frequent than predicted."""
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.full(10, 0.5), 2000)
    truth = p * np.exp(np.arange(10) == 3)
    truth /= truth.sum(axis=1, keepdims=True)
    y = (rng.random((2000, 1)) > truth.cumsum(axis=1)).sum(axis=1).clip(0, 9)
    return cal.Predictions(y, p)


@cache
def conflicting():
    """Too moderate in the middle, far too sure at the ends."""
    rng = np.random.default_rng(0)
    p = rng.uniform(0.15, 0.85, 4000)
    truth = 1.0 / (1.0 + np.exp(-1.8 * np.log(p / (1.0 - p))))
    sure = np.arange(4000) < 1200
    p = np.where(sure, np.where(p < 0.5, 1e-5, 1.0 - 1e-5), p)
    truth = np.where(sure, np.where(p < 0.5, 0.075, 0.925), truth)
    return cal.Predictions((rng.random(4000) < truth).astype(int), p)


def result_of(data):
    return cal.calibration_test(data, method=cal.methods.Aggregated(FEW), rng=0)


def ask(data, repair=None, limit=None, **options):
    places = cal.where(data, n_resamples=FEW, rng=0, **options)
    return answer(result_of(data), places, repair, limit)


def test_every_question_has_an_answer():
    answers = ask(cal.Predictions(*cal.models.M1(3).sample(100, rng=0)))
    assert [question for question, _ in answers.items()] == list(QUESTIONS.values())
    assert all(text for _, text in answers.items())


def test_a_shift_is_told_in_percentage_points():
    answers = ask(shifted())
    assert "class 1 is predicted too rarely" in answers.calibrated
    assert answers.size.startswith("Typically 20 [19, 22] percentage points. When it said ")
    assert answers.ship == ("Not unless errors of up to 22 percentage points are acceptable.")


def test_the_bias_of_a_class_is_not_hidden_by_the_predicted_label():
    data = class_shift()
    result, answers = result_of(data), ask(data)
    effect = result.effects["bias"]
    assert result.headline is effect
    assert result.upper_bound() < 0.08  # of the predicted label
    size = estimate_text(-100 * effect.estimate, -100 * effect.interval.high,
                         -100 * effect.interval.low, 2)  # fmt: skip
    assert f"Class 3 occurs more often than predicted, by {size} percentage points" in answers.size
    largest = f"{-100 * effect.interval.low:.2g} percentage points"
    assert f"{largest} for class 3 are acceptable" in answers.ship
    # the limit is one of the predicted label for `within`, and the report says what exceeds it
    assert result.within(0.08)
    assert f"the bias of class 3 may be up to {largest}" in ask(data, limit=0.08).ship


def test_a_clear_bias_counts_also_where_the_verdict_is_about_something_else():
    # a tenth of the labels is class 0, whatever was predicted
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.full(10, 0.1), 1000)
    truth = 0.9 * p + 0.1 * (np.arange(10) == 0)
    y = (rng.random((1000, 1)) > truth.cumsum(axis=1)).sum(axis=1).clip(0, 9)
    data = cal.Predictions(y, p)
    result, answers = result_of(data), ask(data)
    assert result.headline.name == "temperature"
    largest = -result.effects["bias"].interval.low
    assert largest > result.upper_bound()
    assert f"errors of up to {100 * largest:.2g} percentage points" in answers.ship


def test_conflicting_directions_name_no_direction():
    answers = ask(conflicting())
    assert "conflicting: under-confident by the Brier score" in answers.calibrated
    assert answers.size.startswith("Typically ")
    assert "confident" not in answers.size + answers.where + answers.ship
    result = result_of(conflicting())
    assert result.headline is result.effects["rmsce"]


def test_regions_of_the_opposite_direction_are_named_and_not_the_example():
    # moderate predictions are too moderate, confident ones far too confident
    rng = np.random.default_rng(3)
    p = rng.dirichlet([1, 1, 1], 2500)
    truth = np.where((p.max(axis=1) < 0.8)[:, None], p**2, p**0.4)
    truth /= truth.sum(axis=1, keepdims=True)
    y = (rng.random((2500, 1)) > truth.cumsum(axis=1)).sum(axis=1).clip(0, 2)
    answers = ask(cal.Predictions(y, p))
    assert "the predictions are under-confident" in answers.calibrated
    assert "The error has the opposite direction for confidence in (0.7" in answers.where
    said, right = (int(text.split(" %")[0][-2:]) for text in answers.size.split("right"))
    assert said < right


@pytest.mark.parametrize("tau", [0.6, 1.6])
@pytest.mark.parametrize("m", [2, 4])
def test_one_direction_everywhere_needs_no_remark(m, tau):
    data = cal.models.TemperatureModel(0.7, m, temperature=tau).sample(3000, rng=m)
    answers = ask(cal.Predictions(*data))
    assert "stand out" in answers.where
    assert "opposite" not in answers.where


def test_an_error_that_may_be_near_0_is_bounded():
    rng = np.random.default_rng(5)
    p = rng.beta(0.2, 20, 5000)
    data = cal.Predictions((rng.random(5000) < 0.6 * p).astype(int), p)
    result = result_of(data)
    quiet = cal.where(data, n_resamples=FEW, alpha=0.02, rng=0)
    assert not quiet.significant
    tempered = replace(result, details=dict(result.details) | {"component": "log"})
    assert tempered.headline.name == "temperature"
    bound = f"{100 * result.upper_bound():.2g} percentage points"
    assert answer(tempered, quiet, None, None).size == (
        f"The typical error is below {bound} (95 % confidence), and may be much smaller."
    )
    if result.details["component"] == "bias":
        assert answer(result, quiet, None, None).size.startswith("Class 1 occurs less often")


def test_without_evidence_nothing_is_to_be_done():
    data = cal.Predictions(*cal.models.M1(3).sample(200, rng=1))
    answers = ask(data)
    result = result_of(data)
    assert result.headline is None
    bound = f"{100 * result.upper_bound():.2g} percentage points"
    assert (
        answers.size
        == f"No error is shown; with 95 % confidence the typical error is below {bound}."
    )
    assert answers.repair == "Nothing needs repair."
    assert answers.ship == f"Only if errors of up to {bound} are acceptable."


def test_a_place_without_evidence_overall_is_a_hint():
    data = shifted()
    places = cal.where(data, n_resamples=FEW, rng=0)
    quiet = replace(result_of(data), pvalue=0.3)
    assert answer(quiet, places, None, None).where.startswith(
        "Only a hint, without overall evidence"
    )


def test_groups_that_no_common_map_repairs_are_named():
    rng = np.random.default_rng(0)
    site = np.repeat(["north", "south"], 1000)
    p = rng.uniform(0.05, 0.95, 2000)
    y = np.where(site == "south", rng.random(2000) < 0.5, rng.random(2000) < p).astype(int)
    answers = ask(cal.Predictions(y, p), groups={"site": site})
    assert "The largest gap is in site 'south': predicted " in answers.where
    assert "One map for all rows does not suit every site" in answers.repair


def test_a_repair_is_recommended_where_it_helps():
    data = shifted()
    assert ask(data).repair.startswith("Recalibrate: it would lower the log loss by about 0.1")
    found = cal.repair(data, n_resamples=39, rng=0)
    assert ask(data, found).repair.startswith(found.verdict)


def test_a_second_test_of_the_same_model_is_not_quoted():
    # a repair tests some of many rows, and may find by chance what the test of all does not
    data = cal.Predictions(*cal.models.M1(3).sample(300, rng=1))
    found = cal.repair(data, n_resamples=39, rng=0)
    assert found.is_identity
    alarmed = replace(found, checks=(replace(found.checks[0], pvalue=0.05),))
    assert "p = 0.05" in alarmed.verdict
    assert ask(data, alarmed).repair == "Leave it as it is: no candidate helps."
    few = cal.Predictions(*cal.models.M1(3).sample(20, rng=1))
    assert ask(few, cal.repair(few, n_resamples=39, rng=0)).repair == (
        "Leave it as it is: 20 rows are too few to fit a repair."
    )


@pytest.mark.parametrize(
    ("low", "high", "begins"),
    [(0.0, 0.02, "Yes: "), (0.04, 0.06, "No: "), (0.02, 0.05, "Not shown: ")],
)
def test_a_limit_decides(low, high, begins):
    said = _compare_with(0.03, _LargestError(low, high))
    assert said.startswith(f"{begins}the typical error ")


@pytest.mark.parametrize(
    ("probability", "text"),
    [(0.0, "0 %"), (0.904, "90 %"), (1.0, "100 %"), (0.9961, "99.6 %"), (0.99977, "99.98 %"),
     (0.0004, "0.04 %"), (1e-10, "nearly 0 %"), (1.0 - 1e-10, "nearly 100 %")],
)  # fmt: skip
def test_shares_are_told_from_certainty(probability, text):
    assert _share(probability) == text


@pytest.mark.parametrize(("n_classes", "name"), [(2, "in parts of its range"), (3, "locally")])
def test_the_parts_of_the_test_have_the_names_that_the_verdict_uses(n_classes, name):
    table = component_table({"components": {"confidence": 0.5}, "approximate_tails": {}}, n_classes)
    assert table.rows == ((family_names(n_classes)["confidence"], "0.5"),)
    assert name in table.rows[0][0]


def test_clusters_that_depend_ask_for_more_of_them():
    rng = np.random.default_rng(0)
    y, p = (np.repeat(x, 10, axis=0) for x in cal.models.M1(3).sample(60, rng=rng))
    rows = cal.Predictions(y, p, clusters=np.repeat(np.arange(60), 10))
    enough = dict(ask(rows).items())[QUESTIONS["rows"]]
    assert enough.startswith("No: rows in clusters like these reveal temperatures above ")
    assert "No number of rows" not in enough


def test_the_example_is_a_region_that_is_off():
    # another region is too extreme, and as often right as predicted
    answers = ask(cal.demo.load_digits_predictions()["neural_network"].one_vs_rest(8))
    assert "3 of 6 classes and regions stand out" in answers.where
    assert "When it said 0.0006 % on average (175 rows), class 8 occurred 0.6 %" in answers.size


def test_the_top_label_is_right_or_wrong():
    data = cal.demo.load_digits_predictions()["neural_network"].top_label()
    answers = ask(data)
    assert "it was right 80 % of the time" in answers.size
    places = cal.where(data, n_resamples=FEW, rng=0)
    assert {one.target for one in places.findings} == {None}
    assert {one.direction for one in places.significant} == {"over-confident"}
    titles = {one.title for one in places.significant}
    assert "the predicted label" in titles
    assert any(title.startswith("confidence in") for title in titles)
    assert list(places.tables) == ["classes", "regions of confidence"]
