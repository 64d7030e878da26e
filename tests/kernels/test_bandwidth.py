"""Bandwidth rules and the exact medians and means behind them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from calibrant._execution import limited
from calibrant.kernels import (
    Laplacian,
    Mean,
    Median,
    mean_bandwidth,
    median_bandwidth,
)
from calibrant.kernels._line_order import LineDistances
from calibrant.kernels._metrics import PairDistances, pairwise
from calibrant.kernels._order import Numbers

METRICS = ["tv", "euclidean", "hellinger"]


def matrix(metric, x):
    x = np.asarray(x)
    if metric == "classwise":
        return np.abs(x[:, None, :] - x[None, :, :]).transpose(2, 0, 1)
    return pairwise(metric, x, x)[None]


def pairs(metric, x):
    return matrix(metric, x)[:, *np.triu_indices(len(x), k=1)].ravel()


@pytest.fixture
def y_prob():
    return np.random.default_rng(3).dirichlet(np.full(4, 0.4), 60)


@pytest.mark.parametrize("metric", [*METRICS, "classwise"])
@pytest.mark.parametrize("n", [2, 3, 4, 5, 59, 60])
def test_median_equals_numpy_on_the_full_matrix(metric, n, y_prob):
    x = y_prob[:n]
    assert median_bandwidth(x, metric) == np.median(pairs(metric, x))
    assert median_bandwidth(x, metric, diagonal=True) == np.median(matrix(metric, x))


@pytest.mark.parametrize("metric", [*METRICS, "classwise"])
@pytest.mark.parametrize("n", [2, 3, 60])
def test_mean_equals_numpy_on_the_full_matrix(metric, n, y_prob):
    x = y_prob[:n]
    np.testing.assert_allclose(
        mean_bandwidth(x, metric), pairs(metric, x).mean(), rtol=1e-14, atol=0.0
    )


@given(
    x=st.lists(st.sampled_from([(1, 0, 0), (0, 1, 0), (0.5, 0.5, 0)]), min_size=2, max_size=40),
    diagonal=st.booleans(),
    kept=st.sampled_from([1, 5, 10_000]),
)
@settings(max_examples=60)
def test_median_of_predictions_with_many_equal_rows(x, diagonal, kept):
    distances = matrix("tv", x) if diagonal else pairs("tv", x)
    positive = distances[distances > 0]
    expected = np.median(distances) or (positive.mean() if positive.size else 1.0)
    with limited(sorted_distances=kept):
        assert median_bandwidth(x, "tv", diagonal) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("metric", [*METRICS, "classwise"])
def test_more_distances_than_may_be_kept(core, metric, limit):
    x = np.random.default_rng(5).dirichlet(np.full(3, 0.5), 400)
    expected = np.median(pairs(metric, x)), np.median(matrix(metric, x))
    limit(sorted_distances=500)
    assert median_bandwidth(x, metric) == expected[0]
    assert median_bandwidth(x, metric, diagonal=True) == expected[1]


def test_native_counts_are_those_of_the_streamed_distances(native, limit):
    x = np.random.default_rng(5).dirichlet(np.full(3, 0.5), 90)
    limit(distance_tile=32)
    for metric in [*METRICS, "classwise"]:
        numbers = PairDistances(metric, x)
        begin = {int(d.view(np.int64) >> 47) for d in pairs(metric, x)[:3]}
        places = [(0, 63, 47), *((prefix, 47, 31) for prefix in begin)]
        for prefix, shift, finer in places:
            found = []
            for kind in (PairDistances, Numbers):
                counts = kind.count_digits(numbers, prefix, shift, finer)
                kept, beyond = kind.collect(numbers, prefix, shift, int(counts.sum()))
                found.append((counts, np.sort(kept), beyond))
            for one, other in zip(*found, strict=True):
                np.testing.assert_array_equal(one, other)


#: probabilities of one of two classes: all different, few values, a fine grid, two clusters
TWO_CLASSES = {
    "different": lambda rng: rng.random(301),
    "few": lambda rng: np.round(rng.random(300), 1),
    "grid": lambda rng: np.round(rng.random(300), 3),
    "clusters": lambda rng: np.repeat([0.25, 0.75], 50) + 1e-17,
    "unequal clusters": lambda rng: np.repeat([0.2, 0.7, 0.9], [100, 3, 50]),
    "constant": lambda rng: np.full(40, 0.3),
}


@pytest.mark.parametrize("few", [1, 100, 1 << 16])
@pytest.mark.parametrize("sums", ["exact", "single precision", "free"])
@pytest.mark.parametrize("name", TWO_CLASSES)
def test_two_classes_are_sorted_and_give_the_same_median(name, sums, few, limit):
    rng = np.random.default_rng(2)
    p = TWO_CLASSES[name](rng)
    x = np.column_stack([1 - p, p])
    if sums == "single precision":
        x = x.astype(np.float32).astype(np.float64)
        x[:, 0] += rng.integers(-3, 4, len(x)) * 2.0**-24
    if sums == "free":
        x[:, 0] *= rng.choice([0.5, 1.0], len(x))
    limit(sorted_distances=1, line_few=few)
    for diagonal in (False, True):
        distances = matrix("tv", x) if diagonal else pairs("tv", x)
        expected = np.median(distances)
        if expected == 0.0:
            positive = distances[distances > 0]
            expected = positive.mean() if positive.size else 1.0
            found = median_bandwidth(x, diagonal=diagonal)
            assert found == pytest.approx(expected, rel=1e-13)
        else:
            assert median_bandwidth(x, diagonal=diagonal) == expected


def test_two_classes_too_far_from_a_line_are_counted(limit):
    x = np.random.default_rng(1).random((60, 2))
    limit(sorted_distances=1, line_many=10, line_candidates=1, line_few=10)
    assert LineDistances.of(x).in_order(900) is None
    assert median_bandwidth(x) == np.median(pairs("tv", x))


def test_median_zero_falls_back_to_the_mean_of_the_positive_distances():
    x = [[1.0, 0.0]] * 9 + [[0.75, 0.25], [0.5, 0.5]]
    # 9 distances of each of 1/4 and 1/2, one more of 1/4, among 55
    expected = (10 * 0.25 + 9 * 0.5) / 19
    assert median_bandwidth(x) == pytest.approx(expected, rel=1e-15)
    assert median_bandwidth(x, diagonal=True) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("x", [[[0.3, 0.7]], [[0.3, 0.7]] * 5])
@pytest.mark.parametrize("metric", [*METRICS, "classwise"])
def test_no_positive_distance_gives_one(x, metric):
    assert median_bandwidth(x, metric) == 1.0
    assert median_bandwidth(x, metric, diagonal=True) == 1.0
    assert mean_bandwidth(x, metric) == 1.0


def test_mean_of_nearly_equal_predictions_keeps_its_digits():
    shift = np.array([0.0, 1.0, 3.0]) * 2.0**-50
    x = np.column_stack([0.5 + shift, 0.5 - shift])
    assert mean_bandwidth(x) == 2.0 * 2.0**-50


def test_rules_thin_large_data_evenly():
    x = np.random.default_rng(7).dirichlet(np.full(4, 0.4), 103)
    thinned = x[np.linspace(0, 102, 20).astype(int)]
    assert Median(max_rows=20).resolve(x, "tv") == median_bandwidth(thinned)
    assert Mean(max_rows=20).resolve(x, "hellinger") == mean_bandwidth(thinned, "hellinger")
    assert Median(max_rows=None).resolve(x, "tv") == median_bandwidth(x)
    assert Median(max_rows=20).resolve(thinned, "tv") == median_bandwidth(thinned)
    # four classes: four differences for a pair, half the rows
    halved = x[np.linspace(0, 102, 10).astype(int)]
    classwise = median_bandwidth(halved, "classwise")
    assert Median(max_rows=20).resolve(x, "classwise") == classwise


def test_default_rules_use_2000_rows():
    x = np.random.default_rng(8).dirichlet(np.ones(2), 2001)
    thinned = x[np.linspace(0, 2000, 2000).astype(np.int64)]
    assert Laplacian().resolve(x).bandwidth == median_bandwidth(thinned)
    assert Laplacian(Mean()).resolve(x).bandwidth == mean_bandwidth(thinned)
    assert Laplacian(Median()).resolve(x[:2000]).bandwidth == median_bandwidth(x[:2000])


def test_the_papers_median_as_a_rule(y_prob):
    rule = Median(diagonal=True)
    assert rule.resolve(y_prob, "tv") == median_bandwidth(y_prob, diagonal=True)


def test_rules_are_values():
    assert Median() == Median()
    assert hash(Median(diagonal=True)) != hash(Median())
    assert pickle.loads(pickle.dumps(Mean())) == Mean()


def test_a_rule_of_the_user():
    class Widest:
        def resolve(self, y_prob, metric):
            return float(pairs(metric, y_prob).max())

    assert Laplacian(Widest()).resolve(np.eye(3)).bandwidth == 1.0


def test_lists_and_single_precision_are_welcome(y_prob):
    assert median_bandwidth(y_prob.tolist()) == median_bandwidth(y_prob)
    single = y_prob.astype(np.float32)
    assert median_bandwidth(single) == median_bandwidth(single.astype(float))


@pytest.mark.parametrize("function", [median_bandwidth, mean_bandwidth])
def test_bad_arguments_are_refused(function):
    with pytest.raises(ValueError, match=r"`metric` must be one of 'tv', .*; got 'manhattan'"):
        function([[0.5, 0.5]], metric="manhattan")
    with pytest.raises(ValueError, match=r"`y_prob` must be a non-empty array"):
        function([0.5, 0.5])


def test_max_rows_is_checked():
    with pytest.raises(ValueError, match=r"`max_rows` must be at least 2"):
        Median(max_rows=1)
    with pytest.raises(ValueError, match=r"`max_rows` must be at least 2"):
        Mean(max_rows=0)
