import math

import numpy as np
import pytest
from scipy import stats
from tests.effects import oracles_effects as oracles

import calibrant as cal
from calibrant import Predictions
from calibrant.effects import rmsce, upper_bound
from calibrant.effects._event_bins import EventBins


def leave_one_out(predictions):
    binned, w = EventBins.of(predictions), predictions.weights
    p, hit, ids = binned.probability, binned.hit, binned.ids
    keep = [np.arange(len(w)) != i for i in range(len(w))]
    return [oracles.debiased_square(p[k], hit[k], w[k], ids[k]) for k in keep]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n", "m"), [(4, 2), (7, 3), (31, 2), (40, 4), (200, 3)])
def test_value_and_jackknife_are_the_literal_ones(n, m, weighted):
    y, p = oracles.sample(n, n, m)
    w = np.random.default_rng(0).random(n) + 0.1 if weighted else None
    predictions = Predictions(y, p, sample_weight=w)
    binned, effect = EventBins.of(predictions), rmsce(predictions)
    p, hit, ids = binned.probability, binned.hit, binned.ids
    square = oracles.debiased_square(p, hit, predictions.weights, ids)
    error = oracles.jackknife_error(leave_one_out(predictions))
    assert effect.details["square"] == pytest.approx(square, rel=1e-12, abs=1e-15)
    assert effect.details["square_standard_error"] == pytest.approx(error, rel=1e-10)
    assert effect.estimate == pytest.approx(math.sqrt(max(square, 0.0)), rel=1e-10)
    null = oracles.square_null_variance(p, predictions.weights, ids)
    low, high = oracles.score_ends(square, error, null)
    assert effect.interval.low == pytest.approx(math.sqrt(low), rel=1e-6, abs=1e-6)
    assert effect.interval.high == pytest.approx(math.sqrt(min(high, 1.0)), rel=1e-6)
    assert effect.estimate in effect.interval


def test_two_bins_by_hand():
    # 0.9 with 7 of 10 hits: .04 − .21/9; 0.6 with 6 of 10 hits: 0 − .24/9
    y = [1] * 7 + [0] * 3 + [1] * 6 + [0] * 4
    effect = rmsce(Predictions(y, [0.9] * 10 + [0.6] * 10))
    expected = 0.5 * (0.04 - 0.21 / 9) + 0.5 * (0.0 - 0.24 / 9)
    assert effect.details["square"] == pytest.approx(expected, rel=1e-12)
    assert effect.estimate == 0.0
    assert effect.details["n_bins"] == 2


def test_exchanging_two_classes_changes_nothing():
    y = [1] * 7 + [0] * 3
    positive = rmsce(Predictions(y, [0.9] * 10))
    negative = rmsce(Predictions(1 - np.array(y), [0.1] * 10))
    assert negative.details["square"] == pytest.approx(positive.details["square"], rel=1e-12)


@pytest.mark.parametrize(
    ("probability", "ids"),
    [
        ([0.6, 0.6, 0.6, 0.9], [0, 0, 0, 0]),
        ([0.6, 0.7, 0.8, 0.9], [0, 0, 1, 1]),
        ([0.6, 0.6, 0.6, 0.7, 0.8, 0.9], [0, 0, 0, 1, 1, 1]),
        ([0.9], [0]),
    ],
)
def test_bins_have_at_least_two_rows(probability, ids):
    binned = EventBins.of(Predictions([1] * len(probability), probability))
    assert binned.ids.tolist() == ids


def test_fifteen_bins_where_there_are_rows():
    assert rmsce(Predictions(*oracles.sample(0, 30, 3))).details["n_bins"] == 15
    assert rmsce(Predictions(*oracles.sample(0, 3000, 3))).details["n_bins"] == 15


@pytest.mark.parametrize("name", oracles.DEGENERATE)
def test_degenerate_data_give_an_answer_with_a_reason(name):
    effect = rmsce(oracles.DEGENERATE[name])
    assert effect.interval.is_known != bool(effect.note)


def test_one_row_has_no_bins():
    effect = rmsce(oracles.DEGENERATE["one row"])
    assert math.isnan(effect.estimate)
    assert "two rows" in effect.note


