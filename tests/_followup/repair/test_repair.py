from dataclasses import replace

import numpy as np
import pytest

import calibrant as cal
from calibrant import Predictions, RepairResult, repair
from calibrant._followup.repair._candidates import refusal
from calibrant._followup.repair._tables import gain_text
from calibrant._output import estimate_text
from calibrant.errors import DataError
from calibrant.models import M1, Distorted, LogitShift, Swap, TemperatureModel
from calibrant.recalibration import (
    BetaScaling,
    ClassPrior,
    ConfidenceCurve,
    DirichletScaling,
    FittedTemperature,
    Identity,
    Isotonic,
    Temperature,
    VectorScaling,
    assign_folds,
    cross_fit,
)

pytestmark = pytest.mark.slow


def over_confident(n=400, m=3, seed=0, **more):
    y, p = TemperatureModel(0.5, m, temperature=2.0).sample(n, rng=seed)
    return Predictions(y, p, **more)


def quick(*data, **options):
    return repair(*data, **{"rng": 0, "n_resamples": 99} | options)


def log_losses(predictions, p):
    return -np.log(p[np.arange(len(p)), predictions.y_true])


def test_changes_are_the_cross_fitted_differences_with_their_standard_error():
    predictions = over_confident()
    result = quick(predictions, candidates=[Temperature()])
    folds = assign_folds(predictions.n_samples, 10, result.details["seed"])
    after = cross_fit(Temperature(), predictions, folds=folds)
    change = log_losses(predictions, after) - log_losses(predictions, predictions.y_prob)
    effect = result.candidates[1].log_loss
    assert effect.estimate == pytest.approx(change.mean(), rel=1e-9)
    assert effect.standard_error == pytest.approx(change.std(ddof=1) / 20, rel=1e-9)
    residuals = np.eye(3)[predictions.y_true] - np.stack([after, predictions.y_prob])
    brier = (residuals**2).sum(axis=2).mean(axis=1)
    assert result.candidates[1].brier.estimate == pytest.approx(brier[0] - brier[1], rel=1e-9)
    np.testing.assert_array_equal(result.repaired.y_prob, after)


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (TemperatureModel(0.5, 3, temperature=2.0), "temperature"),
        (Distorted(0.7, 3, truth=LogitShift([1.0, 0.0, 0.0])), "class prior"),
        (Distorted(0.7, 4, truth=Swap(0, 1, probability=0.5)), "Dirichlet scaling"),
    ],
)
def test_the_family_of_the_error_is_chosen(model, name):
    result = quick(*model.sample(5000, rng=1))
    assert result.chosen == name
    assert result.gain.interval.high < 0.0


def test_the_fitted_temperature_is_the_truth():
    result = quick(over_confident(5000))
    assert isinstance(result.map, FittedTemperature)
    assert result.map.temperature == pytest.approx(2.0, abs=0.15)
    assert "Divide the logits by" in result.verdict
    assert "on unseen rows" in result.verdict


@pytest.mark.slow
def test_a_calibrated_model_is_mostly_left_alone():
    chosen = [quick(*M1(3).sample(300, rng=seed), n_resamples=19).chosen for seed in range(20)]
    # a temperature wins by more than its standard error by chance in about one of six
    assert chosen.count("identity") >= 14


def test_class_frequencies_of_a_calibrated_model_are_left_alone():
    # folds with equal shares of every class would show class priors that they help: 9 of 10 do
    model = TemperatureModel(0.5, 20)
    hits = [
        quick(*model.sample(4000, rng=seed), n_resamples=19, classes=range(20)).chosen
        for seed in range(6)
    ]
    assert hits.count("identity") >= 5


def test_identity_wins_where_nothing_helps():
    result = quick(*M1(3).sample(300, rng=1))
    assert result.is_identity
    assert result.verdict == "Leave it as it is: no candidate helps."
    assert len(result.checks) == 1
    p = M1(3).sample(20, rng=9)[1]
    np.testing.assert_allclose(result.apply(p), p, atol=1e-11)


def test_few_rows_are_said_instead_of_fitted():
    result = quick(over_confident(25))
    assert result.is_identity
    assert result.verdict == "Leave it as it is: 25 rows are too few to fit a repair."
    assert [one.note for one in result.candidates if one.name == "temperature"] == [
        "it needs 30 rows"
    ]


