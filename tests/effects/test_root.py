import math

import pytest

from calibrant.effects._root import find_root


@pytest.mark.parametrize("start", [0.05, 0.3, 1.0, 20.0, 1e9, -math.inf])
@pytest.mark.parametrize("root", [0.06, 1.0, 2.5, 19.0])
def test_root_is_found_from_any_start(start, root):
    # atan has a slope that misleads Newton's method far away
    def f(x):
        t = 5.0 * (x - root)
        return math.atan(t), 5.0 / (1.0 + t * t)

    found = find_root(f, start, 0.05, 20.0)
    assert found.x == pytest.approx(root, rel=1e-8)
    assert not found.at_bound


def test_slow_newton_goes_to_the_bound():
    calls = []

    def f(x):  # no root: Newton's steps would all have length 1/9
        calls.append(x)
        return -math.exp(-9.0 * x), 9.0 * math.exp(-9.0 * x)

    assert find_root(f, 1.0, 0.05, 20.0).x == 20.0
    assert find_root(f, 1.0, 0.05, 20.0).at_bound
    assert len(calls) < 20


def test_flat_function_ends_at_the_bound_it_points_to():
    assert find_root(lambda x: (1.0, 0.0), 1.0, 0.05, 20.0).x == 0.05
    assert find_root(lambda x: (-1.0, 0.0), 1.0, 0.05, 20.0).x == 20.0


def test_steps_are_found_by_bisection():
    found = find_root(lambda x: (1.0 if x > 3.0 else -1.0, 0.0), 1.0, 0.05, 20.0)
    assert found.x == pytest.approx(3.0, rel=1e-12)
