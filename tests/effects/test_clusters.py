"""Intervals of clustered rows: sums of clusters, pairs in different clusters."""

import numpy as np
import pytest

import calibrant as cal
from calibrant import Predictions, effects
from calibrant.effects._clustered_rmsce import clustered_square
from calibrant.effects._event_bins import EventBins
from calibrant.estimators._inside_sums import inside_sums

NAMES = ("accuracy", "brier", "log_loss", "bias", "temperature", "slope", "intercept")


def sample(n=240, m=3, size=4, seed=0):
    y, p = cal.models.TemperatureModel(0.7, m, temperature=1.4).sample(n, rng=seed)
    return y, p, np.arange(n) // size


@pytest.mark.parametrize("m", [2, 4])
@pytest.mark.parametrize("name", NAMES)
def test_copies_of_a_row_leave_the_interval_as_it_is(name, m):
    y, p, _ = sample(150, m)
    alone = getattr(effects, name)(Predictions(y, p, clusters=np.arange(150)))
    index = np.repeat(np.arange(150), 4)
    four = getattr(effects, name)(Predictions(y[index], p[index], clusters=index))
    assert four.estimate == pytest.approx(alone.estimate, rel=1e-6, abs=1e-9)
    ends = [alone.interval.low, alone.interval.high]
    np.testing.assert_allclose([four.interval.low, four.interval.high], ends, rtol=0.02, atol=2e-3)
    naive = getattr(effects, name)(Predictions(y[index], p[index]))
    width = four.interval.high - four.interval.low
    assert naive.interval.high - naive.interval.low < 0.7 * width


@pytest.mark.parametrize("weighted", [False, True])
def test_means_have_the_error_of_cluster_sums(weighted):
    y, p, index = sample()
    w = np.random.default_rng(1).random(len(y)) + 0.2 if weighted else None
    rows = Predictions(y, p, clusters=index, sample_weight=w)
    scores = np.sum((np.eye(3)[y] - p) ** 2, axis=1)
    share = rows.weights / rows.weights.sum()
    mean = share @ scores
    sums = np.bincount(index, share * (scores - mean))
    expected = np.sqrt(60 / 59 * np.sum(sums**2))
    assert effects.brier(rows).standard_error == pytest.approx(expected, rel=1e-10)


def test_inside_sums_are_plain_loops():
    y, p, _ = sample(40)
    sizes = np.array([1, 3, 3, 5, 1, 7, 20])
    index = np.repeat(np.arange(7), sizes)
    rows = Predictions(y, p, clusters=index, sample_weight=np.arange(40) % 3 + 1.0)
    kernel = cal.kernels.Laplacian(0.3)
    r = rows.weighted_residuals
    h = kernel(p, p) * (r @ r.T)
    codes = rows.cluster_index
    expected = np.zeros(7)
    for i in range(40):
        for j in range(40):
            if i != j and codes[i] == codes[j]:
                expected[codes[i]] += h[i, j]
    np.testing.assert_allclose(inside_sums(rows, kernel), expected, rtol=1e-10, atol=1e-12)


def test_the_skce_interval_leaves_out_clusters():
    y, p, index = sample(60, size=3)
    rows = Predictions(y, p, clusters=index)
    kernel = cal.kernels.Laplacian(0.3)
    r = rows.residuals
    h = kernel(p, p) * (r @ r.T)
    other = index[:, None] != index[None, :]

    def between(kept):
        pairs = np.outer(kept, kept) & other
        return h[pairs].sum() / pairs.sum()

    effect = effects.skce_interval(rows, cal.SKCE(kernel))
    assert effect.details["center"] == pytest.approx(between(np.ones(60, bool)), rel=1e-9)
    without = np.array([between(index != g) for g in range(20)])
    error = np.sqrt(19 / 20 * np.sum((without - without.mean()) ** 2))
    assert effect.standard_error == pytest.approx(error, rel=1e-8)
    assert effect.estimate == pytest.approx(cal.SKCE(kernel)(y, p), rel=1e-12)


def test_the_squared_error_of_bins_is_a_mean_over_pairs_of_clusters():
    y, p, index = sample(90, m=2, size=3)
    rows = Predictions(y, p, clusters=index)
    binned = EventBins.of(rows, 4)
    found = clustered_square(binned, rows.weights, rows.cluster_index)
    gap = binned.probability - binned.hit

    def square(kept):
        total = weight = 0.0
        for b in range(binned.ids.max() + 1):
            some = np.flatnonzero((binned.ids == b) & kept)
            pairs = [(i, j) for i in some for j in some if index[i] != index[j]]
            total += len(some) * np.mean([gap[i] * gap[j] for i, j in pairs])
            weight += len(some)
        return total / weight

    assert found.estimate == pytest.approx(square(np.ones(90, bool)), rel=1e-9)
    without = np.array([square(index != g) for g in range(30)])
    error = np.sqrt(29 / 30 * np.sum((without - without.mean()) ** 2))
    assert found.error == pytest.approx(error, rel=1e-8)
    assert found.null_variance > 0.0


def test_folds_keep_clusters_together():
    # copies of a row in several folds would let the repair learn the labels that it is judged on
    y, p, _ = sample(60, size=1, seed=3)
    index = np.repeat(np.arange(60), 5)
    known = effects.calibration_loss(Predictions(y[index], p[index], clusters=index))
    assert known.interval.high - known.interval.low > 0.02
    assert sum(known.details["maps"].values()) == 10


def test_directions_have_the_variance_between_clusters():
    y, p, _ = sample(80, size=1)
    index = np.repeat(np.arange(80), 4)
    alone = effects.direction(Predictions(y, p))
    four = effects.direction(Predictions(y[index], p[index], clusters=index))
    naive = effects.direction(Predictions(y[index], p[index]))
    assert naive.z == pytest.approx(2 * alone.z)
    assert abs(four.z) < 1.5 * abs(alone.z)


@pytest.mark.parametrize(("n_clusters", "known"), [(9, False), (10, True)])
def test_few_clusters_leave_the_calibration_loss_without_an_interval(n_clusters, known):
    y, p, _ = sample(n_clusters, size=1)
    index = np.repeat(np.arange(n_clusters), 5)
    rows = Predictions(y[index], p[index], clusters=index)
    effect = effects.calibration_loss(rows)
    assert np.isfinite(effect.estimate)
    assert effect.interval.is_known is known
    for part in (effect.details["temperature"], effect.details["brier"]):
        assert np.isfinite(part["low"]) == np.isfinite(part["high"]) == known
    assert ("at least 10 clusters; got 9" in effect.note) is not known
