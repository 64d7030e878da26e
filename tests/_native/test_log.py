"""The logarithm of the native core."""

import numpy as np
import pytest


def log(native, x):
    x = np.ascontiguousarray(x, dtype=float)
    out = np.empty_like(x)
    native.log(x, out)
    return out


def test_two_units_in_the_last_place(native):
    rng = np.random.default_rng(0)
    x = np.concatenate(
        [
            np.exp(rng.uniform(-708, 709, 200_000)),
            rng.random(100_000),
            1.0 + 1e-9 * rng.normal(size=10_000),  # where the logarithm nearly vanishes
            np.ldexp(1.0, np.arange(-1022, 1024)),
            np.ldexp(np.sqrt(0.5) + 1e-16 * np.arange(-3, 4)[:, None], np.arange(-50, 50)).ravel(),
            [np.finfo(float).tiny, np.finfo(float).max],
        ]
    )
    exact = np.log(x)
    assert np.all(np.abs(log(native, x) - exact) <= 2 * np.spacing(np.abs(exact)))


def test_one_has_no_logarithm_but_zero(native):
    assert log(native, np.ones(9)).tolist() == [0.0] * 9


@pytest.mark.parametrize("n", range(19))
def test_any_length_and_place_gives_the_same_bits(native, n):
    x = np.random.default_rng(n).random(n)
    together = log(native, x)
    np.testing.assert_array_equal(together, [log(native, [a])[0] for a in x])
