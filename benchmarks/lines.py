"""The exact path on a line: two classes with a Laplacian kernel, O(n log n)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from benchmarks.data import BANDWIDTH, dirichlet
from benchmarks.naive import naive_skce
from benchmarks.table import Row, seconds, times
from benchmarks.timing import side_by_side
from calibrant import SKCE
from calibrant.kernels import Laplacian

if TYPE_CHECKING:
    from collections.abc import Iterator

#: "a few seconds"
AT_MOST = 3.0


def rows(quick: bool) -> Iterator[Row]:
    """Yield the time of a million samples relative to NumPy's sort, and the O(n²) value."""
    estimator = SKCE(Laplacian(BANDWIDTH))
    n = 1_000_000
    y_true, y_prob = dirichlet(n, 2)
    calls = {
        "ours": lambda: estimator(y_true, y_prob),
        "sort": lambda: np.argsort(y_prob[:, 1], kind="stable"),
    }
    time = side_by_side(calls, repeats=2 if quick else 5)
    yield Row(
        f"exact SKCE of two classes, n={n} : one argsort",
        seconds(time["ours"]),
        seconds(time["sort"]),
        times(time["ours"] / time["sort"]),
        f"<= {AT_MOST:.0f} s",
        time["ours"] <= AT_MOST,
    )
    y_true, y_prob = dirichlet(2_000, 2)
    ours, pairs = estimator(y_true, y_prob), naive_skce(y_true, y_prob, BANDWIDTH)
    error = abs(ours - pairs) / abs(pairs)
    yield Row(
        "  the same number as all pairs, n=2000, relative difference",
        f"{ours:.9e}",
        f"{pairs:.9e}",
        f"{error:.1e}",
        "<= 1e-10",
        error <= 1e-10,
    )
