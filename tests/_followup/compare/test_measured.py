"""Estimates and errors of every measure, row by row and pair by pair."""

import math
from functools import cache

import numpy as np
import pytest
from scipy import stats
from tests._followup.compare.models import MEASURES, REPAIRED, each_measure, models, scores
from tests.effects import oracles_effects as oracles

import calibrant as cal
from calibrant import SKCE, Predictions, compare
from calibrant._followup.compare import _compare
from calibrant.effects import RepairGain
from calibrant.kernels import Gaussian, Laplacian, median_bandwidth


def expected_mean(a, b, measure):
    """Estimate, jackknife error and the least error of a difference of means, row by row."""
    w = a.weights / a.weights.sum()
    d = scores(a, measure) - scores(b, measure)
    without = [np.average(np.delete(d, i), weights=np.delete(w, i)) for i in range(len(d))]
    least = 0.0
    if measure in REPAIRED:
        k, its = (RepairGain.of(one).n_parameters for one in (a, b))
        least = np.sum(w**2) * math.sqrt((k + its) / 2 + ((k - its) / 2) ** 2)
    return w @ d, oracles.jackknife_error(without), least


def expected_skce(a, b, kernel):
    """The same for SKCE, pair by pair."""
    w, n = a.weights, len(a)
    h = [kernel(one.y_prob, one.y_prob) * (r @ r.T)
         for one, r in ((one, one.weighted_residuals) for one in (a, b))]  # fmt: skip
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
    total = sum(w[i] * w[j] for i, j in pairs)
    without = [SKCE(kernel)(oracles.without(a, i)) - SKCE(kernel)(oracles.without(b, i))
               for i in range(n)]  # fmt: skip
    least = math.sqrt(2.0 * sum((h[0][i, j] - h[1][i, j]) ** 2 for i, j in pairs)) / total
    return SKCE(kernel)(a) - SKCE(kernel)(b), oracles.jackknife_error(without), least


@cache
def compared(core, n, m, weighted):
    """Compare two models once for all measures."""
    y, probs = models(n, n, m)
    w = np.random.default_rng(1).random(n) + 0.1 if weighted else None
    a, b = (Predictions(y, p, sample_weight=w) for p in probs.values())
    return a, b, compare(y, probs, kernel=Laplacian(0.3), sample_weight=w)


@each_measure
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n", "m"), [(25, 2), (21, 3), (30, 4)])
def test_difference_and_error_are_those_of_the_literal_formulas(core, n, m, weighted, measure):
    a, b, result = compared(core, n, m, weighted)
    found = result.difference("a", "b", measure)
    if measure == "skce":
        expected, error, least = expected_skce(a, b, Laplacian(0.3))
    else:
        expected, error, least = expected_mean(a, b, measure)
    error = max(error, least)
    assert found.estimate == pytest.approx(expected, rel=1e-10, abs=1e-14)
    assert found.standard_error == pytest.approx(error, rel=1e-9)
    if measure == "accuracy" and not weighted:  # exact: see test_hits
        return
    freedom = a.weights.sum() ** 2 / np.sum(a.weights**2) - 1.0
    half = stats.t.ppf(0.975, freedom) * error
    assert found.interval.low == pytest.approx(expected - half, rel=1e-8)
    assert found.interval.high == pytest.approx(expected + half, rel=1e-8)
    expected_pvalue = 2.0 * stats.t.sf(abs(expected) / error, freedom)
    assert found.pvalue == pytest.approx(expected_pvalue, rel=1e-8)


def test_brier_difference_in_closed_form():
    # scores 2(1 − p_y)²: a has .5, .5, .5; b has 2, 0, .08; differences −1.5, .5, .42
    result = compare([1, 1, 1], {"a": [0.5, 0.5, 0.5], "b": [0.0, 1.0, 0.8]})
    found = result.difference("a", "b", "brier")
    d = np.array([-1.5, 0.5, 0.42])
    assert found.estimate == pytest.approx(d.mean(), rel=1e-13)
    assert found.standard_error == pytest.approx(d.std(ddof=1) / 3**0.5, rel=1e-13)


