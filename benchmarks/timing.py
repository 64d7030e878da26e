"""Times of several calls: those of the paper's timings, which have them from the same place."""

from calibrant.paper._stopwatch import Call, side_by_side

__all__ = ["Call", "side_by_side"]