def test_a_gain_that_may_be_noise_is_said_to_be():
    result = quick(*TemperatureModel(0.5, 2, temperature=2.0).sample(50, rng=1))
    assert result.gain.interval.high > 0.0
    assert result.verdict.endswith(" The gain may be noise.")
    assert "noise" not in quick(over_confident()).verdict


def test_weights_count_by_their_effective_number():
    w = np.r_[np.full(29, 1.0), np.full(371, 1e-6)]
    result = quick(over_confident(400, sample_weight=w))
    assert result.candidates[1].note == "it needs 30 rows"


def test_a_class_without_labels_leaves_maps_with_parameters_for_it_out():
    predictions = over_confident(3000)
    result = quick(predictions.take(predictions.y_true < 2))
    notes = {one.name: one.note for one in result.candidates}
    assert notes["temperature"] == ""
    assert notes["vector scaling"] == "no row has the label 2"


def test_rows_without_weight_are_absent():
    predictions = over_confident(300)
    w = (np.arange(300) % 3 > 0).astype(float)
    weighted = Predictions(predictions.y_true, predictions.y_prob, sample_weight=w)
    groups = np.arange(300) % 2
    kept = predictions.take(w > 0)
    one = quick(weighted, groups=groups)
    two = quick(kept, groups=groups[w > 0])
    assert one.gain.estimate == pytest.approx(two.gain.estimate, rel=1e-12)
    changes = [{g.name: g.log_loss.estimate for g in result.groups} for result in (one, two)]
    assert changes[0] == pytest.approx(changes[1])


def test_standard_errors_take_clusters_together():
    predictions = over_confident(200)
    twice = Predictions(np.tile(predictions.y_true, 2), np.tile(predictions.y_prob, (2, 1)))
    clusters = np.tile(np.arange(200), 2)
    result = quick(twice, clusters=clusters, candidates=[Temperature()])
    codes = Predictions(twice.y_true, twice.y_prob, clusters=clusters).clusters
    folds = assign_folds(twice.n_samples, 10, result.details["seed"], codes)
    after = cross_fit(Temperature(), twice, folds=folds)
    change = log_losses(twice, after) - log_losses(twice, twice.y_prob)
    sums = np.bincount(clusters, change - change.mean())
    expected = np.sqrt(200 / 199 * np.sum(sums**2)) / 400
    assert result.candidates[1].log_loss.standard_error == pytest.approx(expected, rel=1e-9)
    assert max(one.n_samples for one in result.checks) == 400
    assert any("the rows of a cluster together" in note for note in result.notes)


def test_groups_show_where_the_map_hurts():
    right, wrong = M1(3).sample(600, rng=0), TemperatureModel(0.5, 3, temperature=4.0)
    y, p = wrong.sample(1800, rng=1)
    groups = np.repeat(["calibrated", "over-confident"], [600, 1800])
    rows = Predictions(np.r_[right[0], y], np.r_[right[1], p])
    result = quick(rows, groups={"site": groups}, candidates=[Temperature()])
    assert [one.name for one in result.groups if one.is_worse] == ["calibrated"]
    assert "the map makes the log loss worse in site calibrated" in result.notes


def test_the_after_tests_are_those_that_are_valid():
    both = ["the model as it is", "the fitted map, on unseen rows", "left beyond this family"]
    assert [one.question for one in quick(over_confident()).checks] == both
    shifted = Distorted(0.7, 3, truth=LogitShift([1.0, 0.0, 0.0])).sample(2000, rng=0)
    for family, questions in (
        (ClassPrior(), both),
        (ConfidenceCurve(VectorScaling()), both),
        (DirichletScaling(), both),
        (VectorScaling(penalty=0.0), both[:2]),
        (ConfidenceCurve(VectorScaling(penalty=0.0)), both[:2]),
        (DirichletScaling(off_diagonal=0.0), both[:2]),
    ):
        result = quick(*shifted, candidates=[family], n_resamples=19)
        assert [one.question for one in result.checks] == questions
    two = TemperatureModel(0.5, 2, temperature=3.0).sample(2000, rng=0)
    for family, questions in ((BetaScaling(), both), (Isotonic(), both[:2])):
        result = quick(*two, candidates=[family], n_resamples=19)
        assert [one.question for one in result.checks] == questions


