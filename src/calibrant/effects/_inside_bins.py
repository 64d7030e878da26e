"""Errors that vary within the bins of the RMSCE, which finer bins reveal."""

from __future__ import annotations

import math
from typing import NamedTuple

from calibrant._engine import CLEAR
from calibrant._execution import limits
from calibrant.effects._event_bins import N_BINS

#: the most parts that a bin is cut into
_PARTS = 4


class Square(NamedTuple):
    """A debiased square, its standard error, and its variance for a calibrated model."""

    value: float
    error: float
    null_variance: float


def count_parts(n_rows: int) -> int:
    """Return the number of parts of each bin, given the number of independent rows or clusters."""
    return max(1, min(_PARTS, n_rows // (limits().bin_part_rows * N_BINS)))


def hides(square: float, fine: float, fine_null_variance: float) -> bool:
    """Return whether finer bins show more error than the bins, beyond noise.

    Examples
    --------
    >>> hides(0.25, 0.375, 0.0001), hides(0.25, 0.26, 0.0001)
    (True, False)
    """
    return fine_null_variance >= 0.0 and fine - square > CLEAR * math.sqrt(fine_null_variance)
