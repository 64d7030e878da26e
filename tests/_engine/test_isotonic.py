"""Pooling adjacent violators equals a plain loop, for one fit and for many together."""

import numpy as np
import pytest

from calibrant._engine import pool_adjacent


def literal_pool(values, weights):
    blocks = []
    for value, weight in zip(values, weights, strict=True):
        blocks.append((value, weight))
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            (a, u), (b, v) = blocks[-2:]
            blocks[-2:] = [((a * u + b * v) / (u + v), u + v)]
    return np.transpose(blocks)


@pytest.mark.parametrize("seed", range(5))
def test_pooling_is_the_literal_loop(seed):
    rng = np.random.default_rng(seed)
    values, weights = rng.random(200) + np.linspace(0, seed / 4, 200), rng.random(200)
    means, masses, starts = pool_adjacent((values * weights)[None], weights)
    theirs = literal_pool(values, weights)
    np.testing.assert_allclose(means, theirs[0], rtol=1e-12)
    np.testing.assert_allclose(masses, theirs[1], rtol=1e-12)
    np.testing.assert_allclose(np.add.reduceat(weights, starts), masses, rtol=1e-12)


def test_many_fits_are_those_one_by_one():
    rng = np.random.default_rng(0)
    weights, sums = rng.random(50) + 0.1, rng.random((7, 50))
    means, _, starts = pool_adjacent(sums, weights)
    for row, one in enumerate(sums):
        inside = (starts >= 50 * row) & (starts < 50 * (row + 1))
        np.testing.assert_array_equal(means[inside], pool_adjacent(one[None], weights)[0])
