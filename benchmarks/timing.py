"""Times of several calls in turns, by the stopwatch of the paper's timings."""

from calibrant.paper._stopwatch import Call, side_by_side

__all__ = ["Call", "side_by_side"]