def test_square_is_unbiased_and_covered():
    # Confidences .6, .75, .95 are the bins themselves, accuracies .7, .55, .85: the true square is
    # (.01 + .04 + .01)/3 = .02. 400 data sets of 300 rows: mean within three of its standard
    # errors; coverage .95 ± 3·.011, and .015 for the normal approximation below.
    confidence, truth = np.array([0.6, 0.75, 0.95]), np.array([0.7, 0.55, 0.85])
    rng = np.random.default_rng(0)
    squares, covered = [], 0
    for _ in range(400):
        a = np.repeat([0, 1, 2], 100)
        y = (rng.random(300) < truth[a]).astype(int)
        effect = rmsce(Predictions(y, confidence[a]))
        squares.append(effect.details["square"])
        covered += math.sqrt(0.02) in effect.interval
    assert abs(np.mean(squares) - 0.02) < 3 * np.std(squares) / 20
    assert 0.95 - 3 * 0.011 - 0.015 < covered / 400 < 0.95 + 3 * 0.011


def test_a_row_with_nearly_all_weight_leaves_no_interval():
    effect = rmsce(oracles.DEGENERATE["nearly all weight on one of three"])
    # gap .4; two rows of weight ε without the event beside it: noise 2ε·κ/(1−κ) = 2ε/(4ε)
    assert effect.details["square"] == pytest.approx(0.16 - 0.5, rel=1e-3)
    assert not effect.interval.is_known


@pytest.mark.parametrize("n", [5, 40])
def test_blocks_of_rows_do_not_show(limit, n):
    y, p = oracles.sample(1, n, 3)
    whole = rmsce(Predictions(y, p))
    limit(lens_rows=3)
    assert rmsce(Predictions(y, p)) == whole


def test_one_event_among_predictions_of_nearly_zero_is_not_within_a_small_error():
    predictions = Predictions([0] * 19 + [1], [1e-9] * 20)
    high = stats.beta.ppf(0.95, 2, 19)  # Clopper and Pearson: 1 of 20, one-sided
    assert upper_bound(rmsce(predictions)) == pytest.approx(high - 1e-9, rel=1e-12)
    assert not cal.calibration_test(predictions, rng=0).within(0.03)


def test_the_upper_bound_is_at_least_that_of_the_mean_error_with_weights_too():
    rng = np.random.default_rng(0)
    p = rng.beta(0.05, 20.0, 400)
    y = rng.random(400) < p
    weights = rng.integers(1, 4, 400)
    for sample_weight in (None, weights):
        predictions = Predictions(y, p, sample_weight=sample_weight)
        w = np.ones(400) if sample_weight is None else weights
        size, share = w.sum() ** 2 / (w**2).sum(), np.average(y, weights=w)
        high = stats.beta.ppf(0.95, share * size + 1, (1 - share) * size)
        assert upper_bound(rmsce(predictions)) >= high - np.average(p, weights=w)


def hidden_error(n, size, seed=0):
    """Rows of two classes off by `size`, up and down in turn in 60 quantiles: four of each bin."""
    rng = np.random.default_rng(seed)
    p = np.sort(rng.uniform(0.3, 0.7, n))
    sign = np.where(np.arange(n) * 60 // n % 2, 1.0, -1.0)
    return (rng.random(n) < p + sign * size).astype(int), p


def test_an_error_inside_the_bins_counts_in_the_bound_where_finer_bins_show_it():
    found = rmsce(Predictions(*hidden_error(6000, 0.2)))
    assert found.estimate < 0.1  # the bins average over it
    assert 0.19 < math.sqrt(found.details["fine_square"]) < 0.21
    assert 0.2 < upper_bound(found) < 0.23
    clustered = Predictions(*hidden_error(6000, 0.2), clusters=np.arange(6000))
    assert upper_bound(rmsce(clustered)) == pytest.approx(upper_bound(found), rel=0.02)


def test_finer_bins_are_not_asked_where_rows_are_few_or_show_nothing():
    assert "fine_square" not in rmsce(Predictions(*hidden_error(2900, 0.2))).details
    assert "fine_square" not in rmsce(Predictions(*hidden_error(6000, 0.0))).details
