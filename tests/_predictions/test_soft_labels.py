"""Soft labels: scores are averages over draws, pairs are of different items, tests refuse them."""

import pickle

import numpy as np
import pytest

import calibrant as cal
from calibrant import SKCE, Predictions, effects, methods
from calibrant.errors import DataError, Problem
from calibrant.kernels import Laplacian

N, M = 60, 3


@pytest.fixture(scope="module")
def items():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(M), N)
    targets = np.array([rng.dirichlet(8 * row + 0.05) for row in p])
    targets[:10] = np.eye(M)[rng.integers(0, M, 10)]
    return targets, p, rng.uniform(0.5, 2.0, N)


@pytest.fixture(scope="module")
def rows(items):
    targets, p, w = items
    return Predictions.from_soft_labels(targets, p, sample_weight=w)


def loop(targets, p, w, bandwidth, *, own):
    """The SKCE of soft residuals, pair by pair."""
    r, total, weight = targets - p, 0.0, 0.0
    for i in range(len(p)):
        for j in range(len(p)):
            if i != j or own:
                k = np.exp(-0.5 * np.abs(p[i] - p[j]).sum() / bandwidth)
                total += w[i] * w[j] * k * (r[i] @ r[j])
                weight += w[i] * w[j]
    return total / weight


def test_every_share_is_a_weighted_row_in_the_cluster_of_its_item():
    rows = Predictions.from_soft_labels([[0.7, 0.3], [0.0, 1.0]], [[0.6, 0.4], [0.2, 0.8]])
    assert rows.y_true.tolist() == [0, 1, 1]
    assert rows.sample_weight.tolist() == [0.7, 0.3, 1.0]
    assert rows.cluster_index[0] == rows.cluster_index[1] != rows.cluster_index[2]
    assert rows.soft
    one_column = Predictions.from_soft_labels([0.3, 1.0], [0.4, 0.8])
    np.testing.assert_allclose(one_column.sample_weight, rows.sample_weight, rtol=1e-15)


@pytest.mark.parametrize("unbiased", [True, False])
def test_skce_is_the_loop_over_soft_residuals(items, rows, unbiased):
    expected = loop(*items, 0.3, own=not unbiased)
    skce = SKCE(Laplacian(0.3), unbiased=unbiased)
    assert skce(rows) == pytest.approx(expected, rel=1e-11)
    assert effects.skce_interval(rows, skce).estimate == pytest.approx(expected, rel=1e-11)


def test_scores_are_averages_over_labels_drawn_from_the_shares(items, rows):
    targets, p, w = items
    brier = [sum(t * np.sum((np.eye(M)[c] - q) ** 2) for c, t in enumerate(row))
             for row, q in zip(targets, p, strict=True)]  # fmt: skip
    assert effects.brier(rows).estimate == pytest.approx(np.average(brier, weights=w), rel=1e-13)
    losses = -np.sum(targets * np.log(p), axis=1)
    assert effects.log_loss(rows).estimate == pytest.approx(np.average(losses, weights=w))
    hits = targets[np.arange(N), p.argmax(axis=1)]
    assert effects.accuracy(rows).estimate == pytest.approx(np.average(hits, weights=w))


def test_ece_compares_mean_shares_with_mean_predictions(items, rows):
    targets, p, w = items
    top = p.argmax(axis=1)
    confidence, hit = p[np.arange(N), top], targets[np.arange(N), top]
    cells = np.maximum(1, np.ceil(5 * confidence))
    gaps = [abs(np.sum((w * (confidence - hit))[cells == cell])) for cell in np.unique(cells)]
    ece = cal.ECE(cal.binning.Uniform(5))(rows.top_label())
    assert ece == pytest.approx(sum(gaps) / w.sum(), rel=1e-12)


def test_hard_targets_are_labels_bit_for_bit(items):
    targets, p, _ = items
    y = np.argmax(targets, axis=1)
    rows = Predictions.from_soft_labels(np.eye(M)[y], p)
    assert not rows.soft
    assert rows.clusters is rows.sample_weight is None
    options = {"method": methods.Aggregated(19), "rng": 0}
    there = cal.calibration_test(y, p, **options)
    assert cal.calibration_test(rows, **options).to_dict() == there.to_dict()