def test_skce_difference_in_closed_form():
    # Certain predictions of two classes, labels all 1. a is right in every row: every h_ij is 0.
    # b says class 0 in rows 0 and 1: only they have residuals, (−1, 1), so Σ_{i≠j} h_ij = 2·2 of
    # 6 pairs. Without row 0 or 1: 0; without row 2: 2. Values 0, 0, −2: mean −2/3,
    # variance 2/3·(4/9 + 4/9 + 16/9), more than that of independent pairs, 2·2·2²/6².
    result = compare([1, 1, 1], {"a": [1.0, 1.0, 1.0], "b": [0.0, 0.0, 1.0]}, kernel=Laplacian(1.0))
    found = result.difference("a", "b", "skce")
    assert found.estimate == pytest.approx(-2 / 3, rel=1e-14)
    assert found.standard_error == pytest.approx(math.sqrt(16 / 9), rel=1e-14)


def test_skce_of_constant_models_keeps_the_error_of_their_pairs():
    # Two constants of which h_ij is |Σr|² only: where the labels are balanced every row
    # contributes the same, and the jackknife sees no variation.
    y = [0, 1] * 20
    two = {"a": np.full(40, 0.5), "b": np.full(40, 0.6)}
    found = compare(y, two, kernel=Laplacian(1.0)).difference("a", "b", "skce")
    r = np.array([[y_i - p for y_i in y] for p in (0.5, 0.6)])
    h = 2.0 * (np.outer(r[0], r[0]) - np.outer(r[1], r[1]))
    np.fill_diagonal(h, 0.0)
    assert found.standard_error >= math.sqrt(2.0 * np.sum(h**2)) / (40 * 39) * (1 - 1e-12)


def test_measures_of_a_model_are_those_it_has_alone():
    y, probs = models(0, 40, 3)
    result = compare(y, probs, kernel=Laplacian(0.4), confidence_level=0.9)
    alone = Predictions(y, probs["b"])
    expected = {
        "calibration_loss": cal.effects.calibration_loss(alone, 0.9),
        "log_loss": cal.effects.log_loss(alone, 0.9),
        "skce": cal.effects.skce_interval(alone, SKCE(Laplacian(0.4)), 0.9),
        "brier": cal.effects.brier(alone, 0.9),
        "accuracy": cal.effects.accuracy(alone, 0.9),
    }
    assert {name: result.models["b"][name] for name in expected} == expected
    assert tuple(result.models["b"]) == MEASURES
    for found in result.differences:
        a, b = (result.models[name][found.measure].estimate for name in "ab")
        assert found.estimate == pytest.approx(a - b, abs=1e-14)


def test_log_loss_is_calibration_loss_and_refinement():
    y, probs = models(0, 60, 3)
    for effects in compare(y, probs).models.values():
        parts = effects["calibration_loss"].estimate + effects["refinement"].estimate
        assert parts == pytest.approx(effects["log_loss"].estimate, rel=1e-9)


def test_bandwidth_is_the_median_of_the_stacked_predictions():
    y, probs = models(1, 30, 3, k=3)
    result = compare(y, probs)
    stacked = np.concatenate(list(probs.values()))
    assert result.bandwidth == median_bandwidth(stacked)
    assert result.kernel.bandwidth == result.bandwidth
    assert result.models["c"]["skce"].estimate == pytest.approx(
        SKCE(Laplacian(result.bandwidth))(y, probs["c"]), rel=1e-12
    )


def test_bandwidth_of_many_rows_comes_from_2000_of_each_model():
    y, probs = models(2, 3000, 2)
    some = np.linspace(0, 2999, 2000).astype(int)
    stacked = np.concatenate([p[some] for p in probs.values()])
    assert compare(y, probs).bandwidth == median_bandwidth(stacked)


