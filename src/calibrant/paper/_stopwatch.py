"""Times of several calls, taken in turns so that a busy moment of the machine hits all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

#: a sample lasts at least this long: short calls are repeated within it
SAMPLE = 1e-3

Call = Callable[[], Any]
Clock = Callable[[], float]


def side_by_side(
    calls: Mapping[str, Call], *, repeats: int, clock: Clock = perf_counter
) -> dict[str, float]:
    """Return the least seconds of each call over interleaved repetitions, by a clock.

    Every call is warmed up first. A short one is then repeated within a sample, as often as
    warm calls fit in: the others leave its caches cold, and a single call would measure that.
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
    """Return how many warm calls make a sample: doubled until they last long enough."""
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