def test_shares_stay_soft_in_every_view(rows):
    views = [
        rows.top_label(),
        rows.one_vs_rest(1),
        rows.take(slice(0, 40)),
        pickle.loads(pickle.dumps(rows)),
    ]
    assert all(view.soft for view in views)
    with pytest.raises(ValueError, match=r"shares of an item belong together"):
        rows.without_clusters()


@pytest.mark.parametrize(
    "call",
    [
        lambda rows: cal.calibration_test(rows, rng=0),
        lambda rows: cal.calibration_test(rows, estimator=cal.ECE(), rng=0),
        lambda rows: cal.calibration_test(rows, method=methods.Moments(), rng=0),
        lambda rows: cal.calibration_test(rows.top_label(), rng=0),
        lambda rows: cal.where(rows, rng=0),
        lambda rows: cal.repair(rows, rng=0),
        lambda rows: cal.Report(rows, rng=0).html(),
        lambda rows: cal.binning.reliability(rows.top_label(), rng=0),
        lambda rows: SKCE(Laplacian(0.3), block_size=2)(rows),
        lambda rows: effects.skce_interval(rows, SKCE(Laplacian(0.3), block_size=2)),
    ],
)
def test_whatever_draws_labels_or_pairs_rows_refuses_shares(rows, call):
    with pytest.raises(DataError, match=r"one label per row; got soft labels") as caught:
        call(rows)
    assert caught.value.problem is Problem.SOFT


def test_signs_of_items_test_shares(items):
    targets, p, _ = items
    method = methods.BetweenClusters(99)
    fine = cal.calibration_test(Predictions.from_soft_labels(targets, p), method=method, rng=0)
    assert fine.pvalue > 0.05
    assert fine.effects["accuracy"].interval.is_known
    far = Predictions.from_soft_labels(np.roll(targets, 1, axis=1), p)
    assert cal.calibration_test(far, method=method, rng=0, effects=False).pvalue == 0.01


def test_models_of_soft_labels_are_compared(items):
    targets, p, _ = items
    bold = p**3 / np.sum(p**3, axis=1, keepdims=True)
    models = {
        name: Predictions.from_soft_labels(targets, q) for name, q in (("p", p), ("bold", bold))
    }
    found = cal.compare(models).difference("p", "bold", "log_loss")
    assert found.interval.high < 0.0


def test_intervals_do_not_allow_for_the_noise_of_labels_that_nobody_drew():
    # shares that are the predictions leave nothing to be unsure of but the items
    p = np.random.default_rng(1).dirichlet(np.ones(M), 200)
    shares = Predictions.from_soft_labels(0.999 * p + 0.001 / M, p)
    for effect in (effects.bias, effects.temperature, effects.slope, effects.intercept):
        interval = effect(shares).interval
        assert interval.high - interval.low < 0.01, effect
    interval = effects.accuracy(shares).interval
    sure = np.std(p.max(axis=1), ddof=1) / np.sqrt(200)
    assert interval.high - interval.low == pytest.approx(2 * 1.972 * sure, rel=0.02)


@pytest.mark.parametrize(
    ("targets", "problem", "message"),
    [
        ([[0.5, 0.6], [1, 0]], Problem.ROW_SUMS, r"`targets` .* sum to 1.* row 0.*from_votes"),
        ([[2, 1], [0, 3]], Problem.ROW_SUMS, r"from_votes` if these are counts"),
        ([[-0.5, 1.5], [1, 0]], Problem.RANGE, r"`targets` must not be negative"),
        ([[np.nan, 1.0], [1, 0]], Problem.NOT_FINITE, r"`targets` must be finite"),
        ([[0.5, 0.3, 0.2]] * 2, Problem.SHAPE, r"shape of the predictions, \(2, 2\)"),
    ],
)
def test_targets_that_are_not_shares_are_refused(targets, problem, message):
    with pytest.raises(DataError, match=message) as caught:
        Predictions.from_soft_labels(targets, [[0.6, 0.4], [0.2, 0.8]])
    assert caught.value.problem is problem


def test_soft_labels_in_place_of_labels_name_the_way(items):
    targets, p, _ = items
    with pytest.raises(DataError, match=r"`Predictions.from_soft_labels` if they are shares"):
        Predictions(targets, p)
    with pytest.raises(TypeError, match=r"must be arrays; got a Predictions"):
        Predictions.from_soft_labels(Predictions([0, 1], [0.5, 0.5]), p)
