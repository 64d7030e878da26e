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


@pytest.mark.parametrize("centered", [True, False])
def test_pooled_tails_are_pearson_tails_of_the_moments_of_the_others(centered):
    S = statistics() + 0.3
    found = pooled_tails(S, centered=centered)
    for row, tails in zip(S, found, strict=True):
        for b, (s, tail) in enumerate(zip(row, tails, strict=True)):
            others = np.delete(row, b)
            mean = 0.0 if centered else math.fsum(others) / 19
            sd = math.sqrt(math.fsum((x - mean) ** 2 for x in others) / 19)
            g = math.fsum(((x - mean) / sd) ** 3 for x in others) / 19
            assert tail == pytest.approx(pearson3_sf((s - mean) / sd, g), rel=1e-9)


def test_a_label_set_does_not_hide_behind_its_own_deviation():
    # nine times as far out as nineteen others: pooled with itself it would be two deviations out
    S = np.array([[9.0] + [1.0, -1.0] * 9 + [1.0]])
    assert pooled_tails(S)[0, 0] < 1e-12


def test_the_only_label_set_that_says_something_has_the_smallest_tail():
    found = pooled_tails(np.array([[2.0, 0.0, 0.0], [-2.0, 0.0, 0.0]]))
    assert found[0, 0] == 1e-300
    assert found[1, 0] == 1.0
    assert found[0, 1] > 0.1


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
    weighted = harmonic_mean(tails, np.array([2.0, 1.0, 3.0]))
    np.testing.assert_allclose(weighted, [6 / (4 + 4 + 3), 6 / (200 + 1 + 30)])
    families = {"kernel": np.array([0.5, 0.1]), "brier": np.array([0.2, 1.0])}
    M = [1 / (0.25 / 0.5 + 0.75 / 0.2), 1 / (0.25 / 0.1 + 0.75)]
    weights = {"kernel": 1.0, "brier": 3.0, "log": 7.0}
    np.testing.assert_allclose(combine(families, weights), -np.log(M), rtol=1e-14)


def test_the_smallest_tails_do_not_overflow():
    assert np.isfinite(
        combine({"a": np.array([1e-300]), "b": np.array([1e-300])}, {"a": 1.0, "b": 2.0})
    ).all()
    assert np.isfinite(harmonic_mean(np.full((4, 1), 1e-300))).all()


@pytest.mark.parametrize("seed", range(3))
def test_label_sets_are_treated_alike(seed):
    # whichever set was observed, its combination is the same: the rank is uniform
    S, z = statistics(seed=seed), np.random.default_rng(seed + 50).normal(size=20)

    def combined(order):
        kernel, other = (
            harmonic_mean(pooled_tails(S[:, order], centered=centered))
            for centered in (True, False)
        )
        tails = {"a": kernel, "b": two_sided_tail(z[order]), "c": other}
        return combine(tails, {"a": 1.0, "b": 2.0, "c": 0.5})

    order = np.random.default_rng(seed + 90).permutation(20)
    np.testing.assert_allclose(combined(order), combined(np.arange(20))[order], rtol=1e-9)
