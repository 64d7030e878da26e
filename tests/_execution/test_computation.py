"""What a computation is known by."""

import numpy as np
import pytest

import calibrant as cal
from calibrant._execution import computation


def test_a_computation_is_known_by_numbers_shapes_and_settings():
    y, p = np.arange(4), np.linspace(0.0, 1.0, 8).reshape(4, 2)
    one = computation(y, p, None, method="Exact()")
    assert one == computation(y.copy(), p.copy(), None, method="Exact()")
    assert one["input"] != computation(y, p.reshape(2, 4), None)["input"]
    assert one["input"] != computation(y, np.nextafter(p, 2.0), None)["input"]
    assert one["input"] != computation(y, p, np.ones(4))["input"]
    assert one != computation(y, p, None, method="Moments()")


def test_functions_are_the_same_in_the_next_process():
    described = computation(kernel=f"FunctionKernel({len!r}, {pytest.raises!r})")
    assert " at 0x" not in described["kernel"]


def test_functions_of_the_same_name_are_told_apart():
    def described(function):
        return computation(estimator=cal.SKCE(cal.kernels.FunctionKernel(function)))

    def scaled(by):
        return lambda p, q: by * p @ q.T

    assert described(scaled(2)) == described(scaled(2))
    assert described(scaled(2)) != described(scaled(3))
    assert described(lambda p, q: p @ q.T) != described(lambda p, q: 2 * p @ q.T)
    assert described(lambda p, q: np.cos(p @ q.T)) != described(lambda p, q: np.exp(p @ q.T))
    assert "functions and arrays" not in computation(estimator=cal.SKCE())
