r"""The families of the aggregated test in one pass over the rows: random features and cells.

Family A becomes :math:`\sum_{f,c} (\sum_i \phi_{if} r_{ic})^2 - \sum_i |r_i|^2` with random Fourier
features φ of unit length, at the smallest bandwidth with random grids in their place; family C
puts every probability into one of a thousand cells and sums over pairs of cells. Both are exact
as tests (the approximate statistic is the same function of every label set), need time linear in
the number of rows, and their state adds up over parts of the rows. The other components are sums
over cells anyway.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from calibrant._engine import (
    FourierFeatures,
    LabelResampler,
    LabelSets,
    RandomGrids,
    binned,
    cell_sums,
    feature_sums,
    scan,
    score_sums,
    standardize,
)
from calibrant._execution import (
    Parallel,
    Ticker,
    run,
    run_shared,
    single_threaded_blas,
    spans,
)
from calibrant._native import FloatArray
from calibrant._predictions import Predictions, RowSource, row_blocks_of
from calibrant.methods._class_scores import LEVELS, ClassMoments, ScoreScale, log_levels
from calibrant.methods._components import Components
from calibrant.methods._confidence import CELLS, Confidence, cell_statistics, hit_sums
from calibrant.methods._families import (
    Families,
    family_directions,
)
from calibrant.methods._scales import FRACTIONS, WIDTHS

#: frequencies of a bandwidth
N_FREQUENCIES = 64
#: grids of the smallest bandwidth
N_GRIDS = 4
#: cells of a probability and buckets of a grid, up to and above `MANY_CLASSES`; not powers of two,
#: at whose multiples the sums of all label sets would fight for the same lines of the cache
N_CELLS, N_BUCKETS, MANY_CLASSES = (1000, 250), (509, 127), 100
#: rows whose features and labels are held at once
CHUNK = 4096
#: numbers in the state of one task
STATE_SIZE = 1 << 22
#: rows of a segment, whose sums are added up before they join those of other segments
SEGMENT = 1 << 20
#: pair sums below this part of (Σw)² are zero
ROUNDING = 1e-14
#: features kept in memory for all tasks; above, every task computes them again
KEPT_FEATURES = 1 << 25


@dataclass(frozen=True)
class LinearPlan:
    """What every part of the rows must agree on."""

    features: FourierFeatures
    grids: RandomGrids
    bandwidths: tuple[float, ...]
    n_cells: int
    components: Components
    resampler: LabelResampler

    @classmethod
    def make(
        cls, n_classes: int, bandwidth: float, components: Components, resampler: LabelResampler
    ) -> LinearPlan:
        """Choose features, grids and cells from the number of classes and the median distance."""
        smallest, *others = bandwidths = [fraction * bandwidth for fraction in FRACTIONS]
        few, seed = n_classes > MANY_CLASSES, resampler.seed
        return cls(
            FourierFeatures.draw(n_classes, others, N_FREQUENCIES, seed),
            RandomGrids.draw(n_classes, smallest, N_GRIDS, N_BUCKETS[few], seed),
            tuple(bandwidths),
            N_CELLS[few],
            components,
            resampler,
        )

    @property
    def n_features(self) -> int:
        """Features of a row, all bandwidths together."""
        return int(len(self.features.bandwidths) * self.features.n_features)

    @property
    def n_buckets(self) -> int:
        """Buckets of all grids together."""
        return len(self.grids.pitch) * self.grids.n_buckets

    @property
    def sets_at_once(self) -> int:
        """Label sets of one task, so that its state stays small."""
        n_classes = int(self.features.draws.shape[0])
        each = self.n_features + self.n_buckets + self.n_cells + LEVELS
        return max(8, min(128, STATE_SIZE // (n_classes * each + 2 * CELLS)))


@dataclass(frozen=True, eq=False)
class LinearChunk:
    """Some rows, prepared: everything that does not depend on labels."""

    predictions: Predictions
    first_row: int
    features: FloatArray  # weighted, (rows, F)
    buckets: npt.NDArray[np.uint16]  # (grids, rows)
    cells: npt.NDArray[np.uint16]  # (rows, m)
    levels: npt.NDArray[np.uint16]  # (rows, m)
    confidence: Confidence
    squares: FloatArray  # w²|e_c − p|², (rows, m)
    directions: dict[str, tuple[FloatArray, float]]  # scores (rows, m) and their variance

    @classmethod
    def prepare(cls, plan: LinearPlan, predictions: Predictions, first_row: int) -> LinearChunk:
        """Compute features, cells and scores of some rows."""
        x, weights = predictions.y_prob, predictions.weights
        norms = np.sum(x**2, axis=1, keepdims=True)
        return cls(
            predictions,
            first_row,
            features=weights[:, None] * plan.features.transform(x),
            buckets=plan.grids.buckets(x),
            cells=np.minimum(x * plan.n_cells, plan.n_cells - 1).astype(np.uint16),
            levels=log_levels(predictions.distributions, plan.components.score_floor),
            confidence=Confidence.of(predictions),
            squares=weights[:, None] ** 2 * (1.0 - 2.0 * x + norms),
            directions=family_directions(predictions, plan.components),
        )

    def expected(self, plan: LinearPlan) -> dict[str, FloatArray]:
        """Return what the sums of these rows are on average, and their moments."""
        x, w = self.predictions.y_prob, self.predictions.weights
        weighted = w[:, None] * x
        buckets = [_bucket_means(bucket, weighted, plan.grids.n_buckets) for bucket in self.buckets]
        floor = plan.components.score_floor
        moments = ClassMoments.of(self.predictions.distributions, w, self.levels, floor)
        return {
            "features": x.T @ self.features,
            "buckets": np.stack(buckets),
            "cells": _cell_means(self.cells, weighted, plan.n_cells),
            "confidence": self.confidence.expected,
            "confidence_variance": self.confidence.variance,
            "variances": np.array([variance for _, variance in self.directions.values()]),
            **{f"class_{name}": value for name, value in vars(moments).items()},
        }


def _bucket_means(
    buckets: npt.NDArray[np.uint16], weighted: FloatArray, n_buckets: int
) -> FloatArray:
    columns = [binned(buckets, column, n_buckets) for column in weighted.T]
    return np.stack(columns)


def _cell_means(cells: npt.NDArray[np.uint16], weighted: FloatArray, n_cells: int) -> FloatArray:
    pairs = zip(cells.T, weighted.T, strict=True)
    return np.stack([binned(cell, column, n_cells) for cell, column in pairs])


class LinearState:
    """Sums over rows for a range of label sets; states of the same range add up."""

    def __init__(self, plan: LinearPlan, sets: range, n_classes: int) -> None:
        self.plan = plan
        self.sets = sets
        count, parts = len(sets), plan.components
        names = ("brier",) * parts.brier + ("log",) * (parts.log_floor is not None)
        grids = (len(plan.grids.pitch), count, n_classes, plan.grids.n_buckets)
        self.arrays = {
            "features": np.zeros((count, n_classes, plan.n_features)),
            "buckets": np.zeros(grids),
            "cells": np.zeros((count, n_classes, plan.n_cells)),
            "levels": np.zeros((count, n_classes, LEVELS)),
            "hits": np.zeros((count, 2, CELLS)),
            "squares": np.zeros(count),  # Σ w²|r|²
            **{name: np.zeros(count) for name in names},
        }

    def update(self, chunk: LinearChunk) -> None:
        """Add the rows of a chunk."""
        label_sets = LabelSets.label_sets(
            chunk.predictions, self.plan.resampler, self.sets, first_row=chunk.first_row
        )
        weights, to = chunk.predictions.weights, self.arrays
        feature_sums(chunk.features, label_sets, to["features"])
        for bucket, sums in zip(chunk.buckets, to["buckets"], strict=True):
            alike = np.broadcast_to(bucket[:, None], chunk.cells.shape)
            cell_sums(np.ascontiguousarray(alike), weights, label_sets, sums)
        cell_sums(chunk.cells, weights, label_sets, to["cells"])
        cell_sums(chunk.levels, weights, label_sets, to["levels"])
        confidence = chunk.confidence
        hit_sums(confidence.events, confidence.cells, weights, label_sets, to["hits"])
        to["squares"] += score_sums(chunk.squares, label_sets)
        for name, (scores, _) in chunk.directions.items():
            to[name] += score_sums(scores, label_sets)

    def merge(self, other: LinearState) -> None:
        """Add the sums over other rows."""
        if other.sets != self.sets:
            raise ValueError(f"label sets differ: {self.sets} and {other.sets}")
        self.add(other.arrays)

    def add(self, sums: Mapping[str, FloatArray]) -> None:
        """Add the arrays of a state of the same label sets."""
        for name, values in sums.items():
            self.arrays[name] += values

    def families(self, expected: Mapping[str, FloatArray]) -> Families:
        """Return the statistics of the label sets, given what the sums are on average."""
        confidence, scaling, bias = self._class_families(expected)
        names = [name for name in ("brier", "log") if name in self.arrays]
        variances = zip(names, expected["variances"], strict=True)
        return Families(
            kernel=self._without_rounding(self._kernel(expected), expected),
            classwise=self._without_rounding(self._classwise(expected), expected),
            confidence=confidence,
            scaling=scaling,
            bias=bias,
            directions={name: standardize(self.arrays[name], float(v)) for name, v in variances},
            bandwidths=self.plan.bandwidths,
        )

    def _kernel(self, expected: Mapping[str, FloatArray]) -> FloatArray:
        plan = self.plan
        squares = np.square(self.arrays["features"] - expected["features"])
        shape = (len(self.sets), -1, len(plan.features.bandwidths), plan.features.n_features)
        features = squares.reshape(shape).sum(axis=(1, 3)).T
        shares = self.arrays["buckets"] - expected["buckets"][:, None]
        grids = np.einsum("grck,grck->r", shares, shares) / len(plan.grids.pitch)
        return np.vstack([grids, features]) - self.arrays["squares"]

    def _class_families(
        self, expected: Mapping[str, FloatArray]
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        parts, none = self.plan.components, np.empty((0, len(self.sets)))
        deviations = self.arrays["hits"][:, 1] - expected["confidence"]
        variance = expected["confidence_variance"]
        names = ("expected", "squared", "products", "third")
        moments = ClassMoments(*(expected[f"class_{name}"] for name in names))
        scale = ScoreScale.of(moments, parts.score_floor)
        scaling, bias = scale.statistics(self.arrays["levels"])
        return (
            cell_statistics(deviations, variance, len(moments.third)) if parts.confidence else none,
            scaling if parts.scaling else none,
            bias if parts.bias else none,
        )

    def _without_rounding(
        self, statistics: FloatArray, expected: Mapping[str, FloatArray]
    ) -> FloatArray:
        # certain predictions leave nothing but rounding, which must not be ranked
        total = float(expected["cells"].sum())  # Σ w
        return np.where(np.abs(statistics) <= ROUNDING * total**2, 0.0, statistics)

    def _classwise(self, expected: Mapping[str, FloatArray]) -> FloatArray:
        n_sets, n_classes, n_cells = self.arrays["cells"].shape
        centers = (np.arange(n_cells) + 0.5) / n_cells
        deviations = self.arrays["cells"] - expected["cells"]
        flat = np.ascontiguousarray(deviations.reshape(-1, n_cells).T)
        same_cell = np.sum(flat**2, axis=0)
        rows = []
        for width in WIDTHS:
            other = 2.0 * np.sum(scan(centers, flat, 1.0 / width) * flat, axis=0)
            by_class = (other + same_cell).reshape(n_sets, n_classes)
            rows.append(by_class.sum(axis=1) - self.arrays["squares"])
        return np.array(rows)


def linear_families(
    source: Predictions | RowSource, plan: LinearPlan, n_resamples: int, parallel: Parallel
) -> Families:
    """Compute the families for B + 1 label sets, one task for every few of them; O(n·m·R).

    Sums are made segment by segment of the rows and then added in order, in memory as on any
    executor: the bits are the same. Rows that are not in memory are read again by every task,
    and once more for what the labels have no say in.
    """
    sets = range(n_resamples + 1)
    # as few tasks as may be, of equal size: each computes the features again
    n_parts = -(-len(sets) // plan.sets_at_once)
    parts = [sets[part] for part in spans(len(sets), -(-len(sets) // n_parts))]
    segments = segments_of(source)
    if isinstance(source, Predictions) and parallel.is_plain:
        return _in_memory(source, plan, parts, segments, parallel)
    shared = (source, plan)
    expected = _added(run_shared(_segment_means, shared, segments, parallel.quiet()))
    tasks = [(part, segment) for part in parts for segment in segments]
    records = run_shared(_segment_sums, shared, tasks, parallel)
    families = []
    for part in parts:
        state = LinearState(plan, part, source.n_classes)
        for _ in segments:
            state.add(next(records))
        families.append(_finished(state, expected))
    return Families.join(families)


def _finished(state: LinearState, expected: Mapping[str, FloatArray]) -> Families:
    with single_threaded_blas():  # sums of a BLAS depend on the number of its threads
        return state.families(expected)


def _added(sums: Iterable[Mapping[str, FloatArray]]) -> dict[str, FloatArray]:
    """Add records one after the other."""
    total: dict[str, FloatArray] = {}
    for record in sums:
        for name, value in record.items():
            total[name] = total[name] + value if name in total else value
    return total


def segments_of(source: Predictions | RowSource, multiple: int = CHUNK) -> list[range]:
    """Part the rows into segments: a choice of their number only."""
    rows = max(1, SEGMENT // multiple) * multiple
    every = range(source.n_samples)
    return [every[part] for part in spans(len(every), rows)]


def _segment_means(
    data: tuple[Predictions | RowSource, LinearPlan], rows: range
) -> dict[str, FloatArray]:
    source, plan = data
    return _added(chunk.expected(plan) for chunk in _prepared(source, plan, rows))


def _segment_sums(
    data: tuple[Predictions | RowSource, LinearPlan], task: tuple[range, range]
) -> dict[str, Any]:
    (source, plan), (part, rows) = data, task
    state = LinearState(plan, part, source.n_classes)
    for chunk in _prepared(source, plan, rows):
        state.update(chunk)
    return state.arrays


def _prepared(
    source: Predictions | RowSource, plan: LinearPlan, rows: range
) -> Iterator[LinearChunk]:
    for first_row, block in row_blocks_of(source, rows, CHUNK):
        yield LinearChunk.prepare(plan, block, first_row)


def _in_memory(
    predictions: Predictions,
    plan: LinearPlan,
    parts: Sequence[range],
    segments: Sequence[range],
    parallel: Parallel,
) -> Families:
    quiet = Parallel(parallel.n_jobs)
    blocks = [[segment[part] for part in spans(len(segment), CHUNK)] for segment in segments]
    keep = predictions.n_samples * plan.n_features <= KEPT_FEATURES

    def prepared(rows: range) -> LinearChunk:
        return next(_prepared(predictions, plan, rows))

    kept = [list(run(prepared, some, quiet)) for some in blocks] if keep else None

    def chunks(k: int) -> Iterable[LinearChunk]:
        return kept[k] if kept else _prepared(predictions, plan, segments[k])

    def means(k: int) -> dict[str, FloatArray]:
        return _added(chunk.expected(plan) for chunk in chunks(k))

    expected = _added(run(means, range(len(segments)), quiet))
    ticker = Ticker(parallel.progress, len(parts) * sum(map(len, blocks)))

    def one(part: range) -> Families:
        total = LinearState(plan, part, predictions.n_classes)
        for k in range(len(segments)):
            state = LinearState(plan, part, predictions.n_classes) if k else total
            for chunk in chunks(k):
                state.update(chunk)
                ticker.tick()
            if k:
                total.merge(state)
        return total.families(expected)

    return Families.join(list(run(one, parts, quiet)))
