"""Sums over rows in files, for effects that need several passes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from calibrant._engine import sizes
from calibrant._execution import Parallel, limits, run_shared
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions, join
from calibrant.effects import (
    Effect,
    Measure,
    RowSums,
    assemble_rows,
    bias_effect,
    intercept_effect,
    rows_of,
    rows_that_weigh,
    slope_effect,
    streamed_calibration_loss,
    streamed_rmsce,
)
from calibrant.io import PredictionScan

#: the data shared by the tasks of a sum
Shared = tuple[PredictionScan, Callable[..., FloatArray], tuple[Any, ...], bool]
#: the effects that need several passes over the rows, with the functions that compute them
STREAMED: dict[str, Callable[[RowSums], Effect]] = {
    "calibration_loss": streamed_calibration_loss,
    "bias": bias_effect,
    "slope": slope_effect,
    "intercept": intercept_effect,
    "rmsce": streamed_rmsce,
}


@dataclass(frozen=True, eq=False)
class StreamedRows:
    """Rows in files, with one pass for each sum."""

    scan: PredictionScan
    segments: tuple[range, ...]
    counts: tuple[int, ...]  # rows of positive weight in each segment
    weight: float
    scale: float
    labels: IntArray
    floor: float
    parallel: Parallel
    clustered: bool = False

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return sum(self.counts)

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return self.scan.n_classes

    @property
    def classes(self) -> tuple[Hashable, ...]:
        """The classes."""
        return self.scan.classes

    @property
    def ranked(self) -> bool:
        """False: files have no lens."""
        return False

    @property
    def cluster_index(self) -> IntArray | None:
        """None: clusters are handled only in memory."""
        return None

    @property
    def soft(self) -> bool:
        """False: files have labels."""
        return False

    def add(
        self, function: Callable[..., FloatArray], *arguments: Any, numbered: bool = False
    ) -> FloatArray:
        """Return the sum of ``function(rows, *arguments)`` over all parts of the rows."""
        shared = (self.scan, function, arguments, numbered)
        return _total(run_shared(_segment_sum, shared, self._tasks(), self.parallel))

    def gather(
        self, function: Callable[..., FloatArray], *arguments: Any, numbered: bool = False
    ) -> FloatArray:
        """Return the concatenated results of ``function(rows, *arguments)`` for all parts."""
        shared = (self.scan, function, arguments, numbered)
        return np.concatenate(list(run_shared(_segment_rows, shared, self._tasks(), self.parallel)))

    def some(self) -> Predictions:
        """Return some evenly spaced rows, read once."""
        return self._some

    def measure(self, measure: Measure) -> Effect | None:
        """Return an effect, or None if it needs too many rows in memory."""
        held = min(self.n_rows, limits().two_fold_rows) * self.n_classes
        if self.n_rows <= limits().two_fold_rows:
            if held > limits().held_numbers or measure.effect is None:
                return None
            return measure.effect(self._all)
        if self.clustered or (measure.name == "calibration_loss" and held > limits().held_numbers):
            return None
        return STREAMED[measure.name](self)

    @cached_property
    def _some(self) -> Predictions:
        numbers = sizes.evenly_spaced(self.n_rows, limits().start_rows)
        return assemble_rows(self.gather(rows_of, numbers, numbered=True), numbers, self)

    @cached_property
    def _all(self) -> Predictions:
        parts = self.scan.parts(range(self.scan.n_samples))
        return rows_that_weigh(join(*(part for part, _ in parts)))

    def _tasks(self) -> list[tuple[int, range]]:
        starts = np.cumsum([0, *self.counts[:-1]]).tolist()
        every = zip(starts, self.segments, self.counts, strict=True)
        return [(first, segment) for first, segment, count in every if count]


def _parts(scan: PredictionScan, rows: range) -> Iterator[Predictions]:
    for part, _ in scan.parts(rows):
        if part.weights.any():
            yield rows_that_weigh(part)


def _records(data: Shared, task: tuple[int, range]) -> Iterator[FloatArray]:
    (scan, function, arguments, numbered), (first, segment) = data, task
    for rows in _parts(scan, segment):
        yield function(rows, *((first,) if numbered else ()), *arguments)
        first += len(rows)


def _segment_sum(data: Shared, task: tuple[int, range]) -> FloatArray:
    return _total(_records(data, task))


def _segment_rows(data: Shared, task: tuple[int, range]) -> FloatArray:
    return np.concatenate(list(_records(data, task)))


def _total(records: Iterator[FloatArray]) -> FloatArray:
    total = next(records)
    for record in records:
        total = total + record
    return total
