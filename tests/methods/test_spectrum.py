import math

import numpy as np
import pytest
from scipy import stats

from calibrant._engine import SMALLEST
from calibrant.methods._spectrum import power_sums, skewness, weighted_chi2_sf


def sums_of(eigenvalues):
    return tuple(float(np.sum(np.asarray(eigenvalues, float) ** k)) for k in (1, 2, 3, 4))


def test_power_sums_are_those_of_the_eigenvalues_of_the_centered_matrix():
    x = np.random.default_rng(0).normal(size=(9, 4))
    h = x @ x.T
    center = np.eye(9) - 1 / 9
    eigenvalues = np.linalg.eigvalsh(center @ h @ center / 9)
    np.testing.assert_allclose(power_sums(h), sums_of(eigenvalues), rtol=1e-12)


@pytest.mark.parametrize("count", [1, 4, 50])
def test_tail_is_exact_for_equal_eigenvalues(count):
    for z in (-0.5, 0.0, 1.0, 4.0):
        expected = stats.chi2.sf(count + z * math.sqrt(2 * count), count)
        assert weighted_chi2_sf(z, sums_of([0.3] * count)) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(
    "eigenvalues", [[1, 0.5, 0.25], [1, 0.1, 0.1, 0.1, 0.1], 1 / np.arange(1, 30) ** 2]
)
def test_tail_is_near_that_of_the_weighted_sum(eigenvalues):
    eigenvalues = np.asarray(eigenvalues, float)
    draws = np.random.default_rng(0).normal(size=(200_000, len(eigenvalues))) ** 2 - 1
    values = draws @ eigenvalues / math.sqrt(2 * np.sum(eigenvalues**2))
    for z in (0.5, 1.5, 2.5):
        # standard error below .0011; the approximation is good to a few thousandths
        assert weighted_chi2_sf(z, sums_of(eigenvalues)) == pytest.approx(
            np.mean(values >= z), abs=0.012
        )


def test_formula_of_liu_tang_and_zhang():
    _, c2, c3, c4 = sums = sums_of([1, 0.5, 0.25])
    s1, s2 = c3 / c2**1.5, c4 / c2**2
    assert s1**2 <= s2
    freedom = 1 / s1**2
    expected = stats.chi2.sf(2 * math.sqrt(2) / s1 + freedom, freedom)
    assert weighted_chi2_sf(2.0, sums) == pytest.approx(expected, rel=1e-10)


def test_skewness_is_that_of_the_weighted_sum():
    # a χ² variable with k degrees of freedom has the skewness √(8/k)
    assert skewness(sums_of([0.3] * 5)) == pytest.approx(math.sqrt(8 / 5))
    assert skewness(sums_of([1, -1])) == 0


def test_tail_is_one_before_the_support_and_floored_far_away():
    assert weighted_chi2_sf(-5.0, sums_of([1.0])) == 1
    assert weighted_chi2_sf(1e5, sums_of([1.0])) == SMALLEST