def test_what_is_left_beyond_a_wrong_family_is_seen():
    y, p = Distorted(0.7, 3, truth=LogitShift([1.0, 0.0, 0.0])).sample(2000, rng=0)
    mixed = TemperatureModel(0.5, 3, temperature=3.0).sample(2000, rng=0)
    rows = Predictions(np.r_[y, mixed[0]], np.r_[p, mixed[1]])
    result = quick(rows, candidates=[ClassPrior()])
    assert result.after.question == "left beyond this family"
    assert result.after.pvalue <= 0.01
    assert "there is still evidence against calibration" in result.verdict


def test_the_same_seed_gives_the_same_result_on_any_number_of_threads():
    predictions = over_confident()
    one, two = (quick(predictions, n_jobs=jobs).to_dict() for jobs in (1, 2))
    assert one == two


def test_two_classes_have_their_own_candidates():
    rng = np.random.default_rng(0)
    p = rng.random(8000)
    result = quick(Predictions(rng.random(8000) < p**3, p))
    assert [one.name for one in result.candidates][-2:] == ["beta scaling", "isotonic"]
    assert result.chosen == "beta scaling"
    np.testing.assert_allclose(result.apply([0.5])[0, 1], 0.125, atol=0.03)


@pytest.mark.parametrize(
    ("n", "first", "fitted"),
    [(900, "temperature", False), (1500, "temperature", True), (2000, "vector scaling", True)],
)
def test_a_curve_comes_after_the_most_that_the_rows_allow(n, first, fitted):
    y, p = TemperatureModel(0.3, 10, temperature=1.5).sample(n, rng=0)
    curves = [one for one in quick(y, p).candidates if "curve" in one.name]
    assert [one.name for one in curves] == [f"{first} + confidence curve"]
    assert curves[0].note == ("" if fitted else "it needs 1,000 rows")


def test_behind_a_lens_the_event_is_repaired():
    predictions = over_confident(2000).one_vs_rest(1)
    result = quick(predictions)
    assert result.gain.estimate < 0.0
    assert result.calibrator.classes == predictions.classes


def test_labels_of_probability_0_are_told_and_do_not_decide():
    y, p = TemperatureModel(0.5, 3, temperature=1.5).sample(3000, rng=0)
    rounded = p.round(2)
    rounded /= rounded.sum(axis=1, keepdims=True)
    exact, coarse = (quick(y, y_prob=table, candidates=None) for table in (p, rounded))
    assert coarse.details["impossible_labels"] > 0
    assert any("had predicted probability 0" in note for note in coarse.notes)
    assert coarse.details["floor"] > 1e-3 / 3 - 1e-12
    assert exact.chosen == coarse.chosen == "temperature"
    # rounding to two digits hides the tails, but no longer decides the temperature
    assert coarse.map.temperature == pytest.approx(exact.map.temperature, abs=0.15)


def test_objects_in_the_style_of_scikit_learn_take_part():
    class Sharpen:
        def fit(self, P, y):
            return self

        def predict_proba(self, P):
            return np.sqrt(P) / np.sqrt(P).sum(axis=1, keepdims=True)

    result = quick(over_confident(2000), candidates=[Sharpen()])
    assert result.chosen == "Sharpen"
    p = over_confident(5, seed=3).y_prob
    np.testing.assert_allclose(result.apply(p), Sharpen().predict_proba(p))
    with pytest.raises(TypeError, match="cannot be written to a file"):
        result.to_json()
    assert result.to_dict()["calibrator"] is None


def test_a_result_survives_json_and_its_file_is_read_back(tmp_path):
    result = quick(over_confident())
    assert RepairResult.from_dict(result.to_dict()).to_dict() == result.to_dict()
    result.to_json(tmp_path / "calibrator.json")
    loaded = cal.recalibration.load(tmp_path / "calibrator.json")
    p = over_confident(30, seed=5).y_prob
    np.testing.assert_array_equal(loaded.apply(p), result.apply(p))
    assert loaded.evidence["tests"][0]["question"] == "the model as it is"
    assert loaded.evidence["log_loss_change"]["estimate"] == result.gain.estimate
    assert loaded.fingerprint.startswith("blake2b:")


def test_a_frame_has_one_row_for_each_candidate():
    frame = quick(over_confident()).to_frame("pandas")
    assert frame["candidate"].to_list()[:2] == ["identity", "temperature"]
    assert frame["chosen"].sum() == 1


