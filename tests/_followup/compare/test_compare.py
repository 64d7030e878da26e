import itertools
import json
import math

import numpy as np
import pytest
from tests._followup.compare.models import (
    MEASURES,
    NARROW,
    WIDE,
    each_measure,
    models,
    truth_and_models,
)

import calibrant as cal
from calibrant import ComparisonResult, Predictions, compare
from calibrant.effects import Interval
from calibrant.kernels import Laplacian
from calibrant.models import temperature_scale


@each_measure
def test_identical_models_do_not_differ(measure):
    y, probs = models(4, 25, 3)
    result = compare(y, {"a": probs["a"], "b": probs["a"].copy()}, equivalence=NARROW)
    found = result.difference("a", "b", measure)
    assert (found.estimate, found.pvalue, found.pvalue_holm) == (0.0, 1.0, 1.0)
    assert found.interval == Interval(0.0, 0.0)
    assert found.equivalence.established
    assert found.better is None
    assert "the same" in found.note
    assert result.verdict == "a and b predict the same."


@each_measure
def test_rounding_is_no_difference(measure):
    y, probs = models(4, 25, 3)
    p = probs["a"].copy()
    p[:, 0] *= 1.0 + 2e-16
    found = compare(y, {"a": probs["a"], "b": p}).difference("a", "b", measure)
    assert not np.array_equal(p, probs["a"])
    assert (found.estimate, found.pvalue) == (0.0, 1.0)
    assert 0.0 not in found.interval or measure == "accuracy"


@each_measure
def test_swapped_models_flip_the_sign(measure):
    y, probs = models(5, 30, 3)
    one = compare(y, probs, equivalence=WIDE).difference("a", "b", measure)
    other = compare(y, dict(reversed(probs.items())), equivalence=WIDE)
    assert other.differences[0].first == "b"
    found = other.difference("b", "a", measure)
    assert found.estimate == pytest.approx(-one.estimate, rel=1e-9)
    assert found.interval.low == pytest.approx(-one.interval.high, rel=1e-9)
    assert found.pvalue == pytest.approx(one.pvalue, rel=1e-9)
    assert found.equivalence.pvalue == pytest.approx(one.equivalence.pvalue, rel=1e-9)
    assert found.better == one.better
    assert one.swapped().swapped() == one
    turned = compare(y, probs).difference("b", "a", measure)
    assert (turned.first, turned.second) == ("b", "a")
    assert turned.estimate == -one.estimate
    assert (turned.interval.low, turned.interval.high) == (-one.interval.high, -one.interval.low)
    assert one.swapped().better == one.better


def test_every_pair_or_every_model_against_the_reference():
    y, probs = models(6, 20, 3, k=4)

    def pairs(result):
        return [(d.first, d.second) for d in result.differences if d.measure == "brier"]

    assert pairs(compare(y, probs)) == list(itertools.combinations("abcd", 2))
    assert pairs(compare(y, probs, reference="c")) == [("a", "c"), ("b", "c"), ("d", "c")]


def test_no_row_with_different_hits_bounds_the_difference_of_accuracy():
    # argmax is that of the raw model in every row: the share of differing rows, were it larger
    # than 1 − .05^(1/n), would have shown itself with 95 %
    y, probs = models(10, 50, 3)
    two = {"raw": probs["a"], "scaled": temperature_scale(probs["a"], 2.0)}
    found = compare(y, two, equivalence={"accuracy": 0.1}).difference("raw", "scaled", "accuracy")
    assert (found.estimate, found.pvalue) == (0.0, 1.0)
    assert found.interval.high == pytest.approx(1 - 0.05 ** (1 / 50), rel=1e-12)
    assert found.interval.low == -found.interval.high
    assert found.equivalence.pvalue == pytest.approx(0.9**50, rel=1e-12)
    assert "same rows" in found.note


def test_few_differing_hits_of_weighted_rows_are_said():
    y, probs = models(11, 12, 2)
    w = np.linspace(1.0, 2.0, 12)
    found = compare(y, probs, sample_weight=w).difference("a", "b", "accuracy")
    assert found.note.startswith("the two differ in only")


def test_paired_error_is_smaller_than_unpaired_for_similar_models():
    y, p = cal.models.TemperatureModel(0.5, 4, temperature=2.0).sample(300, rng=0)
    result = compare(y, {"a": p, "b": temperature_scale(p, 1.05)})
    for measure in ("skce", "brier", "log_loss"):
        a, b = (result.models[name][measure].standard_error for name in "ab")
        assert result.difference("a", "b", measure).standard_error < 0.2 * math.hypot(a, b)


