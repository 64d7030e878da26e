"""Tiles of distances equal the formulas."""

from __future__ import annotations

import itertools
import math
import tracemalloc

import numpy as np
import pytest
from tests import oracles

from calibrant.kernels._metrics import as_rows, pair_distances, pairwise

FORMULAS = {"tv": oracles.tv, "euclidean": oracles.euclidean, "hellinger": oracles.hellinger}


@pytest.mark.parametrize("metric", FORMULAS)
@pytest.mark.parametrize(("a", "b", "m"), [(1, 1, 2), (5, 3, 4), (20, 33, 11)])
def test_tile_equals_loop(metric, a, b, m, rng):
    s, t = rng.dirichlet(np.full(m, 0.5), a), rng.dirichlet(np.full(m, 0.5), b)
    expected = [[FORMULAS[metric](p, q) for q in t] for p in s]
    np.testing.assert_allclose(pairwise(metric, s, t), expected, rtol=1e-14, atol=1e-16)


@pytest.mark.parametrize("metric", FORMULAS)
def test_a_block_of_rows_has_the_bits_of_the_whole(metric, rng):
    s, t = rng.dirichlet(np.ones(3), 41), rng.dirichlet(np.ones(3), 37)
    whole = pairwise(metric, s, t)
    np.testing.assert_array_equal(pairwise(metric, s[7:12], t[5:]), whole[7:12, 5:])


@pytest.mark.parametrize("metric", FORMULAS)
def test_equal_rows_are_at_distance_zero_and_vertices_far(metric, rng):
    s = rng.dirichlet(np.ones(5), 9)
    np.testing.assert_array_equal(np.diag(pairwise(metric, s, s)), 0.0)
    farthest = {"tv": 1.0, "euclidean": math.sqrt(2.0), "hellinger": 1.0}[metric]
    far = pairwise(metric, np.eye(3)[:1], np.eye(3)[1:2])
    np.testing.assert_allclose(far, farthest, rtol=1e-15)


@pytest.mark.parametrize("metric", FORMULAS)
def test_pairs_come_once_each(metric, rng):
    x = rng.dirichlet(np.ones(3), 23)
    expected = sorted(pairwise(metric, x, x)[np.triu_indices(23, k=1)])
    blocks = pair_distances(metric, x, block=(4, 6))
    np.testing.assert_array_equal(sorted(np.concatenate([*blocks])), expected)


def test_classwise_pairs_are_absolute_differences_of_single_probabilities(rng):
    x = rng.dirichlet(np.ones(3), 7)
    expected = sorted(
        abs(x[i, c] - x[j, c]) for i, j in itertools.combinations(range(7), 2) for c in range(3)
    )
    found = sorted(np.concatenate([*pair_distances("classwise", x)]))
    np.testing.assert_array_equal(found, expected)


def test_pairs_need_the_memory_of_one_block(rng):
    x = rng.dirichlet(np.ones(3), 2500)
    tracemalloc.start()
    for _ in pair_distances("tv", x):
        pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6e6  # the full matrix has 50 MB


def test_hellinger_refuses_negative_probabilities():
    with pytest.raises(ValueError, match=r"'hellinger' needs non-negative .* got -0.1"):
        pairwise("hellinger", np.array([[-0.1, 1.1]]), np.array([[0.5, 0.5]]))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0.2, 0.8], r"`y_prob` must be .*shape \(2,\).*column_stack"),
        (np.empty((0, 3)), r"non-empty"),
        ([[0.5, 0.5], [math.nan, 1.0]], r"must be finite; got \[nan  1.\] in row 1"),
    ],
)
def test_rows_are_checked(values, message):
    with pytest.raises(ValueError, match=message):
        as_rows("y_prob", values)


@pytest.fixture
def rng():
    return np.random.default_rng(1)