def test_pages_and_words_are_there():
    result = quick(over_confident(), groups=["a", "b"] * 200)
    text = str(result)
    for part in ("Change on unseen rows", "Before and after", "by group", "Tests of calibration"):
        assert part in text
    assert result.highlights[1].startswith("temperature: log loss −")
    gain = result.gain
    assert f": this {gain_text(gain)}; on unseen rows" in result.verdict
    size = estimate_text(-gain.estimate, -gain.interval.high, -gain.interval.low)
    assert gain_text(gain) == f"lowers the log loss by {size}"
    harm = replace(gain, estimate=0.5, interval=replace(gain.interval, low=0.25, high=0.75))
    assert gain_text(harm) == "raises the log loss by 0.5 [0.25, 0.75]"
    assert "<table>" in result._repr_html_()
    with pytest.raises(TypeError, match="ambiguous"):
        bool(result)


def test_a_map_that_may_change_the_ranking_says_so():
    shifted = Distorted(0.7, 3, truth=LogitShift([1.0, 0.0, 0.0])).sample(2000, rng=0)
    assert any("can change the predicted class" in note for note in quick(*shifted).notes)
    assert not quick(over_confident()).notes


def test_labels_that_are_always_right_do_not_ask_for_more_confidence():
    p = np.random.default_rng(0).dirichlet(np.ones(3), 100)
    sure = 0.9 * np.eye(3)[p.argmax(axis=1)] + 0.1 * p
    assert quick(sure.argmax(axis=1), y_prob=sure).is_identity


def test_a_temperature_at_its_bound_is_told():
    p = np.random.default_rng(0).dirichlet(np.ones(3), 100)
    result = quick(p.argmin(axis=1), y_prob=p, candidates=[Temperature()])
    assert any("at its bound" in note for note in result.notes)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"y_true": [1] * 40}, DataError, "at least two different labels"),
        ({"sample_weight": np.zeros(40)}, DataError, "must have a positive sum"),
        ({"clusters": [1, 2]}, DataError, "`clusters` must have one id per row"),
        ({"clusters": [1, 2] * 20}, DataError, "10 folds need at least 10 clusters"),
        ({"candidates": Temperature()}, TypeError, "must be a list of maps"),
        ({"candidates": []}, ValueError, "must name at least one map"),
        ({"candidates": [3]}, TypeError, "must be recalibration maps"),
        ({"n_folds": 1}, ValueError, "`n_folds` must be an integer of 2 or more"),
        ({"n_resamples": 0}, ValueError, "`n_resamples`"),
        ({"confidence_level": 95}, ValueError, "Did you mean 0.95"),
        ({"groups": [1]}, ValueError, "one value for each of the 40 rows"),
    ],
)
def test_unusable_input_is_refused(options, error, message):
    arrays = {"y_true": [0, 1] * 20, "y_prob": np.linspace(0.1, 0.9, 40)}
    with pytest.raises(error, match=message):
        repair(**arrays | options)


def test_beta_scaling_of_more_classes_is_left_out():
    candidates = [BetaScaling(), Temperature(), Isotonic(), ClassPrior(), VectorScaling()]
    result = quick(over_confident(), candidates=candidates)
    notes = {one.name: one.note for one in result.candidates}
    assert notes["beta scaling"] == "it needs two classes, and there are 3"
    assert notes["isotonic"] == "it needs 1,500 rows"
    assert result.candidates[0].name == "identity"


def test_identity_is_always_a_candidate_and_first():
    given = [Temperature(floor=1e-6), Identity(floor=1e-3)]
    result = quick(over_confident(), candidates=given)
    assert [one.name for one in result.candidates] == ["identity", "temperature"]
    assert result.details["floor"] == 1e-3


def test_one_parameter_does_not_need_more_rows_for_more_classes():
    y, p = TemperatureModel(0.02, 300, temperature=2.0).sample(1000, rng=0)
    data = Predictions(y, p, classes=range(300))
    assert refusal(Temperature(), data) == ""
    assert refusal(Temperature(), data.take(np.arange(999))) == "it needs 1,000 rows"


def test_the_smallest_pvalue_of_a_test_is_a_bound():
    data = TemperatureModel(0.5, 3, temperature=3.0).sample(400, rng=0)
    said = str(repair(*data, n_resamples=39, rng=0))
    assert "the model as it is              p ≤ 0.025, over-confident" in said
    assert "400 rows, 3 classes" in said