@pytest.mark.slow
def test_intervals_cover_the_true_differences():
    # True SKCE: Σ_ab π_a π_b k(p_a, p_b)⟨q_a − p_a, q_b − p_b⟩ with π = 1/3. 200 data sets of 150
    # rows: the Monte-Carlo error of a coverage of .95 is .0154; three of them are allowed below.
    truth, points = truth_and_models()
    kernel, rng, runs = Laplacian(0.5), np.random.default_rng(0), 200
    true = {}
    for name, p in points.items():
        r, q = truth - p, truth[:, 1]
        true[name, "skce"] = float(np.mean(kernel(p, p) * (r @ r.T)))
        true[name, "brier"] = float(np.mean(2 * (q * p[:, 0] ** 2 + (1 - q) * p[:, 1] ** 2)))
        true[name, "log_loss"] = -float(np.mean(np.sum(truth * np.log(p), axis=1)))
    covered = dict.fromkeys(("skce", "brier", "log_loss"), 0)
    for _ in range(runs):
        a = rng.integers(3, size=150)
        y = (rng.random(150) < truth[a, 1]).astype(int)
        result = compare(y, {name: p[a] for name, p in points.items()}, kernel=kernel, n_jobs=1)
        for m in covered:
            interval = result.difference("raw", "half", m).interval
            covered[m] += true["raw", m] - true["half", m] in interval
    assert min(covered.values()) / runs >= 0.95 - 3 * 0.0154, covered


def test_threads_and_executor_change_nothing():
    from concurrent.futures import ThreadPoolExecutor

    y, probs = models(13, 700, 4)
    one = compare(y, probs, n_jobs=1)
    seen = []
    two = compare(y, probs, n_jobs=2, progress=lambda *step: seen.append(step))
    with ThreadPoolExecutor(2) as pool:
        three = compare(y, probs, executor=pool)
    assert one.differences == two.differences == three.differences
    assert seen == [(1, 2), (2, 2)]


def test_predictions_give_the_same_as_arrays():
    y, probs = models(16, 20, 3)
    w = np.random.default_rng(0).random(20)
    arrays = compare(y, probs, sample_weight=w)
    ready = {name: Predictions(y, p, sample_weight=w) for name, p in probs.items()}
    assert compare(ready).differences == arrays.differences
    assert compare(y_probs=ready).differences == arrays.differences
    assert compare(None, ready).differences == arrays.differences


@pytest.mark.parametrize("n", [1, 2, 3])
def test_tiny_data_give_an_answer_with_a_reason(n):
    y, probs = models(17, n, 3)
    for found in compare(y, probs, equivalence=WIDE).differences:
        assert found.interval.is_known or found.note
        assert found.better is None or found.interval.is_known


def refuse(match, *args, error=ValueError, **options):
    with pytest.raises(error, match=match):
        compare(*args, **options)


def test_bad_arguments_are_refused_with_the_remedy():
    y, probs = models(18, 10, 3)
    a, b = (Predictions(y, p) for p in probs.values())
    refuse("must map names of models", y, probs["a"], error=TypeError)
    refuse("at least two models; got 1. For one model use `calibration_test`", y, {"a": probs["a"]})
    refuse("non-empty strings; got 3", y, {"a": probs["a"], 3: probs["b"]}, error=TypeError)
    refuse(r"one of the models \['a', 'b'\]; got 'c'", y, probs, reference="c")
    refuse("`confidence_level` must be in", y, probs, confidence_level=95)
    refuse("positive finite margin.*got -1 for 'skce'", y, probs, equivalence={"skce": -1})
    refuse("measures to margins.*got 0.1 for all.*'brier' .0 to 2.", y, probs, equivalence=0.1,
           error=TypeError)  # fmt: skip
    refuse("must map measures.*got 'ece'", y, probs, equivalence={"ece": 0.1})
    refuse("must be a calibrant kernel", y, probs, kernel=0.3, error=TypeError)
    refuse("`rng` must be", y, probs, rng=-1)
    refuse("model 'b': .*10.*9", y, {"a": probs["a"], "b": probs["b"][:9]})
    refuse("model 'a': a Predictions carries its own labels", y, {"a": a, "b": b})
    refuse("model 'a': `y_true` is missing", None, probs)
    refuse("model 'a': a Predictions comes alone; got `sample_weight`", {"a": a, "b": b},
           sample_weight=np.ones(10))  # fmt: skip


