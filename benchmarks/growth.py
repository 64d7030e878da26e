"""How the time of the unbiased SKCE grows with n and m, relative to its cost O(n²m)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from benchmarks.data import BANDWIDTH, dirichlet
from benchmarks.table import Row, seconds, times
from benchmarks.timing import side_by_side
from calibrant import SKCE
from calibrant.kernels import Laplacian

if TYPE_CHECKING:
    from collections.abc import Iterator

#: largest growth of the time relative to the cost
SLACK = 1.3


def rows(quick: bool) -> Iterator[Row]:
    """Yield the ratio of the times of two sizes, measured in turn, and the ratio of their costs."""
    largest = 30_000 if quick else 100_000
    yield _grow((10_000, 10), (largest, 10), repeats=3)
    yield _grow((1_000, 10), (10_000, 10), repeats=5 if quick else 10)
    yield _grow((2_000, 10), (2_000, 100), repeats=5 if quick else 20)
    yield _grow((2_000, 100), (2_000, 1_000), repeats=3 if quick else 10)


def _grow(small: tuple[int, int], large: tuple[int, int], repeats: int) -> Row:
    estimator = SKCE(Laplacian(BANDWIDTH))
    calls = {
        name: partial(estimator, *dirichlet(*size), n_jobs=2)
        for name, size in (("small", small), ("large", large))
    }
    time = side_by_side(calls, repeats=repeats)
    cost = (large[0] / small[0]) ** 2 * large[1] / small[1]
    growth = time["large"] / time["small"]
    return Row(
        f"growth from n={small[0]}, m={small[1]} to n={large[0]}, m={large[1]} : cost n²m",
        f"{seconds(time['small'])} to {seconds(time['large'])}",
        times(cost),
        times(growth),
        f"<= {SLACK} * {cost:.3g}x",
        growth <= SLACK * cost,
    )