def test_rule_of_a_given_kernel_is_resolved_once_for_all():
    y, probs = models(3, 20, 3)
    result = compare(y, probs, kernel=Gaussian())
    assert result.bandwidth == median_bandwidth(np.concatenate(list(probs.values())), "euclidean")
    assert compare(y, probs, kernel=Laplacian(0.2) + Gaussian(0.3)).bandwidth is None


def test_pairs_of_rows_are_visited_once_per_model(monkeypatch):
    calls, exact = [], _compare.exact_sums
    monkeypatch.setattr(_compare, "exact_sums", lambda *a: calls.append(1) or exact(*a))
    y, probs = models(7, 20, 3, k=5)
    compare(y, probs)
    assert len(calls) == 5


def test_infinite_log_loss_leaves_the_rest():
    y, probs = models(12, 20, 3, k=3)
    p = probs["b"].copy()
    p[4] = np.eye(3)[(y[4] + 1) % 3]
    result = compare(y, {**probs, "b": p}, equivalence={"log_loss": 0.1})
    found = result.difference("a", "b", "log_loss")
    assert math.isnan(found.estimate)
    assert math.isnan(found.pvalue)
    assert math.isnan(found.pvalue_holm)
    assert not found.interval.is_known
    assert not found.equivalence.established
    assert "1 of 20 labels had predicted probability 0" in found.note
    other = result.difference("a", "c", "log_loss")
    assert other.pvalue_holm == other.pvalue  # the only one of its measure
    assert result.difference("a", "b", "brier").interval.is_known
    assert result.details["impossible_labels"] == {"a": 0, "b": 1, "c": 0}
    assert result.difference("a", "b").interval.is_known
    assert "b: 1 label had predicted probability 0" in result.summary()


def test_log_loss_divides_rows_by_their_sums():
    y, probs = models(12, 20, 3)
    p = probs["a"]
    found = compare(y, {"a": p, "b": (1.0 + 5e-7) * p}).difference("a", "b", "log_loss")
    assert found.estimate == pytest.approx(0.0, abs=1e-14)


def test_many_rows_use_the_same_random_features_for_all_models(limit):
    y, probs = models(14, 400, 3)
    exact = compare(y, probs)
    limit(exact_rows=300)
    found = compare(y, probs)
    assert found.details["feature_seed"] == 0
    assert "512 random frequencies" in found.details["choice"]
    assert found.differences == compare(y, probs).differences
    difference, same = (one.difference("a", "b", "skce") for one in (found, exact))
    assert difference.estimate != same.estimate
    # 512 frequencies: the kernel is known to about 1/√512 = .044
    assert difference.estimate == pytest.approx(same.estimate, abs=0.2 * same.standard_error)
    assert difference.standard_error == pytest.approx(same.standard_error, rel=0.2)
    assert compare(y, probs, kernel=Laplacian(0.3)).details["choice"].startswith("all pairs")
    binary = {name: np.clip(p[:, 0], 0, 1) for name, p in probs.items()}
    assert "feature_seed" not in compare(y == 0, binary).details
    seeded = compare(y, probs, rng=7)
    assert seeded.details["feature_seed"] == compare(y, probs, rng=7).details["feature_seed"] != 0


def test_rows_of_weight_zero_are_absent():
    y, probs = models(15, 20, 3)
    w = np.array([1.0, 0.0] * 10)
    one = compare(y, probs, sample_weight=w)
    other = compare(y[::2].copy(), {name: p[::2] for name, p in probs.items()})
    assert (one.n_samples, one.details["n_counted"]) == (20, 10)
    for a, b in zip(one.differences, other.differences, strict=True):
        assert a.estimate == pytest.approx(b.estimate, rel=1e-10, abs=1e-14)
        assert a.standard_error == pytest.approx(b.standard_error, rel=1e-10, nan_ok=True)
