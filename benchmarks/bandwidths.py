"""Exact median distances: 10⁴ rows of ten classes by counting, a million rows of two by sorting."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.data import dirichlet
from benchmarks.table import Row, seconds, times
from benchmarks.timing import processor_time
from calibrant.kernels import median_bandwidth

if TYPE_CHECKING:
    from collections.abc import Iterator

#: most seconds for 10⁴ rows of ten classes
AT_MOST = 0.25


def rows(quick: bool) -> Iterator[Row]:
    """Yield the time of a median beside one pass over the distances, and beside a sort."""
    repeats = 2 if quick else 5
    ten = dirichlet(10_000, 10)[1]
    time = processor_time(
        {"median": lambda: median_bandwidth(ten), "rows": lambda: median_bandwidth(ten[:2000])},
        repeats=repeats,
    )
    yield Row(
        "exact median distance, n=10000, m=10 : that of 2000 rows",
        seconds(time["median"]),
        seconds(time["rows"]),
        times(time["median"] / time["rows"]),
        f"<= {seconds(AT_MOST)}",
        time["median"] <= AT_MOST,
    )
    two = dirichlet(100_000 if quick else 1_000_000, 2)[1]
    calls = {"median": lambda: median_bandwidth(two), "sort": lambda: np.argsort(two[:, 1])}
    time = processor_time(calls, repeats=1 if quick else 2)
    yield Row(
        f"exact median distance of two classes, n={len(two)} : one argsort",
        seconds(time["median"]),
        seconds(time["sort"]),
        times(time["median"] / time["sort"]),
    )
