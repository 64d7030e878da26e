"""The root of an increasing function on a positive interval, by Newton's method within bounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

#: a Newton step this small, relative to the point, is the last: the next error is its square
_LAST_STEP = 1e-5
_MAX_STEPS = 200


@dataclass(frozen=True)
class Root:
    """The root, or the bound if the function does not cross zero within the bounds."""

    x: float
    at_bound: bool = False


def find_root(
    f: Callable[[float], tuple[float, float]], start: float, low: float, high: float
) -> Root:
    """Return the root of an increasing `f` in [low, high], low > 0.

    Parameters
    ----------
    f : callable
        ``f(x)`` returns value and slope. It is called few times: once for a good start, and at a
        bound only if Newton's method leads there or becomes slow.
    start, low, high : float
        The start and the bounds.

    Returns
    -------
    Root
        If f has one sign on all of [low, high], the bound, with ``at_bound=True``.

    Examples
    --------
    >>> from calibrant.effects._root import find_root
    >>> round(find_root(lambda x: (x * x - 2.0, 2.0 * x), 1.0, 0.05, 20.0).x, 9)
    1.414213562
    >>> find_root(lambda x: (x - 30.0, 1.0), 1.0, 0.05, 20.0)
    Root(x=20.0, at_bound=True)
    """
    a, b = low, high  # the root is in [a, b]; a bound is seen once f was evaluated there
    seen_a = seen_b = False
    x, last = min(max(start, low), high), math.inf
    for _ in range(_MAX_STEPS):
        value, slope = f(x)
        if (x == low and value >= 0) or (x == high and value <= 0):
            return Root(x, at_bound=True)
        if value == 0:
            return Root(x)
        if value < 0:
            a, seen_a = x, True
        else:
            b, seen_b = x, True
        target = x - value / slope if slope > 0 else math.copysign(math.inf, -value)
        inside = a < target < b
        if (inside and abs(target - x) <= _LAST_STEP * x) or b - a <= 1e-14 * b:
            return Root(target if inside else x)
        slow, last = abs(value) > 0.25 * last, abs(value)
        if inside and not slow:
            x = target
        elif not (seen_b if value < 0 else seen_a):
            x = high if value < 0 else low
        else:
            x = math.sqrt(a * b)
    return Root(x)
