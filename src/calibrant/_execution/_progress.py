"""Progress reports: in steps, from many threads, over several stages."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import accumulate
from threading import Lock

from calibrant._execution._threads import still_wanted

#: called after every finished step with (done, total)
Progress = Callable[[int, int], None]

#: steps for each stage
_STEPS = 100


class Ticker:
    """Counts steps within tasks, from any thread, and reports the progress."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress, self._total = progress, total
        self._lock, self._done = Lock(), 0

    def tick(self, steps: int = 1) -> None:
        """Report this many more steps as done, and end the task if it was abandoned."""
        still_wanted()
        if self._progress is not None:
            with self._lock:
                self._done += steps
                self._progress(self._done, self._total)


class Stages:
    """Combines the progress of consecutive stages into one that never decreases.

    `shares` are the relative times of the stages.
    """

    def __init__(self, progress: Progress | None, shares: Sequence[float]) -> None:
        self._progress, self._total = progress, _STEPS * len(shares)
        self._shares = list(shares)
        self._begun, self._told = 0, -1
        self._lock = Lock()

    def next(self) -> Progress | None:
        """Begin a stage and return its progress callback."""
        start, end = self._edges()[self._begun : self._begun + 2]
        self._begun += 1
        if self._progress is None:
            return None
        self._tell(start)

        def tell(done: int, total: int) -> None:
            # the next stage reports the end of this one, which may have been shorter than expected
            if done < total:
                self._tell(start + (end - start) * done // total)

        return tell

    def correct(self, share: float) -> None:
        """Correct the relative time of the current stage."""
        self._shares[self._begun - 1] = share

    def end(self) -> None:
        """Report that everything is done."""
        self._tell(self._total)

    def _edges(self) -> list[int]:
        whole = math.fsum(self._shares)
        ends = accumulate((share / whole for share in self._shares), initial=0.0)
        return [round(self._total * end) for end in ends]

    def _tell(self, done: int) -> None:
        # threads may report the second step before the first
        with self._lock:
            if self._progress is not None and done > self._told:
                self._told = done
                self._progress(done, self._total)
