"""Times of several calls, measured in turn so that a busy moment affects all of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

#: minimum seconds of a sample; short calls are repeated within it
SAMPLE = 1e-3

Call = Callable[[], Any]
Clock = Callable[[], float]


def side_by_side(
    calls: Mapping[str, Call], *, repeats: int, clock: Clock = perf_counter
) -> dict[str, float]:
    """Return the minimum time of each call over interleaved repetitions.

    Every call is warmed up first. Short calls are then repeated within a sample, because other
    calls leave the caches cold, and a single call would measure that.
    """
    inner = {name: _fitting(call, clock) for name, call in calls.items()}
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(repeats):
        for name, call in calls.items():
            if inner[name] > 1:
                call()
            best[name] = min(best[name], _sample(call, inner[name], clock) / inner[name])
    return best


def _fitting(call: Call, clock: Clock) -> int:
    """Return how many warm calls fill a sample, doubling until they take long enough."""
    call()
    number = 1
    while _sample(call, number, clock) < SAMPLE:
        number *= 2
    return number


def _sample(call: Call, number: int, clock: Clock) -> float:
    """Return the seconds of `number` calls in a row."""
    start = clock()
    for _ in range(number):
        call()
    return clock() - start
