"""Times of several calls, taken in turns so that a busy moment of the machine hits all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

#: a sample lasts at least this long: short calls are repeated within it
SAMPLE = 1e-3

Call = Callable[[], Any]


def side_by_side(calls: Mapping[str, Call], *, repeats: int) -> dict[str, float]:
    """Return the least seconds of each call over interleaved repetitions.

    Every call is warmed up first. A short one is then repeated within a sample, as often as
    warm calls fit in: the others leave its caches cold, and a single call would measure that.
    """
    inner = {name: _fitting(call) for name, call in calls.items()}
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(repeats):
        for name, call in calls.items():
            if inner[name] > 1:
                call()
            best[name] = min(best[name], _sample(call, inner[name]) / inner[name])
    return best


def _fitting(call: Call) -> int:
    """Return how many warm calls make a sample: doubled until they last long enough."""
    call()
    number = 1
    while _sample(call, number) < SAMPLE:
        number *= 2
    return number


def _sample(call: Call, number: int) -> float:
    """Return the seconds of `number` calls in a row."""
    start = perf_counter()
    for _ in range(number):
        call()
    return perf_counter() - start
