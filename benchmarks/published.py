"""Comparison with the paper's timings: 5 estimators, n = 10…1000, m = 2…1000, in Julia at 3.6 GHz.

The figures (seconds, the minimum of 20 runs, with a given bandwidth) are those of the paper's
appendix; the file is not part of this repository. Ours are public calls with all checks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.data import dirichlet
from benchmarks.table import Row, seconds, times
from benchmarks.timing import Call, side_by_side
from calibrant.paper._errors import paper_estimators
from calibrant.paper._published import published_timings
from calibrant.paper._timings import BANDWIDTH

if TYPE_CHECKING:
    from collections.abc import Iterator

TIMINGS = Path(__file__).parents[2] / "shared" / "paper" / "published" / "timings.csv"
#: published at n = m = 1000 for the unbiased quadratic estimator
LARGEST = 0.176433638

ESTIMATORS = paper_estimators(BANDWIDTH)


@dataclass(frozen=True)
class Cell:
    """A published time, our time, and the time allowed for ours."""

    estimator: str
    n_classes: int
    n_samples: int
    published: float
    ours: float
    allowed: float

    @property
    def is_long(self) -> bool:
        """Whether it took 1 ms or more, so that ours must be faster."""
        return self.published >= 1e-3

    @property
    def use(self) -> float:
        """Our time relative to the allowed time; above 1 is a miss."""
        return self.ours / self.allowed


def rows(quick: bool) -> Iterator[Row]:
    """Yield, for each estimator, the worst of its long and short cells, and every miss."""
    yield _largest(repeats=5 if quick else 20)
    if not TIMINGS.exists():
        yield Row("published timings", "", f"not found: {TIMINGS}", "")
        return
    sizes = {10, 215, 1000} if quick else None
    cells = list(_cells(sizes, repeats=10 if quick else 20))
    for name in ESTIMATORS:
        mine = [cell for cell in cells if cell.estimator == name]
        yield from _summary(name, [cell for cell in mine if cell.is_long])
        yield from _summary(name, [cell for cell in mine if not cell.is_long])


def _largest(repeats: int) -> Row:
    y_true, y_prob = dirichlet(1000, 1000)
    estimator = ESTIMATORS["SKCEuq_median"]
    time = side_by_side({"ours": lambda: estimator(y_true, y_prob, n_jobs=2)}, repeats=repeats)
    ratio = LARGEST / time["ours"]
    return Row(
        "unbiased SKCE, n=1000, m=1000, 2 threads : published",
        seconds(time["ours"]),
        seconds(LARGEST),
        times(ratio),
        ">= 4x faster",
        ratio >= 4,
        better="more",
    )


def _cells(sizes: set[int] | None, repeats: int) -> Iterator[Cell]:
    published = published_timings(TIMINGS.parent)
    for m, n in sorted({(m, n) for _, m, n in published}):
        if sizes is not None and n not in sizes:
            continue
        y_true, y_prob = dirichlet(n, m)
        calls: dict[str, Call] = {
            name: partial(estimator, y_true, y_prob) for name, estimator in ESTIMATORS.items()
        }
        time = side_by_side({**calls, "pass": y_prob.sum}, repeats=repeats)
        for name in ESTIMATORS:
            theirs = published[name, m, n]
            allowed = theirs if theirs >= 1e-3 else max(3e-4, 5 * time["pass"])
            yield Cell(name, m, n, theirs, time[name], allowed)


def _summary(name: str, cells: list[Cell]) -> Iterator[Row]:
    if not cells:
        return
    worst = max(cells, key=lambda cell: cell.use)
    long = worst.is_long
    kind = ">= 1 ms" if long else "< 1 ms"
    plural = "cell" if len(cells) == 1 else "cells"
    yield _cell_row(f"{name}, {len(cells)} {plural} {kind}, worst:", worst)
    for cell in cells:
        if cell.use > 1 and cell is not worst:
            yield _cell_row(f"{name}, {kind}, also:", cell)


def _cell_row(what: str, cell: Cell) -> Row:
    return Row(
        f"{what} n={cell.n_samples}, m={cell.n_classes} : published",
        seconds(cell.ours),
        seconds(cell.published),
        times(cell.published / cell.ours),
        "faster" if cell.is_long else f"<= {seconds(cell.allowed)}",
        cell.use <= 1,
        better="more",
    )