def test_rows_that_do_not_line_up_are_refused_with_the_first_of_them():
    y, probs = models(19, 10, 3)
    other = y.copy()
    other[[4, 7]] = (y[[4, 7]] + 1) % 3
    a = Predictions(y, probs["a"])
    refuse(
        rf"labels that differ in 2 rows \({y[4]} in 'a', {other[4]} in 'b'\), .* row 4. Sort",
        {"a": a, "b": Predictions(other, probs["b"])},
    )
    refuse("got 10 in 'a' and 9 in 'b'", {"a": a, "b": Predictions(y[:9], probs["b"][:9])})
    named = Predictions(y, probs["b"], classes=[2, 1, 0])
    refuse(r"classes \(0, 1, 2\) in 'a' and \(2, 1, 0\) in 'b'", {"a": a, "b": named})
    w = np.ones(10)
    w[3] = 2.0
    weighted = Predictions(y, probs["b"], sample_weight=w)
    refuse(
        r"weights that differ in 1 row \(1 in 'a', 2 in 'b'\), the first at row 3",
        {"a": a, "b": weighted},
    )
    tops = {"a": a.top_label(), "b": Predictions(y, np.roll(probs["a"], 1, axis=1)).top_label()}
    refuse("top_label", tops)


def test_result_is_a_value_and_no_verdict():
    y, probs = models(20, 40, 3, k=3)
    result = compare(y, probs, reference="a", equivalence=WIDE)
    with pytest.raises(TypeError, match="truth value of a comparison is ambiguous"):
        bool(result)
    with pytest.raises(TypeError):
        iter(result)
    with pytest.raises(AttributeError):
        result.confidence_level = 0.5
    with pytest.raises(KeyError, match="no difference of 'b' and 'c' in 'calibration_loss'"):
        result.difference("b", "c")
    assert "<strong>" in result._repr_html_()
    assert str(result) == result.summary()


def test_result_survives_strict_json():
    y, probs = models(21, 20, 3)
    p = probs["b"].copy()
    p[4] = np.eye(3)[(y[4] + 1) % 3]
    result = compare(y, {"a": probs["a"], "b": p}, equivalence=WIDE)
    text = json.dumps(result.to_dict(), allow_nan=False)
    back = ComparisonResult.from_dict(json.loads(text))
    assert back.to_dict() == result.to_dict()
    assert back.differences == result.differences
    assert back.summary() == result.summary()
    with pytest.raises(ValueError, match=r"`ComparisonResult.to_dict`: missing \['models'\]"):
        ComparisonResult.from_dict({k: v for k, v in result.to_dict().items() if k != "models"})


def test_html_is_escaped():
    y, probs = models(22, 20, 3)
    page = compare(y, {"<b>": probs["a"], "&": probs["b"]})._repr_html_()
    assert "<b>" not in page
    assert "&lt;b&gt;" in page


def calibrated_pairs(kind, n, m, rng):
    """Two calibrated models: one of them constant, or each informed of one half of the rows."""
    q = np.maximum(rng.dirichlet(np.full(m, 0.5), n), 1e-12)
    q /= q.sum(axis=1, keepdims=True)
    y = (q.cumsum(axis=1)[:, :-1] < rng.random((n, 1))).sum(axis=1)
    own = rng.random((n, 1)) < (1.0 if kind == "constant" else 0.5)
    return y, {"a": np.where(own, q, 1 / m), "b": np.where(own, 1 / m, q)}


@pytest.mark.slow
@pytest.mark.parametrize("m", [2, 10])
@pytest.mark.parametrize("kind", ["constant", "halves"])
def test_calibrated_models_are_rarely_told_apart(kind, m):
    # Calibration loss and SKCE do not differ, of halves nothing does. Rejections at 5 % of 100
    # runs of 100 rows: at most .05 and three Monte-Carlo errors of .0218. Without the variance
    # of fits and pairs the constant model would seem to differ in .2 and .09 of them.
    runs, measures = 100, MEASURES if kind == "halves" else ("calibration_loss", "skce")
    rejected = dict.fromkeys(measures, 0)
    for seed in range(runs):
        y, two = calibrated_pairs(kind, 100, m, np.random.default_rng([seed, m]))
        result = compare(y, two, classes=range(m), n_jobs=1)
        for measure in measures:
            rejected[measure] += result.difference("a", "b", measure).pvalue <= 0.05
    assert max(rejected.values()) / runs <= 0.05 + 3 * 0.0218, rejected
