import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.stats import binomtest
from sklearn import metrics
from tests.binning.each_core import each_core
from tests.effects import oracles_effects as oracles

from calibrant import Predictions, _native
from calibrant.effects import accuracy, brier, log_loss


@pytest.mark.parametrize(("hits", "n"), [(0, 5), (3, 5), (5, 5), (90, 100)])
def test_accuracy_has_wilsons_interval(hits, n):
    effect = accuracy(Predictions([1] * hits + [0] * (n - hits), [0.75] * n), 0.9)
    wilson = binomtest(hits, n).proportion_ci(0.9, method="wilson")
    assert effect.estimate == hits / n
    assert effect.interval.low == pytest.approx(wilson.low, rel=1e-10, abs=1e-14)
    assert effect.interval.high == pytest.approx(wilson.high, rel=1e-10)


def test_weighted_accuracy_uses_the_effective_number_of_rows():
    w = np.array([3.0, 1.0, 1.0, 3.0])
    effect = accuracy(Predictions([1, 1, 0, 0], [0.75] * 4, sample_weight=w))
    assert effect.estimate == 0.5
    n = 8**2 / 20
    assert effect.standard_error == pytest.approx(math.sqrt(0.25 / n), rel=1e-14)


def test_scores_are_those_of_scikit_learn():
    y, p = oracles.sample(0, 50, 4)
    w = np.random.default_rng(0).random(50)
    predictions = Predictions(y, p, sample_weight=w)
    labels = range(4)
    hits = metrics.accuracy_score(y, p.argmax(axis=1), sample_weight=w)
    loss = metrics.log_loss(y, p, sample_weight=w, labels=labels)
    assert accuracy(predictions).estimate == pytest.approx(hits, rel=1e-13)
    assert log_loss(predictions).estimate == pytest.approx(loss, rel=1e-12)


def test_brier_score_is_the_mean_squared_residual_with_the_error_of_a_mean():
    predictions = Predictions(*oracles.sample(1, 30, 3))
    each = np.sum(predictions.residuals**2, axis=1)
    effect = brier(predictions)
    assert effect.estimate == pytest.approx(each.mean(), rel=1e-13)
    assert effect.standard_error == pytest.approx(each.std(ddof=1) / 30**0.5, rel=1e-12)


def test_integer_weights_repeat_rows_in_the_mean():
    y, p = oracles.sample(2, 10, 3)
    w = np.arange(1, 11)
    repeated = Predictions(np.repeat(y, w), np.repeat(p, w, axis=0))
    weighted = Predictions(y, p, sample_weight=w)
    assert brier(weighted).estimate == pytest.approx(brier(repeated).estimate, rel=1e-13)
    assert log_loss(weighted).estimate == pytest.approx(log_loss(repeated).estimate, rel=1e-13)


@each_core
@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**20), n=st.integers(1, 80), m=st.integers(2, 6), weighted=st.booleans()
)
def test_decomposition_adds_up_exactly(core, seed, n, m, weighted):
    y, p = oracles.sample(seed, n, m)
    p = np.round(p, 1)  # ties, and rows whose sums are off
    p[p.sum(axis=1) == 0] = 1.0
    w = np.random.default_rng(seed).random(n) + 0.01 if weighted else None
    with _native.using(core):
        effect = brier(Predictions(y, p, sample_weight=w, normalize=True))
    d = effect.details
    total = d["reliability"] - d["resolution"] + d["uncertainty"]
    total += d["within_variance"] - 2 * d["within_covariance"]
    assert total == pytest.approx(effect.estimate, rel=1e-12, abs=1e-14)
    parts = [d[k] for k in ("reliability", "resolution", "uncertainty", "within_variance")]
    assert min(parts) >= -1e-14


def test_decomposition_terms_by_hand():
    # bins {.5, .5} and {1, 1}: frequencies .5 and 1 of the last class, nothing varies within
    d = brier(Predictions([0, 1, 1, 1], [0.5, 0.5, 1.0, 1.0])).details
    assert d["reliability"] == 0.0
    assert d["resolution"] == 2 * 0.25**2
    assert d["uncertainty"] == 1 - 0.75**2 - 0.25**2
    assert d["within_variance"] == d["within_covariance"] == 0.0
    assert d["n_bins"] == 2


def test_within_terms_are_the_literal_ones():
    y, p = oracles.sample(5, 6, 3)
    d = brier(Predictions(y, p)).details
    one = brier(Predictions(y[:3], p[:3])).details  # n // 2 = 1 bin
    residual = p[:3] - p[:3].mean(axis=0)
    outcome = np.eye(3)[y[:3]] - np.eye(3)[y[:3]].mean(axis=0)
    assert one["n_bins"] == 1
    assert d["n_bins"] == 3
    assert one["within_variance"] == pytest.approx(np.mean(np.sum(residual**2, axis=1)))
    assert one["within_covariance"] == pytest.approx(np.mean(np.sum(residual * outcome, axis=1)))


def test_log_loss_is_infinite_where_a_label_was_impossible():
    effect = log_loss(Predictions([0, 1, 1, 0], [0.0, 0.5, 0.0, 0.25]))
    assert effect.estimate == math.inf
    assert effect.details["impossible"] == 1
    assert effect.details["finite_mean"] == pytest.approx((math.log(2) + math.log(4 / 3)) / 3)
    assert not effect.interval.is_known
    assert "1 of 4 labels had predicted probability 0" in effect.note


def test_log_loss_divides_rows_by_their_sums():
    y, p = oracles.sample(6, 20, 3)
    one, other = log_loss(Predictions(y, p)), log_loss(Predictions(y, p * (1 + 5e-7)))
    assert other.estimate == pytest.approx(one.estimate, rel=1e-13)


@pytest.mark.parametrize("score", [accuracy, brier, log_loss])
@pytest.mark.parametrize("name", oracles.DEGENERATE)
def test_degenerate_data_give_an_answer_with_a_reason(name, score):
    effect = score(oracles.DEGENERATE[name])
    assert not math.isnan(effect.estimate)
    assert effect.interval.is_known != bool(effect.note)


@pytest.mark.parametrize("score", [brier, log_loss])
def test_interval_covers_the_mean_score(score):
    # calibrated binary p ∈ {.2, .7}: the mean score is known. 500 data sets: .95 ± 3·.0097, and
    # .015 for the normal approximation at 80 rows
    points = np.array([0.2, 0.7])
    if score is brier:
        true = np.mean(2 * points * (1 - points))
    else:
        true = np.mean(-points * np.log(points) - (1 - points) * np.log(1 - points))
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(500):
        p = points[rng.integers(2, size=80)]
        covered += true in score(Predictions((rng.random(80) < p).astype(int), p)).interval
    assert abs(covered / 500 - 0.95) < 3 * 0.0097 + 0.015


@pytest.mark.parametrize("score", [brier, log_loss])
def test_equal_scores_leave_no_interval(score):
    effect = score(oracles.DEGENERATE["the same row"])
    assert not effect.interval.is_known
    assert "no variation" in effect.note
