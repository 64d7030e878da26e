"""The exponential function of the native core."""

import numpy as np
import pytest


def exp(native, x):
    x = np.ascontiguousarray(x, dtype=float)
    out = np.empty_like(x)
    native.exp(x, out)
    return out


def ulps(a, b):
    return np.abs(a - b) / np.spacing(np.minimum(np.abs(a), np.abs(b)))


def test_four_units_in_the_last_place(native):
    rng = np.random.default_rng(0)
    x = -np.concatenate(
        [
            np.linspace(0, 708, 200_001)[:-1],
            rng.exponential(size=100_000),
            np.exp(rng.uniform(-700, 6.5, 100_000)),
            np.arange(1, 1000) * np.log(2) + 1e-9 * rng.normal(size=999),
            (np.arange(1000) + 0.5) * np.log(2),  # where the reduction changes its integer
        ]
    )
    x = x[x > -708]
    assert ulps(exp(native, x), np.exp(x)).max() <= 4


def test_special_values(native):
    tiny = np.finfo(float).tiny
    x = [0.0, -0.0, -5e-324, -tiny, -1e-17, np.nextafter(-708, 0)]
    np.testing.assert_allclose(exp(native, x), np.exp(x), rtol=4 * 2.3e-16)
    assert exp(native, [0.0, -0.0]).tolist() == [1.0, 1.0]
    # below −708 a kernel value is as good as 0, and is 0
    assert exp(native, [-708.0, -708.1, -745.0, -1e4, -1e308, -np.inf]).tolist() == [0.0] * 6
    assert np.isnan(exp(native, [np.nan] * 9)).all()


@pytest.mark.parametrize("n", range(19))
def test_any_length_and_place_gives_the_same_bits(native, n):
    x = -np.random.default_rng(n).exponential(20, n)
    together = exp(native, x)
    np.testing.assert_array_equal(together, [exp(native, [a])[0] for a in x])


def test_values_are_in_the_unit_interval_and_fall(native):
    x = np.sort(-np.random.default_rng(0).exponential(50, 100_000))
    values = exp(native, x)
    assert values.min() >= 0
    assert values.max() <= 1
    # neighbors may be out of order by rounding only
    assert np.all(np.diff(values) >= -4e-16 * values[1:])
