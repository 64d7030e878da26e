"""The root-mean-square calibration error of streamed rows, in a few passes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from calibrant._execution import limits
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions, event_name
from calibrant.effects._event_bins import N_BINS, EventBins, count_bins, event_of, join_small
from calibrant.effects._inside_bins import Square, count_parts, hides
from calibrant.effects._interval import Effect
from calibrant.effects._rmsce import BinTable, Whole, rmsce_effect, without_rows
from calibrant.effects._row_sums import RowSums

#: cells of a pass, shared by all edges to be found
_CELLS = 1 << 16
#: passes that refine the cells, until they contain neighboring numbers
_PASSES = 4


def streamed_rmsce(source: RowSums) -> Effect:
    """Return the `rmsce` effect, equal to that of rows in memory up to rounding.

    Two passes find the edges of the bins, which are order statistics of the probability (more
    passes if most probabilities are nearly equal); one pass sums over the bins and one computes the
    jackknife. The last two are repeated for finer bins.
    """
    parts = count_parts(source.n_rows)
    every = _order_statistics(source, _ranks(source.n_rows, parts * N_BINS))
    binned = _Binned.of(source, every[parts - 1 :: parts])  # each contains `parts` finer bins
    fine = _Binned.of(source, every) if parts > 1 else binned
    table, event = binned.table, event_name(source.classes, ranked=source.ranked)
    more = hides(table.square(), fine.table.square(), fine.table.null_variance())
    weight, occurred = table.weight.sum(), table.hits.sum() / table.weight.sum()
    whole = Whole(
        float(table.gap.sum() / weight + occurred),
        float(np.clip(occurred, 0.0, 1.0)),
        float(weight**2 / table.squares.sum()),
    )
    return rmsce_effect(
        binned.square(source),
        fine.square(source) if more else None,
        len(table.count),
        event,
        whole,
    )


@dataclass(frozen=True, eq=False)
class _Binned:
    """The bins between some edges, and the sums over their rows."""

    edges: FloatArray
    number: IntArray
    table: BinTable

    @classmethod
    def of(cls, source: RowSums, values: FloatArray) -> _Binned:
        edges = np.unique(values)
        sums = source.add(_bin_sums, edges, np.arange(len(edges) + 1))
        sums = sums[:, sums[0] > 0]  # there may be no rows above the last edge
        number = join_small(sums[0].astype(np.int64))
        table = BinTable(*np.stack([np.bincount(number, column) for column in sums]))
        # one more bin for the part above the last edge
        return cls(edges, np.append(number, number[-1]), table)

    def square(self, source: RowSums) -> Square:
        """Return the square with its jackknife error, in one more pass."""
        center, columns = self.table.square(), np.stack(list(vars(self.table).values()))
        n, first, second = source.add(_jackknife_sums, self.edges, self.number, columns, center)
        error = _error(n, first, second, center)
        return Square(center, error, self.table.null_variance())


def _error(n: float, first: float, second: float, center: float) -> float:
    """Return the jackknife error from sums of deviations from `center`."""
    if not math.isfinite(second):
        return math.nan
    variation = max(second - first**2 / n, 0.0)
    if math.sqrt(variation / n) <= 1e-13 * abs(center):
        return math.nan
    return math.sqrt((n - 1) / n * variation)


def _ranks(n_rows: int, most: int) -> list[int]:
    n_bins = count_bins(n_rows, most)
    return [-(-n_rows * b // n_bins) for b in range(1, n_bins)]


def _order_statistics(source: RowSums, ranks: list[int]) -> FloatArray:
    """Return the exact values of these ranks, counted from 1, by refining cells around each."""
    low, high = np.zeros(len(ranks)), np.ones(len(ranks))
    below = np.zeros(len(ranks))  # number of values below `low`
    wanted = np.array(ranks, dtype=np.float64)
    n_cells = max(2, _CELLS // max(len(ranks), 1))
    inside = np.full(len(ranks), float(source.n_rows))
    for _ in range(_PASSES):
        if inside.sum() <= limits().gathered_values or not len(ranks):
            break
        counts = source.add(_counts, low, high, n_cells)
        total = below[:, None] + np.cumsum(counts, axis=1)
        cell = np.argmax(total >= wanted[:, None], axis=1)
        each = np.arange(len(ranks))
        inside = counts[each, cell]
        below = total[each, cell] - inside
        ends = _cell_ends(low, high, n_cells)
        low, high = ends[each, cell], ends[each, cell + 1]
    values = source.gather(_values, low, high)
    found = []
    for k, rank in enumerate(wanted - below):
        here = values[values[:, 0] == k]
        here = here[np.argsort(here[:, 1], kind="stable")]
        found.append(here[np.searchsorted(np.cumsum(here[:, 2]), rank), 1])
    return np.array(found)


def _cell_ends(low: FloatArray, high: FloatArray, n_cells: int) -> FloatArray:
    steps = np.arange(n_cells + 1) / n_cells
    ends = low[:, None] + (high - low)[:, None] * steps
    ends[:, -1] = high
    return np.asarray(np.maximum.accumulate(ends, axis=1))


def _counts(rows: Predictions, low: FloatArray, high: FloatArray, n_cells: int) -> FloatArray:
    """Count the values in every cell [end, next end) of every edge; the last cell includes 1."""
    values = np.sort(event_of(rows)[0])
    at = np.searchsorted(values, _cell_ends(low, high, n_cells))
    at[:, -1] = np.where(high == 1.0, np.searchsorted(values, 1.0, side="right"), at[:, -1])
    return np.diff(at, axis=1).astype(np.float64)


def _values(rows: Predictions, low: FloatArray, high: FloatArray) -> FloatArray:
    """Return the distinct values in the cell of each edge: edge, value, count."""
    values, counts = np.unique(event_of(rows)[0], return_counts=True)
    parts = [np.empty((0, 3))]
    for k, (start, stop) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
        end = np.searchsorted(values, stop, side="right" if stop == 1.0 else "left")
        some = slice(int(np.searchsorted(values, start)), int(end))
        here = values[some]
        parts.append(np.column_stack([np.full(len(here), k), here, counts[some]]))
    return np.concatenate(parts)


def _binned(rows: Predictions, edges: FloatArray, number: IntArray) -> EventBins:
    probability, hit = event_of(rows)
    return EventBins(probability, hit, number[np.searchsorted(edges, probability)])


def _bin_sums(rows: Predictions, edges: FloatArray, number: IntArray) -> FloatArray:
    """Return the columns of a `BinTable`, shape (6, n_bins)."""
    table = BinTable.of(_binned(rows, edges, number), rows.weights, len(number))
    return np.stack(list(vars(table).values()))


def _jackknife_sums(
    rows: Predictions, edges: FloatArray, number: IntArray, table: FloatArray, center: float
) -> FloatArray:
    """Return the number of rows, and two power sums of the leave-one-out squares minus `center`."""
    without = without_rows(BinTable(*table), _binned(rows, edges, number), rows.weights)
    if without is None:
        return np.array([len(rows), math.nan, math.nan])
    away = without - center
    return np.array([len(rows), away.sum(), away @ away])
