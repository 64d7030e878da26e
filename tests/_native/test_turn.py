"""Cosine and sine of the native core, of angles in turns."""

import numpy as np
import pytest


def turn(native, t, rate=1.0, scale=1.0):
    t = np.ascontiguousarray(t, dtype=float)[None]
    out = np.empty((1, 1, 2, t.shape[1]))
    native.fourier_features(t, np.array([rate]), scale, out)
    return out[0, 0]


def expected(t):
    """Reduce exactly, then let NumPy compute."""
    rest = np.asarray(t) - np.rint(t)
    return np.stack([np.cos(2 * np.pi * rest), np.sin(2 * np.pi * rest)])


def test_small_and_large_angles(native):
    rng = np.random.default_rng(0)
    t = np.concatenate(
        [
            np.linspace(-3, 3, 200_001),
            rng.standard_cauchy(100_000),
            10.0 ** rng.uniform(-300, 14, 100_000),
            -(10.0 ** rng.uniform(-3, 14, 100_000)),
            (np.arange(-1000, 1000) + 0.5) / 4,  # where the reduction changes its integer
        ]
    )
    np.testing.assert_allclose(turn(native, t), expected(t), rtol=0, atol=6e-16)


def test_quarters_of_a_turn_are_exact(native):
    t = np.arange(-8, 9) / 4
    cosine, sine = turn(native, t)
    np.testing.assert_array_equal(cosine, np.resize([1.0, 0, -1, 0], 17))
    np.testing.assert_array_equal(sine, np.resize([0.0, 1, 0, -1], 17))


def test_the_circle(native):
    cosine, sine = turn(native, np.random.default_rng(0).uniform(-100, 100, 100_000))
    np.testing.assert_allclose(cosine**2 + sine**2, 1.0, rtol=0, atol=1e-15)
    assert max(np.abs(cosine).max(), np.abs(sine).max()) <= 1 + 4e-16


def test_angles_without_information_stay_on_the_circle(native):
    t = [2.0**50, -(2.0**51), 1e30, -1e308, np.inf, -np.inf]
    np.testing.assert_array_equal(turn(native, t), [[1.0] * 6, [0.0] * 6])


@pytest.mark.parametrize("n", range(1, 19))
def test_any_length_and_place_gives_the_same_bits(native, n):
    t = np.random.default_rng(n).normal(0, 20, n)
    together = turn(native, t, 0.7, 0.3)
    alone = np.concatenate([turn(native, [a], 0.7, 0.3) for a in t], axis=1)
    np.testing.assert_array_equal(together, alone)
