r"""The families of the aggregated test in one pass over the rows: random features and cells.

Family A becomes :math:`\sum_{f,c} (\sum_i \phi_{if} r_{ic})^2 - \sum_i |r_i|^2` with random Fourier
features φ of unit length; family C puts every probability into one of a thousand cells and sums
over pairs of cells. Both are exact as tests (the approximate statistic is the same function of
every label set), need time linear in the number of rows, and their state adds up over parts of
the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from calibrant._engine import (
    FourierFeatures,
    LabelResampler,
    LabelSets,
    cell_sums,
    feature_sums,
    scan,
    score_sums,
    standardize,
)
from calibrant._execution import Parallel, Ticker, run, run_shared, spans
from calibrant._native import FloatArray
from calibrant._predictions import Predictions, RowSource, row_blocks_of
from calibrant.methods._families import (
    FRACTIONS,
    WIDTHS,
    Families,
    family_directions,
)

#: frequencies of a bandwidth; small bandwidths need more than they are worth and are left to C
N_FREQUENCIES = 64
#: rows whose features and labels are held at once
CHUNK = 4096
#: numbers in the state of one task
STATE_SIZE = 1 << 21
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
    n_cells: int
    log_score: bool
    resampler: LabelResampler

    @classmethod
    def make(
        cls, n_classes: int, bandwidth: float, log_score: bool, resampler: LabelResampler
    ) -> LinearPlan:
        """Choose features and cells from the number of classes and the median distance."""
        bandwidths = [fraction * bandwidth for fraction in FRACTIONS[1:]]
        features = FourierFeatures.draw(n_classes, bandwidths, N_FREQUENCIES, resampler.seed)
        return cls(features, 1024 if n_classes <= 100 else 256, log_score, resampler)

    @property
    def n_features(self) -> int:
        """Features of a row, all bandwidths together."""
        return int(len(self.features.bandwidths) * self.features.n_features)

    @property
    def sets_at_once(self) -> int:
        """Label sets of one task, so that its state stays small."""
        n_classes = int(self.features.draws.shape[0])
        return max(8, min(128, STATE_SIZE // (n_classes * (self.n_features + self.n_cells))))


@dataclass(frozen=True, eq=False)
class LinearChunk:
    """Some rows, prepared: everything that does not depend on labels."""

    predictions: Predictions
    first_row: int
    features: FloatArray  # weighted, (rows, F)
    cells: npt.NDArray[np.uint16]  # (rows, m)
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
            cells=np.minimum(x * plan.n_cells, plan.n_cells - 1).astype(np.uint16),
            squares=weights[:, None] ** 2 * (1.0 - 2.0 * x + norms),
            directions=family_directions(predictions, plan.log_score),
        )


class LinearState:
    """Sums over rows for a range of label sets; states of the same range add up."""

    def __init__(self, plan: LinearPlan, sets: range, n_classes: int) -> None:
        self.plan = plan
        self.sets = sets
        names = ("brier", "log") if plan.log_score else ("brier",)
        self.features = np.zeros((len(sets), n_classes, plan.n_features))
        self.cells = np.zeros((len(sets), n_classes, plan.n_cells))
        self.expected_features = np.zeros((n_classes, plan.n_features))
        self.expected_cells = np.zeros((n_classes, plan.n_cells))
        self.squares = np.zeros(len(sets))  # Σ w²|r|²
        self.scores = {name: np.zeros(len(sets)) for name in names}
        self.variances = dict.fromkeys(names, 0.0)

    def update(self, chunk: LinearChunk) -> None:
        """Add the rows of a chunk."""
        label_sets = LabelSets.label_sets(
            chunk.predictions, self.plan.resampler, self.sets, first_row=chunk.first_row
        )
        x, weights = chunk.predictions.y_prob, chunk.predictions.weights
        feature_sums(chunk.features, label_sets, self.features)
        self.expected_features += x.T @ chunk.features
        cell_sums(chunk.cells, weights, label_sets, self.cells)
        for c, column in enumerate(x.T):
            self.expected_cells[c] += np.bincount(
                chunk.cells[:, c], weights * column, self.plan.n_cells
            )
        self.squares += score_sums(chunk.squares, label_sets)
        for name, (scores, variance) in chunk.directions.items():
            self.scores[name] += score_sums(scores, label_sets)
            self.variances[name] += variance

    def merge(self, other: LinearState) -> None:
        """Add the sums over other rows."""
        if other.sets != self.sets:
            raise ValueError(f"label sets differ: {self.sets} and {other.sets}")
        self.add(other.sums())

    def sums(self) -> dict[str, Any]:
        """Return everything that adds up, as plain arrays and numbers."""
        names = ("features", "cells", "expected_features", "expected_cells", "squares")
        arrays = {name: getattr(self, name) for name in names}
        return arrays | {"scores": self.scores, "variances": self.variances}

    def add(self, sums: Mapping[str, Any]) -> None:
        """Add what `sums` of a state of the same label sets returned."""
        for name, value in sums.items():
            if isinstance(value, np.ndarray):
                getattr(self, name)[...] += value
        for direction in self.scores:
            self.scores[direction] += sums["scores"][direction]
            self.variances[direction] += sums["variances"][direction]

    def families(self) -> Families:
        """Return the statistics of the label sets."""
        n_bandwidths, n_features = len(self.plan.features.bandwidths), self.plan.features.n_features
        squares = np.square(self.features - self.expected_features)
        by_bandwidth = squares.reshape(len(self.sets), -1, n_bandwidths, n_features)
        return Families(
            kernel=self._without_rounding(by_bandwidth.sum(axis=(1, 3)).T - self.squares),
            classwise=self._without_rounding(self._classwise()),
            directions={
                name: standardize(sums, self.variances[name]) for name, sums in self.scores.items()
            },
            bandwidths=self.plan.features.bandwidths,
        )

    def _without_rounding(self, statistics: FloatArray) -> FloatArray:
        # certain predictions leave nothing but rounding, which must not be ranked
        total = float(self.expected_cells.sum())  # Σ w
        return np.where(np.abs(statistics) <= ROUNDING * total**2, 0.0, statistics)

    def _classwise(self) -> FloatArray:
        n_sets, n_classes, n_cells = self.cells.shape
        centers = (np.arange(n_cells) + 0.5) / n_cells
        flat = np.ascontiguousarray((self.cells - self.expected_cells).reshape(-1, n_cells).T)
        same_cell = np.sum(flat**2, axis=0)
        rows = []
        for width in WIDTHS:
            other = 2.0 * np.sum(scan(centers, flat, 1.0 / width) * flat, axis=0)
            by_class = (other + same_cell).reshape(n_sets, n_classes)
            rows.append(by_class.sum(axis=1) - self.squares)
        return np.array(rows)


def linear_families(
    source: Predictions | RowSource, plan: LinearPlan, n_resamples: int, parallel: Parallel
) -> Families:
    """Compute the families for B + 1 label sets, one task for every few of them; O(n·m·R).

    Sums are made segment by segment of the rows and then added in order, in memory as on any
    executor: the bits are the same. Rows that are not in memory are read again by every task.
    """
    sets = range(n_resamples + 1)
    # as few tasks as may be, of equal size: each computes the features anew
    n_parts = -(-len(sets) // plan.sets_at_once)
    parts = [sets[part] for part in spans(len(sets), -(-len(sets) // n_parts))]
    segments = segments_of(source)
    if isinstance(source, Predictions) and parallel.is_plain:
        return _in_memory(source, plan, parts, segments, parallel)
    tasks = [(part, segment) for part in parts for segment in segments]
    records = run_shared(_segment_sums, (source, plan), tasks, parallel)
    families = []
    for part in parts:
        state = LinearState(plan, part, source.n_classes)
        for _ in segments:
            state.add(next(records))
        families.append(state.families())
    return joined(families)


def segments_of(source: Predictions | RowSource, multiple: int = CHUNK) -> list[range]:
    """Part the rows into segments: a choice of their number only."""
    rows = max(1, SEGMENT // multiple) * multiple
    every = range(source.n_samples)
    return [every[part] for part in spans(len(every), rows)]


def _segment_sums(
    data: tuple[Predictions | RowSource, LinearPlan], task: tuple[range, range]
) -> dict[str, Any]:
    (source, plan), (part, rows) = data, task
    state = LinearState(plan, part, source.n_classes)
    for chunk in _prepared(source, plan, rows):
        state.update(chunk)
    return state.sums()


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
    ticker = Ticker(parallel.progress, len(parts) * sum(map(len, blocks)))

    def one(part: range) -> Families:
        total = LinearState(plan, part, predictions.n_classes)
        for k, segment in enumerate(segments):
            state = LinearState(plan, part, predictions.n_classes) if k else total
            for chunk in kept[k] if kept else _prepared(predictions, plan, segment):
                state.update(chunk)
                ticker.tick()
            if k:
                total.merge(state)
        return total.families()

    return joined(list(run(one, parts, quiet)))


def joined(parts: Sequence[Families]) -> Families:
    """Put the label sets of several tasks side by side."""
    return Families(
        np.concatenate([part.kernel for part in parts], axis=1),
        np.concatenate([part.classwise for part in parts], axis=1),
        {
            name: np.concatenate([part.directions[name] for part in parts])
            for name in parts[0].directions
        },
        parts[0].bandwidths,
    )
