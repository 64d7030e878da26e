"""Regions of rows by one probability, with limits that are easy to read."""

from __future__ import annotations

import math

import numpy as np

from calibrant._followup.where._groups import Partition, make_group
from calibrant._native import FloatArray

#: how far a limit may move to become short, as a share of the rows of a region
_SLACK = 0.1


def probability_regions(values: FloatArray, n_regions: int, min_size: int) -> Partition:
    """Split all rows by their `values` into regions of about equal size.

    Regions are closed on the right, like bins. Their limits have as few digits as possible when
    moving by at most a tenth of a region. Rows with equal values stay together. There are as many
    regions as can have `min_size` rows, at most `n_regions`.
    """
    # equal means of many votes may differ in their last bits
    values = np.round(values, 12)
    ordered = np.sort(values)
    limits = _limits(ordered, max(1, min(n_regions, len(values) // min_size)), min_size)
    codes = np.searchsorted(np.array(limits), values)
    parts = [np.flatnonzero(codes == code) for code in range(len(limits) + 1)]
    ends = [_floor(float(ordered[0])), *limits, _ceil(float(ordered[-1]))]
    regions = [
        make_group(_name(values[rows], ends[k], ends[k + 1], first=k == 0), rows, "", min_size)
        for k, rows in enumerate(parts)
    ]
    return Partition("region", None, tuple(regions))


def _limits(ordered: FloatArray, wanted: int, min_size: int) -> list[float]:
    """Return increasing limits between non-empty regions."""
    n = len(ordered)
    _, counts = np.unique(ordered, return_counts=True)
    ends = np.cumsum(counts)
    middles = ends - 0.5 * counts  # the mean rank of equal values
    slack = max(0.0, min(_SLACK * n / wanted, 0.5 * (n / wanted - min_size)))
    limits: list[float] = []
    last = 0
    for k in range(1, wanted):
        below = int(np.count_nonzero(wanted * middles / n < k))
        rank = int(ends[below - 1]) if below else 0
        if last < rank < n:
            limit = _short_limit(ordered, rank, slack, last)
            last = int(np.searchsorted(ordered, limit, side="right"))
            limits.append(limit)
    return limits


def _short_limit(ordered: FloatArray, rank: int, slack: float, last: int) -> float:
    """Return the shortest limit with about `rank` rows, and more than `last`, up to it."""
    below, above = float(ordered[rank - 1]), float(ordered[rank])
    for digits in range(1, 17):
        for value in (below, below + 0.5 * (above - below)):
            limit = float(f"{value:.{digits}g}")
            found = int(np.searchsorted(ordered, limit, side="right"))
            if abs(found - rank) <= slack and last < found < len(ordered):
                return limit
    return below


def _name(values: FloatArray, low: float, high: float, *, first: bool) -> str:
    """Name a region by its only value, if that is short, else by its limits."""
    only = float(values[0])
    if values.min() == values.max() and float(f"{only:.6g}") == only:
        return f"{only:g}"
    return f"{'[' if first else '('}{_shortest(low)}, {_shortest(high)}]"


def _shortest(limit: float) -> str:
    """Return a limit with as few digits as identify it; 16 digits mean a rounded number."""
    return repr(limit).removesuffix(".0")


def _floor(value: float) -> float:
    return math.floor(100.0 * value) / 100.0


def _ceil(value: float) -> float:
    return math.ceil(100.0 * value) / 100.0
