"""A chunk of rows prepared for the linear-time aggregated test, independently of labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from calibrant._engine import LabelSets, bucket_sums, own_cell_sums, score_sums
from calibrant._execution import spans
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions
from calibrant.methods._class_scores import ClassMoments, log_levels
from calibrant.methods._confidence import Confidence
from calibrant.methods._families import family_directions
from calibrant.methods._linear_plan import LinearPlan, table_rows
from calibrant.methods._reach import ReachMoments, reach_probabilities, reach_squares

#: rows whose features are computed together, so that they stay in the cache while being summed
FEATURE_ROWS = 256


@dataclass(frozen=True, eq=False)
class LinearChunk:
    """A chunk of rows with their features, buckets and cells.

    For every row, a label set adds the entries of one class only: the features and O(1) numbers.
    """

    predictions: Predictions
    first_row: int
    features: FloatArray  # weighted, (n_panels, rows, panel)
    buckets: npt.NDArray[np.uint16]  # (grids, rows)
    cells: npt.NDArray[np.uint16]  # (rows, m)
    levels: npt.NDArray[np.uint16]  # (rows, m)
    events: IntArray  # (rows,)
    places: npt.NDArray[np.uint16]  # (rows,) cells of the confidence
    reach: npt.NDArray[np.uint16]  # (events, rows) cells of the events "class at least k"

    @classmethod
    def empty(cls, plan: LinearPlan, predictions: Predictions, first_row: int) -> LinearChunk:
        """Allocate memory for the results of `fill`."""
        n, m = predictions.y_prob.shape
        return cls(
            predictions,
            first_row,
            features=np.empty((plan.n_panels, n, plan.panel)),
            buckets=np.empty((len(plan.grids.pitch), n), np.uint16),
            cells=np.empty((n, m), np.uint16),
            levels=np.empty((n, m), np.uint16),
            events=np.empty(n, np.int64),
            places=np.empty(n, np.uint16),
            reach=np.empty((plan.n_questions, n), np.uint16),
        )

    @classmethod
    def prepare(cls, plan: LinearPlan, predictions: Predictions, first_row: int) -> LinearChunk:
        """Compute features, buckets and cells of some rows."""
        chunk = cls.empty(plan, predictions, first_row)
        chunk.fill(plan, slice(0, predictions.n_samples), means=False)
        return chunk

    def fill(self, plan: LinearPlan, rows: slice, *, means: bool = True) -> dict[str, FloatArray]:
        """Compute some of the rows; return the expectations of their sums, and their moments."""
        block = self.predictions.take(rows)
        x, w = block.y_prob, block.weights
        confidence = Confidence.of(block)
        self.events[rows], self.places[rows] = confidence.events, confidence.cells
        sums = np.zeros((x.shape[1], plan.n_features))
        for part in spans(block.n_samples, FEATURE_ROWS):
            features = plan.features.transform(x[part])
            if block.sample_weight is not None:
                features *= w[part, None]
            here = slice(rows.start + part.start, rows.start + part.stop)
            self.features[:, here] = plan.by_panel(features)
            if means:
                sums += x[part].T @ features
        parts = spans(block.n_samples, table_rows(block.n_classes))
        tables = [self._fill_tables(plan, block, rows.start, part, means) for part in parts]
        if not means:
            return {}
        buckets = (bucket_sums(one, x, w, plan.grids.n_buckets) for one in self.buckets[:, rows])
        return {
            "features": sums,
            "buckets": np.stack(list(buckets)),
            "cells": own_cell_sums(self.cells[rows], x, w, plan.n_cells),
            "confidence": confidence.expected,
            "confidence_variance": confidence.variance,
            **add_records(tables),
        }

    def _fill_tables(
        self, plan: LinearPlan, block: Predictions, start: int, part: slice, means: bool
    ) -> dict[str, FloatArray]:
        rows = slice(start + part.start, start + part.stop)
        here = block.take(part)
        x, p, floor = here.y_prob, here.distributions, plan.components.score_floor
        self.buckets[:, rows] = plan.grids.buckets(x)
        self.cells[rows] = np.minimum(x * plan.n_cells, plan.n_cells - 1)
        self.levels[rows] = log_levels(p, floor)
        self._fill_reach(plan, x, rows)
        if not means:
            return {}
        moments = ClassMoments.of(p, here.weights, self.levels[rows], floor)
        directions = family_directions(here, plan.components).values()
        return {
            "variances": np.array([variance for _, variance in directions]),
            **{f"class_{name}": value for name, value in vars(moments).items()},
            **self._reach_means(plan, here, rows),
        }

    def _fill_reach(self, plan: LinearPlan, x: FloatArray, rows: slice) -> None:
        if plan.n_questions:
            places = np.clip(reach_probabilities(x) * plan.n_cells, 0, plan.n_cells - 1)
            self.reach[:, rows] = places.T

    def _reach_means(
        self, plan: LinearPlan, here: Predictions, rows: slice
    ) -> dict[str, FloatArray]:
        found: dict[str, FloatArray] = {}
        if plan.n_questions:
            cells, q = np.ascontiguousarray(self.reach[:, rows].T), reach_probabilities(here.y_prob)
            q = np.ascontiguousarray(q)
            found["reach"] = own_cell_sums(cells, q, here.weights, plan.n_cells)
        if plan.components.grades:
            moments = ReachMoments.of(here.distributions, here.weights)
            found |= {f"reach_{name}": value for name, value in vars(moments).items()}
        return found

    def row_scores(self, plan: LinearPlan, label_sets: LabelSets) -> dict[str, FloatArray]:
        """Return Σ w²|r|² and the directions of label sets for these rows."""
        names = ("squares", "reach_squares", *plan.directions)
        found = {name: np.zeros(len(label_sets)) for name in names}
        for rows, here in self._tables():
            labels = label_sets.rows(rows)
            x, w = here.y_prob, here.weights[:, None]
            squares = -2.0 * x
            squares += 1.0 + np.einsum("ic,ic->i", x, x)[:, None]
            if here.sample_weight is not None:
                squares *= w**2
            found["squares"] += score_sums(squares, labels)
            if plan.n_questions:
                found["reach_squares"] += score_sums(w**2 * reach_squares(x), labels)
            for name, (scores, _) in family_directions(here, plan.components).items():
                found[name] += score_sums(scores, labels)
        return found

    def _tables(self) -> Iterator[tuple[slice, Predictions]]:
        for rows in spans(self.predictions.n_samples, table_rows(self.predictions.n_classes)):
            yield rows, self.predictions.take(rows)

    def rows(self, rows: slice) -> LinearChunk:
        """Return some of the rows (a view)."""
        return LinearChunk(
            self.predictions.take(rows),
            self.first_row + rows.start,
            self.features[:, rows],
            self.buckets[:, rows],
            self.cells[rows],
            self.levels[rows],
            self.events[rows],
            self.places[rows],
            self.reach[:, rows],
        )

    def reused(self, predictions: Predictions, first_row: int) -> LinearChunk:
        """Return a chunk for at most as many other rows, in the same memory."""
        room = self.rows(slice(0, predictions.n_samples))
        return replace(room, predictions=predictions, first_row=first_row)

    def draw(self, plan: LinearPlan, sets: range) -> LabelSets:
        """Return the labels of these rows in some label sets."""
        return LabelSets.label_sets(
            self.predictions, plan.resampler, sets, first_row=self.first_row
        )


def add_records(
    records: Iterable[Mapping[str, FloatArray]], total: dict[str, FloatArray] | None = None
) -> dict[str, FloatArray]:
    """Add the arrays of records in order, to those of `total` if given."""
    total = {} if total is None else total
    for record in records:
        for name, value in record.items():
            if name in total:
                total[name] += value
            else:
                total[name] = np.array(value)
    return total
