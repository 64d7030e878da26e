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

    The first round warms caches and threads up and says how often a short call is repeated
    in a sample; it counts for no call that is repeated.
    """
    inner = {name: max(1, int(SAMPLE / _sample(call, 1))) for name, call in calls.items()}
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(repeats):
        for name, call in calls.items():
            best[name] = min(best[name], _sample(call, inner[name]))
    return best


def _sample(call: Call, number: int) -> float:
    start = perf_counter()
    for _ in range(number):
        call()
    return (perf_counter() - start) / number
