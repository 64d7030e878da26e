"""Times of several calls, measured in turn with the stopwatch of the paper's timings."""

from __future__ import annotations

from functools import partial
from time import process_time

from calibrant.paper._stopwatch import Call, side_by_side

__all__ = ["Call", "processor_time", "side_by_side"]

#: the same in processor time of all threads, which hardly depends on other processes
processor_time = partial(side_by_side, clock=process_time)
