"""The description that identifies a computation."""

import os
import subprocess
import sys
from dataclasses import dataclass
from functools import partial

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


class Scaled:
    """A kernel that keeps what it computes with in itself."""

    def __init__(self, by):
        self.by = by

    def __call__(self, p, q):
        return self.by * p @ q.T


def named_scale(p, q):
    return SCALE["by"] * p @ q.T


SCALE = {"by": 2}
WAYS = {
    "an object": Scaled,
    "a method": lambda by: Scaled(by).__call__,
    "a partial function": lambda by: partial(lambda by, p, q: by * p @ q.T, by),
    "a function that holds an object": lambda by: (lambda held: lambda p, q: held(p, q))(
        Scaled(by)
    ),
    "a default": lambda by: eval(f"lambda p, q, held={{'by': {by}}}: held['by'] * p @ q.T"),
}


@pytest.mark.parametrize("way", WAYS)
def test_what_a_function_holds_tells_it_apart(way):
    def described(by):
        return computation(estimator=cal.SKCE(cal.kernels.FunctionKernel(WAYS[way](by))))

    assert described(2) == described(2)
    assert described(2) != described(3)


def test_what_a_function_names_tells_it_apart(monkeypatch):
    kernel = cal.kernels.FunctionKernel(named_scale)
    before = computation(estimator=kernel)
    assert computation(estimator=kernel) == before
    monkeypatch.setitem(SCALE, "by", 3)
    assert computation(estimator=kernel) != before


def test_the_methods_of_a_users_estimator_tell_it_apart():
    def described(power):
        @dataclass(frozen=True)
        class Mine(cal.Estimator):
            def estimate(self, predictions, parallel=None):
                return float(np.mean(predictions.residuals**power))

        return computation(estimator=Mine())

    assert described(2) == described(2)
    assert described(2) != described(4)


def test_descriptions_are_the_same_in_every_process():
    code = (
        "import calibrant as cal; from calibrant._execution import computation\n"
        "held = {'x', 'y', 'zz'}\n"
        "def kernel(p, q): return p @ q.T if 'x' in {'x', 'y', 'z'} | held else q\n"
        "print(computation(k=cal.kernels.FunctionKernel(kernel), held=[lambda: held]))"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in range(3)
    }
    assert len(found) == 1
