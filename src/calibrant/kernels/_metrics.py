"""Distances between the rows of two arrays, one tile at a time.

Every metric is a factor times a norm of transformed rows. The kernels, the pair engine (which
knows only norms) and `calibrant.torch` share one table.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from calibrant import _native
from calibrant._engine import Metric as Norm, collect_distances, count_distances, distances
from calibrant._execution import limits
from calibrant._native import FloatArray, IntArray
from calibrant.kernels import _order
from calibrant.kernels._order import Numbers

Metric = Literal["tv", "euclidean", "hellinger"]
#: distances for a bandwidth: those of a metric, or |p_c − q_c| pooled over the classes
Spread = Literal["tv", "euclidean", "hellinger", "classwise"]

#: rows and columns in a block of pairs, whose distances are yielded together
PAIR_BLOCK = 64, 8192


@dataclass(frozen=True)
class Geometry:
    """d(p, q) = factor·‖f(p) − f(q)‖ with f the identity or the elementwise square root."""

    norm: Norm
    factor: float
    square_root: bool = False

    def transform(self, x: FloatArray) -> FloatArray:
        """Return f(x) for rows x."""
        if not self.square_root:
            return x
        if x.min(initial=0.0) < 0.0:
            raise ValueError(
                "the metric 'hellinger' needs non-negative probabilities; got "
                f"{x.min():.6g}. Use metric='tv' or 'euclidean', or repair the predictions."
            )
        return np.sqrt(x)


GEOMETRIES: dict[Metric, Geometry] = {
    "tv": Geometry("cityblock", 0.5),
    "euclidean": Geometry("euclidean", 1.0),
    "hellinger": Geometry("euclidean", math.sqrt(0.5), square_root=True),
}


def pairwise(metric: Metric, s: FloatArray, t: FloatArray) -> FloatArray:
    """Return the distances (a, b) between the rows of s (a, m) and of t (b, m).

    ``tv``: ½Σ|p−q|; ``euclidean``: √Σ(p−q)²; ``hellinger``: √(½Σ(√p−√q)²). Cost: O(a·b·m)
    time and, in addition to the result, the memory of one tile.
    """
    geometry = GEOMETRIES[metric]
    s, t = np.ascontiguousarray(s), np.ascontiguousarray(t)
    result = distances(geometry.transform(s), geometry.transform(t), geometry.norm)
    result *= geometry.factor
    return result


def pair_distances(
    metric: Spread,
    x: FloatArray,
    block: tuple[int, int] = PAIR_BLOCK,
) -> Iterator[FloatArray]:
    """Yield the distances of all pairs i < j of rows of x as flat arrays of bounded size.

    ``classwise`` yields |x_ic − x_jc| for every class c instead, m numbers for each pair.
    """
    if metric == "classwise":
        for c in range(x.shape[1]):
            # halving and doubling are exact, so this is |x_ic − x_jc| to the last bit
            yield from pair_distances("tv", 2.0 * x[:, [c]], block)
        return
    norm, factor = GEOMETRIES[metric].norm, GEOMETRIES[metric].factor
    x = GEOMETRIES[metric].transform(np.ascontiguousarray(x))
    height, width = block
    for i in range(0, len(x), height):
        rows = x[i : i + height]
        yield factor * distances(rows, rows, norm)[np.triu_indices(len(rows), k=1)]
        for j in range(i + height, len(x), width):
            yield factor * distances(rows, x[j : j + width], norm).ravel()


@dataclass(frozen=True, init=False)
class PairDistances(Numbers):
    """The distances of all pairs i < j of rows of x; see `pair_distances`.

    Parameters
    ----------
    metric : {"tv", "euclidean", "hellinger", "classwise"}
        The distance.
    x : ndarray of shape (n_samples, n_classes)
    """

    geometry: Geometry
    points: tuple[FloatArray, ...]

    def __init__(self, metric: Spread, x: FloatArray) -> None:
        super().__init__(lambda: pair_distances(metric, x))
        if metric == "classwise":
            # as in `pair_distances`, every class is a line, and the distances are pooled
            geometry = GEOMETRIES["tv"]
            points = tuple(np.ascontiguousarray(2.0 * x[:, [c]]) for c in range(x.shape[1]))
        else:
            geometry = GEOMETRIES[metric]
            points = (np.ascontiguousarray(geometry.transform(x)),)
        object.__setattr__(self, "geometry", geometry)
        object.__setattr__(self, "points", points)

    @property
    def most_kept(self) -> int:
        held = limits().sorted_distances
        return held if _native.active() is None else min(held, _order.COUNTED)

    def every(self) -> FloatArray:
        n = len(self.points[0])
        # all non-negative numbers start with sign bit 0
        part = self.collect(0, 63, n * (n - 1) // 2) if len(self.points) == 1 else None
        return super().every() if part is None else part[0]

    def count_digits(self, prefix: int, shift: int, finer: int) -> IntArray:
        total = np.zeros(1 << (shift - finer), dtype=np.int64)
        norm, factor = self.geometry.norm, self.geometry.factor
        for x in self.points:
            counts = count_distances(x, norm, factor, prefix, shift, finer)
            if counts is None:
                return super().count_digits(prefix, shift, finer)
            total += counts
        return total

    def collect(self, prefix: int, shift: int, size: int) -> tuple[FloatArray, float]:
        kept, beyond = [np.empty(0)], math.inf
        norm, factor = self.geometry.norm, self.geometry.factor
        for x in self.points:
            part = collect_distances(x, norm, factor, prefix, shift, size if shift else 0)
            if part is None:
                return super().collect(prefix, shift, size)
            kept.append(part[0])
            beyond = min(beyond, part[1])
        return np.concatenate(kept), beyond


def as_rows(name: str, values: Any) -> FloatArray:
    """Return values as a finite two-dimensional float64 array with at least one row."""
    rows = np.asarray(values, dtype=np.float64)
    if rows.ndim != 2 or rows.size == 0:
        raise ValueError(
            f"`{name}` must be a non-empty array of shape (n_samples, n_classes); got shape "
            f"{rows.shape}. For probabilities p of a positive class pass "
            "np.column_stack([1 - p, p])."
        )
    if not np.isfinite(rows).all():
        bad = int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])
        raise ValueError(
            f"`{name}` must be finite; got {rows[bad]} in row {bad}. Remove or repair such rows."
        )
    return rows
