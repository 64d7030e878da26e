"""Telling how far work is: in steps, from many threads, in several stages."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import accumulate
from threading import Lock

from calibrant._execution._threads import still_wanted

#: told after every finished step: (steps done, steps in all)
Progress = Callable[[int, int], None]

#: steps for each stage
_STEPS = 100


class Ticker:
    """Counts steps inside tasks, from any thread, and tells the progress."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress, self._total = progress, total
        self._lock, self._done = Lock(), 0

    def tick(self, steps: int = 1) -> None:
        """Report that many more steps as done; a step that no caller waits for is the last."""
        still_wanted()
        if self._progress is not None:
            with self._lock:
                self._done += steps
                self._progress(self._done, self._total)


class Stages:
    """Tells one progress from those of stages that come one after the other; it never goes back.

    `shares` are what the stages take of the time, relative to each other.
    """

    def __init__(self, progress: Progress | None, shares: Sequence[float]) -> None:
        self._progress, self._total = progress, _STEPS * len(shares)
        self._shares = list(shares)
        self._begun, self._told = 0, -1
        self._lock = Lock()

    def next(self) -> Progress | None:
        """Begin a stage; return what its work should tell."""
        start, end = self._edges()[self._begun : self._begun + 2]
        self._begun += 1
        if self._progress is None:
            return None
        self._tell(start)

        def tell(done: int, total: int) -> None:
            # where a stage ends is told by the next one: it may have been shorter than was thought
            if done < total:
                self._tell(start + (end - start) * done // total)

        return tell

    def correct(self, share: float) -> None:
        """Say what the stage that ends took, relative to the others."""
        self._shares[self._begun - 1] = share

    def end(self) -> None:
        """Say that everything is done."""
        self._tell(self._total)

    def _edges(self) -> list[int]:
        whole = math.fsum(self._shares)
        ends = accumulate((share / whole for share in self._shares), initial=0.0)
        return [round(self._total * end) for end in ends]

    def _tell(self, done: int) -> None:
        # threads may tell the second step before the first
        with self._lock:
            if self._progress is not None and done > self._told:
                self._told = done
                self._progress(done, self._total)
