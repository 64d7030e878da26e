import numpy as np
import pytest
from scipy import stats

from calibrant._engine import SMALLEST
from calibrant.methods._pearson import pearson3_sf


@pytest.mark.parametrize("skewness", [-3.0, -1.0, -0.2, 1e-3, 0.2, 1.0, 2.0, 4.0])
def test_tail_is_that_of_the_pearson_three_distribution(skewness):
    z = np.linspace(-4, 6, 41)
    expected = np.clip(stats.pearson3.sf(z, skewness), SMALLEST, 1)
    np.testing.assert_allclose(pearson3_sf(z, skewness), expected, rtol=1e-9)


def test_far_tail_keeps_its_relative_accuracy():
    # Skewness 2 is the exponential distribution: the tail at z is exp(-1 - z) exactly.
    z = np.array([10.0, 100.0, 600.0, 680.0])
    np.testing.assert_allclose(pearson3_sf(z, 2.0), np.exp(-1 - z), rtol=1e-11)
    # Skewness √2 has shape 2: the tail at x = 2 + z√2 is (1 + x)·exp(-x).
    x = 2 + z * np.sqrt(2)
    expected = np.maximum((1 + x) * np.exp(-x), SMALLEST)
    np.testing.assert_allclose(pearson3_sf(z, np.sqrt(2)), expected, rtol=1e-11)


@pytest.mark.parametrize("sign", [-1, 1])
def test_tail_passes_smoothly_into_the_normal_one(sign):
    z = np.array([-3.0, 0.0, 2.0, 8.0, 20.0])
    normal = pearson3_sf(z, 0.0)
    np.testing.assert_array_equal(normal, stats.norm.sf(z))
    np.testing.assert_array_equal(pearson3_sf(z, sign * 0.9e-6), normal)
    np.testing.assert_allclose(pearson3_sf(z, sign * 1.1e-6), normal, rtol=5e-3)


@pytest.mark.parametrize(
    ("z", "skewness", "expected"),
    [
        (8, -1e-3, 5.71099420452229e-16),
        (8, 1e-3, 6.77299575625343e-16),
        (8, -1e-4, 6.16812147521921e-16),
        (5, -0.01, 2.32019203557805e-7),
        (2, 1e-4, 0.0227528314290136),
    ],
)
def test_nearly_normal_tail_is_exact_where_scipy_is_not(z, skewness, expected):
    # The density integrated with 60 digits (mpmath 1.3): scipy.stats.pearson3 has .56 times the
    # value at (8, -1e-4).
    np.testing.assert_allclose(pearson3_sf(z, skewness), expected, rtol=2e-9)


def test_negative_skewness_mirrors():
    z = np.linspace(-3, 3, 13)
    np.testing.assert_allclose(pearson3_sf(z, -0.7), 1 - pearson3_sf(-z, 0.7), atol=1e-14)


def test_tail_is_one_before_and_the_floor_behind_the_end_of_the_support():
    assert pearson3_sf(-1.01, 2.0) == 1
    assert pearson3_sf(1.01, -2.0) == SMALLEST
    assert pearson3_sf(1e9, 0.3) == SMALLEST
    assert pearson3_sf(1e9, 0.0) == SMALLEST
    assert pearson3_sf(1e9, 1e-3) == SMALLEST
    assert pearson3_sf(1e9, -1e-3) == SMALLEST


def test_z_and_skewness_broadcast():
    assert pearson3_sf(np.zeros((3, 1)), np.array([-1.0, 0.0, 1.0, 2.0])).shape == (3, 4)
    assert pearson3_sf(1.0, 0.5).shape == ()


@pytest.mark.parametrize(("z", "g"), [(np.nan, 0.0), (0.0, np.nan), (np.inf, 1.0)])
def test_a_statistic_without_variance_is_refused(z, g):
    with pytest.raises(ValueError, match="without variance"):
        pearson3_sf(z, g)
