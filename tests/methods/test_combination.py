"""Combining statistics: pooled tails, harmonic means, and the symmetry that makes it exact."""

import math

import numpy as np
import pytest
from scipy import stats

from calibrant._engine import two_sided_tail
from calibrant.methods._combination import combine, harmonic_mean, pooled_tails
from calibrant.methods._pearson import pearson3_sf


def statistics(k=3, sets=20, seed=0):
    return np.random.default_rng(seed).gamma(2.0, size=(k, sets)) - 2.0


def test_pooled_tails_are_pearson_tails_of_pooled_moments():
    S = statistics()
    found = pooled_tails(S)
    for row, tails in zip(S, found, strict=True):
        sd = math.sqrt(math.fsum(s * s for s in row) / 20)
        g = math.fsum((s / sd) ** 3 for s in row) / 20
        np.testing.assert_allclose(tails, [pearson3_sf(s / sd, g) for s in row], rtol=1e-12)


def test_a_component_without_variance_says_nothing():
    S = statistics()
    S[1] = 0.0
    found = pooled_tails(S)
    np.testing.assert_array_equal(found[1], 1.0)
    np.testing.assert_array_equal(found[[0, 2]], pooled_tails(S[[0, 2]]))


def test_pooled_tails_do_not_depend_on_the_unit():
    S = statistics()
    np.testing.assert_allclose(pooled_tails(1e-12 * S), pooled_tails(S), rtol=1e-9)


def test_two_sided_tails_are_normal_and_never_zero():
    z = np.array([0.0, -1.0, 2.0, 60.0])
    expected = [1.0, 2 * stats.norm.sf(1), 2 * stats.norm.sf(2), 1e-300]
    np.testing.assert_allclose(two_sided_tail(z), expected, rtol=1e-12)


def test_harmonic_mean_and_combination_are_literal():
    tails = np.array([[0.5, 0.01], [0.25, 1.0], [1.0, 0.1]])
    np.testing.assert_allclose(harmonic_mean(tails), [3 / (2 + 4 + 1), 3 / (100 + 1 + 10)])
    families = {"kernel": np.array([0.5, 0.1]), "brier": np.array([0.2, 1.0])}
    M = [1 / (1 / 0.5 + 1 / 0.2), 1 / (1 / 0.1 + 1.0)]
    np.testing.assert_allclose(combine(families), -np.log(M), rtol=1e-14)


def test_the_smallest_tails_do_not_overflow():
    assert np.isfinite(combine({"a": np.array([1e-300]), "b": np.array([1e-300])})).all()
    assert np.isfinite(harmonic_mean(np.full((4, 1), 1e-300))).all()


@pytest.mark.parametrize("seed", range(3))
def test_label_sets_are_treated_alike(seed):
    # whichever set was observed, its combination is the same: the rank is uniform
    S, z = statistics(seed=seed), np.random.default_rng(seed + 50).normal(size=20)

    def combined(order):
        return combine(
            {"a": harmonic_mean(pooled_tails(S[:, order])), "b": two_sided_tail(z[order])}
        )

    order = np.random.default_rng(seed + 90).permutation(20)
    np.testing.assert_allclose(combined(order), combined(np.arange(20))[order], rtol=1e-9)
