"""Errors of two classes are those of P(last class): opposite errors never cancel."""

import itertools
import json
import math
import pickle

import numpy as np
import pytest
from click.testing import CliRunner

import calibrant as cal
from calibrant import ECE, MMCE, Predictions
from calibrant._engine._resampling import LabelResampler
from calibrant.binning import Uniform
from calibrant.cli._main import cli
from calibrant.effects import MEASURES, accuracy, brier, measure_all, rmsce, summarize
from calibrant.plots import ReliabilityDisplay
from calibrant.streaming import StreamingScores

pytestmark = pytest.mark.slow

QUICK = cal.methods.Aggregated(19)


def literal_ece(p, hit, n_bins=15):
    """Σ_b n_b/n |mean p − mean hit|, p in ((b−1)/n_bins, b/n_bins] or 0 and b = 1."""
    bins = {}
    for probability, occurred in zip(p, hit, strict=True):
        cell = max(1, math.ceil(n_bins * probability))
        count, total, hits = bins.get(cell, (0, 0.0, 0.0))
        bins[cell] = (count + 1, total + probability, hits + occurred)
    return sum(abs(total - hits) for _, total, hits in bins.values()) / len(p)


def literal_square(p, hit, n_bins=15):
    """Debiased squared error over bins of equally many rows; no two rows may be alike."""
    order, n = sorted(range(len(p)), key=lambda i: p[i]), len(p)
    ends = [-(-n * b // n_bins) for b in range(n_bins + 1)]
    value = 0.0
    for start, end in itertools.pairwise(ends):
        rows, size = order[start:end], end - start
        mean = sum(p[i] for i in rows) / size
        share = sum(hit[i] for i in rows) / size
        value += size / n * ((mean - share) ** 2 - share * (1 - share) / (size - 1))
    return value


def literal_mmce(p, hit):
    """√(Σ_ij r_i r_j exp(−2.5|p_i − p_j|))/n."""
    total = math.fsum(
        (hit[i] - p[i]) * (hit[j] - p[j]) * math.exp(-2.5 * abs(p[i] - p[j]))
        for i in range(len(p))
        for j in range(len(p))
    )
    return math.sqrt(total) / len(p)


@pytest.fixture(scope="module")
def shifted():
    """Every probability is 0.20 too low; max(p, 1 − p) has errors of both signs, which cancel."""
    rng = np.random.default_rng(0)
    p = rng.uniform(0.2, 0.8, 4000)
    y = (rng.random(4000) < p + 0.2).astype(int)
    return Predictions(np.array(["a", "b"])[y], p, classes=["a", "b"])


@pytest.fixture(scope="module")
def five():
    model = cal.models.TemperatureModel(0.5, 5, temperature=1.5)
    return Predictions(*model.sample(600, rng=1), classes=list("abcde"))


@pytest.fixture
def file(shifted, tmp_path):
    path = str(tmp_path / "shifted.csv")
    cal.io.write_predictions(path, shifted)
    return path


def command(*arguments):
    result = CliRunner().invoke(cli, [*arguments, "--json", "-"])
    assert result.exit_code in (0, 1), result.output
    return json.loads(result.stdout)


def assert_shift(value):
    assert 0.18 < value < 0.22


def assert_same_effects(one, other):
    for name in ("ece", "rmsce"):
        assert one[name].estimate == other[name].estimate
        assert one[name].interval == other[name].interval


def test_a_test_sees_a_shift(shifted):
    effects = cal.calibration_test(shifted, method=QUICK, rng=0).effects
    p, hit = shifted.y_prob[:, 1].tolist(), shifted.y_true.tolist()
    assert effects["ece"].estimate == pytest.approx(literal_ece(p, hit), rel=1e-12)
    assert effects["ece"].estimate == ECE(Uniform(15))(shifted)
    square = literal_square(p, hit)
    assert effects["rmsce"].details["square"] == pytest.approx(square, rel=1e-12)
    assert_shift(-effects["bias"].estimate)
    assert -0.2 in effects["bias"].interval
    assert effects["calibration_loss"].interval.low > 0.05
    assert effects["brier"].details["half"] == pytest.approx(np.mean((shifted.y_true - p) ** 2))
    for name in ("ece", "rmsce"):
        assert_shift(effects[name].estimate)
        assert effects[name].details["event"] == "P(class b)"
        assert "P(class b)" in effects[name].meaning
    assert 0.2 in effects["rmsce"].interval


def test_the_noise_floor_is_that_of_the_last_class(shifted):
    floor = cal.calibration_test(shifted, method=QUICK, rng=0).effects["ece"].details["noise_floor"]
    rng, p = np.random.default_rng(7), shifted.y_prob[:, 1].tolist()
    null = [literal_ece(p, rng.random(len(p)) < p) for _ in range(60)]
    # standard errors of both means together: about 0.0005
    assert floor["mean"] == pytest.approx(np.mean(null), abs=0.002)
    small = shifted.take(slice(200))
    resampler = LabelResampler(seed=1)
    labels = resampler.labels(small.y_prob, range(9))
    for effect in measure_all(small, MEASURES, n_resamples=9, resampler=resampler):
        if effect.name == "mmce":
            drawn = [literal_mmce(small.y_prob[:, 1].tolist(), row.tolist()) for row in labels]
            mean = effect.details["noise_floor"]["mean"]
            assert mean == pytest.approx(np.mean(drawn), rel=1e-10)


def test_the_kernel_error_is_that_of_the_last_class(shifted):
    small = shifted.take(slice(300))
    expected = literal_mmce(small.y_prob[:, 1].tolist(), small.y_true.tolist())
    assert MMCE()(small) == pytest.approx(expected, rel=1e-12)
    assert MMCE()(shifted) > 0.15


def test_commands_and_report_agree(shifted, file):
    ece, typical = ECE(Uniform(15))(shifted), rmsce(shifted).estimate
    found = {one["name"]: one for one in command("measure", file)["measures"]}
    assert (found["ece"]["estimate"], found["rmsce"]["estimate"]) == (ece, typical)
    assert found["mmce"]["estimate"] == MMCE()(shifted)
    for name in ("ece", "rmsce", "mmce"):
        assert "P(class b)" in found[name]["meaning"]
    condition = "ece>0.18 and rmsce>0.18 and bias.hi<-0.15 and calibration_loss.lo>0 and tau>0"
    gate = command("gate", file, "--fail-if", condition, "--resamples", "99")
    assert gate["failed"]
    assert (gate["numbers"]["ece"], gate["numbers"]["rmsce"]) == (ece, typical)
    effects = command("test", file, "--resamples", "99")["result"]["effects"]
    assert (effects["ece"]["estimate"], effects["rmsce"]["estimate"]) == (ece, typical)
    for label, title in ((None, "Reliability of class b"), ("a", "Reliability of class a")):
        display = ReliabilityDisplay.from_predictions(shifted, label=label, n_resamples=39, rng=0)
        assert display.title == title
        assert display.ece == pytest.approx(ece, abs=1e-3)  # bins of a and b differ by their ends


def test_a_report_shows_one_ece(shifted):
    report = cal.Report(shifted.take(slice(1000)), n_resamples=39, rng=0)
    model = json.loads(report.json())["models"]["model"]
    [ece] = [one["estimate"] for one in model["measures"] if one["name"] == "ece"]
    assert_shift(ece)
    figures = model["figures"]["reliability"]
    assert [one["label"] for one in figures] == ["b", "a"]
    assert figures[0]["numbers"]["ece"] == ece
    assert "ECE of P(class b)" in report.html()
    assert "predicted label" not in report.html()


def test_streamed_rows_agree(shifted, tmp_path):
    cal.io.write_predictions(str(tmp_path / "rows.parquet"), shifted)
    scan = cal.io.scan_predictions(str(tmp_path / "rows.parquet"), in_memory=0)
    result = cal.calibration_test(scan, method=QUICK, rng=0)
    streamed = result.effects["ece"]
    assert "missing_effects" not in result.details
    assert result.effects["brier"].remark.startswith("half of it, as scikit-learn: ")
    here = cal.calibration_test(shifted, method=QUICK, rng=0).effects["temperature"]
    assert result.effects["temperature"].interval.high == pytest.approx(here.interval.high)
    assert streamed.estimate == pytest.approx(ECE(Uniform(15))(shifted), rel=1e-12)
    assert "P(class b)" in streamed.meaning


def test_of_more_classes_it_is_the_predicted_label(five):
    tops = [max(row) for row in five.y_prob.tolist()]
    hits = [
        float(row.index(top) == y)
        for row, top, y in zip(five.y_prob.tolist(), tops, five.y_true, strict=True)
    ]
    effects = cal.calibration_test(five, method=QUICK, rng=0).effects
    assert effects["ece"].estimate == pytest.approx(literal_ece(tops, hits), rel=1e-12)
    assert effects["rmsce"].details["square"] == pytest.approx(literal_square(tops, hits), rel=1e-9)
    assert effects["accuracy"].estimate == pytest.approx(np.mean(hits), rel=1e-12)
    assert MMCE()(five) == pytest.approx(literal_mmce(tops, hits), rel=1e-12)
    for name in ("ece", "rmsce"):
        assert effects[name].details["event"] == "the predicted label"


@pytest.mark.parametrize(
    "lens",
    [
        lambda p: p.top_label(),
        lambda p: p.top_k(1),
        lambda p: p.top_label().top_label(),
        lambda p: p.top_label().take(slice(None)),
        lambda p: p.event(),
        lambda p: p.event().event(),
    ],
)
def test_the_predicted_label_is_never_folded_twice(five, lens):
    top = lens(five)
    assert (top.y_prob[:, 1] < 0.5).sum() > 20  # folding would change these
    whole = cal.calibration_test(five, method=QUICK, rng=0).effects
    seen = cal.calibration_test(top, method=QUICK, rng=0).effects
    assert_same_effects(whole, seen)
    assert MMCE()(top) == MMCE()(five)
    assert seen["accuracy"] == whole["accuracy"]
    assert seen["ece"].details["event"] == "the predicted label"
    scores = StreamingScores()
    scores.update(top)
    assert scores.result().accuracy.estimate == whole["accuracy"].estimate
    display = ReliabilityDisplay.from_predictions(top, n_resamples=39, rng=0)
    assert (display.ece, display.label) == (whole["ece"].estimate, None)


def test_ranks_keep_the_predicted_label(five):
    assert (five.top_k(2).y_prob.argmax(axis=1) == 0).sum() > 5  # "other" is the most probable
    for ranks in (five.top_k(2), five.top_k(3), five.top_k(3).top_k(2), five.top_k(3).top_label()):
        assert accuracy(ranks) == accuracy(five)
        assert rmsce(ranks).estimate == pytest.approx(rmsce(five).estimate, rel=1e-12)
        assert ECE(Uniform(15))(ranks.event()) == pytest.approx(ECE(Uniform(15))(five.event()))
        assert MMCE()(ranks) == pytest.approx(MMCE()(five), rel=1e-12)


def test_regions_and_comparisons_keep_the_predicted_label(five):
    top = five.top_label()
    regions = cal.where(top, n_resamples=19, rng=0).regions
    rows = [region.n_samples for region in regions]
    predicted = np.average([region.predicted for region in regions], weights=rows)
    right = np.average([region.observed for region in regions], weights=rows)
    assert predicted == pytest.approx(five.y_prob.max(axis=1).mean(), rel=1e-12)
    assert right == pytest.approx(accuracy(five).estimate, rel=1e-12)
    assert min(float(region.name[1:].split(",")[0]) for region in regions) < 0.5
    # another temperature keeps the order of the classes, so the same labels are predicted
    scaled = Predictions(five.y_true, cal.models.temperature_scale(five.y_prob, 0.5)).top_label()
    result = cal.compare(None, {"one": top, "other": scaled}, rng=0)
    [found] = [d for d in result.differences if d.measure == "accuracy"]
    assert found.estimate == 0.0


def test_ranked_rows_stay_ranked(five):
    top = five.top_label()
    for same in (pickle.loads(pickle.dumps(top)), top.with_labels(top.y_true), top.take([0, 1])):
        assert same.ranked
    assert not five.ranked
    assert not top.merge_classes({"hit": ["top"]}).ranked


@pytest.mark.parametrize(
    ("lens", "columns"),
    [
        (lambda p: p.one_vs_rest("a"), [0]),
        (lambda p: p.one_vs_rest("d"), [3]),
        (lambda p: p.at_least("c"), [2, 3, 4]),
        (lambda p: p.merge_classes({"vowel": ["a", "e"], "other": ["b", "c", "d"]}), [1, 2, 3]),
    ],
)
def test_a_lens_to_two_classes_is_the_problem_of_two_classes(five, lens, columns):
    view = lens(five)
    p = five.y_prob[:, columns].sum(axis=1)
    hit = np.isin(five.y_true, columns).astype(float)
    by_hand = Predictions(hit.astype(int), p)
    mine = summarize(by_hand)
    found = {effect.name: effect for effect in measure_all(view, MEASURES)}
    assert found["accuracy"] == mine["accuracy"]
    assert found["ece"].estimate == pytest.approx(literal_ece(p, hit), rel=1e-12)
    assert found["mmce"].estimate == pytest.approx(literal_mmce(p, hit), rel=1e-11)
    smooth = cal.SmoothECE()(by_hand)
    assert found["smooth_ece"].estimate == pytest.approx(smooth, rel=1e-9)
    assert found["bias"].estimate == pytest.approx(p.mean() - hit.mean(), rel=1e-9)
    for name in ("temperature", "slope", "intercept", "calibration_loss"):
        assert found[name].estimate == pytest.approx(mine[name].estimate, rel=1e-6)
    for one in (view, by_hand):
        assert rmsce(one).details["square"] == pytest.approx(literal_square(p, hit), rel=1e-9)
        assert brier(one).details["n_bins"] == 15
    assert view.event() is view


def test_bins_of_the_brier_score_are_those_of_the_last_class():
    # p and 1 − p would share a bin: .1 (right) with .9 (wrong)
    two = Predictions([0] * 10 + [0] * 10, [0.1] * 10 + [0.9] * 10)
    details = brier(two).details
    assert details["n_bins"] == 2
    assert details["reliability"] == pytest.approx(0.5 * 2 * 0.01 + 0.5 * 2 * 0.81)


def test_a_balanced_regression_of_rare_positives():
    datasets = pytest.importorskip("sklearn.datasets")
    linear_model = pytest.importorskip("sklearn.linear_model")
    X, y = datasets.make_classification(3000, weights=[0.89], flip_y=0.02, random_state=0)
    model = linear_model.LogisticRegression(class_weight="balanced").fit(X[:1500], y[:1500])
    predictions = Predictions.from_estimator(model, X[1500:], y[1500:])
    effects = cal.calibration_test(predictions, method=QUICK, rng=0).effects
    p = model.predict_proba(X[1500:])[:, 1]
    expected = literal_ece(p.tolist(), y[1500:].tolist())
    assert effects["ece"].estimate == pytest.approx(expected, rel=1e-12)
    square = literal_square(p.tolist(), y[1500:].tolist())
    assert effects["rmsce"].details["square"] == pytest.approx(square, rel=1e-9)
    assert effects["ece"].estimate > 0.05
