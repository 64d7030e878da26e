"""Exact order statistics of more numbers than fit into memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from calibrant._execution import limits
from calibrant._native import FloatArray, IntArray

#: returns an iterator over the same numbers, in arrays of bounded size, at each call
Stream = Callable[[], Iterator[FloatArray]]

#: minimum number of values for which counting is faster than sorting
COUNTED = 1 << 16
#: bits decided by one counting pass
DIGIT = 16


@dataclass(frozen=True)
class Numbers:
    """Non-negative numbers that come in parts; subclasses may count without generating them."""

    stream: Stream

    @property
    def most_kept(self) -> int:
        """The most numbers that are kept rather than counted."""
        return limits().sorted_distances

    def every(self) -> FloatArray:
        """Return all numbers as a fresh array, in any order."""
        return np.concatenate(list(self.stream()))

    def count_digits(self, prefix: int, shift: int, finer: int) -> IntArray:
        """Count the numbers that start with `prefix` by their bits from `shift` down to `finer`."""
        n_digits = 1 << (shift - finer)
        counts = np.zeros(n_digits, dtype=np.int64)
        for numbers in self.stream():
            digits = (numbers.view(np.int64) >> finer) - (prefix << (shift - finer))
            if shift < 63:
                digits = digits[(digits >= 0) & (digits < n_digits)]
            counts += np.bincount(digits, minlength=n_digits)
        return counts

    def collect(self, prefix: int, shift: int, size: int) -> tuple[FloatArray, float]:
        """Return the `size` numbers that start with `prefix`, and the next larger one or infinity.

        If all bits are fixed (shift 0), the numbers are equal, and none is returned.
        """
        kept, beyond = [np.empty(0)], math.inf
        for numbers in self.stream():
            keys = numbers.view(np.int64) >> shift
            if shift > 0:
                kept.append(numbers[keys == prefix])
            beyond = min(beyond, float(numbers[keys > prefix].min(initial=math.inf)))
        return np.concatenate(kept), beyond


def neighbors_in_order(numbers: Numbers, size: int, low: int, high: int) -> tuple[float, float]:
    """Return the numbers of 0-based ranks low and high, high − low in {0, 1}, of `size` numbers.

    Non-negative doubles are ordered like the integers with the same bits, so each pass fixes the
    next bits of the answer, until the numbers that share them fit into memory. With any number of
    equal values, the search ends when all bits are fixed. There are at most four counting passes
    and one that keeps numbers.
    """
    if size <= numbers.most_kept:
        every = numbers.every()
        every.partition([low, high])
        return float(every[low]), float(every[high])
    prefix, shift, below = 0, 63, 0
    while size > numbers.most_kept and shift > 0:
        finer = max(shift - DIGIT, 0)
        counts = numbers.count_digits(prefix, shift, finer)
        cumulative = np.cumsum(counts)
        digit = int(np.searchsorted(cumulative, low - below, side="right"))
        size = int(counts[digit])
        below += int(cumulative[digit]) - size
        prefix, shift = (prefix << (shift - finer)) | digit, finer
    kept, beyond = numbers.collect(prefix, shift, size)
    if shift == 0:
        value = float(np.int64(prefix).view(np.float64))
        return value, (value if high - below < size else beyond)
    inside = [rank - below for rank in (low, high) if rank - below < size]
    kept.partition(inside)
    return float(kept[inside[0]]), (float(kept[inside[1]]) if len(inside) == 2 else beyond)
