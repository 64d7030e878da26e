"""Sums over rows for some label sets of the aggregated test, and their statistics."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from calibrant._engine import (
    LabelSets,
    cell_pair_sums,
    cell_sums,
    feature_sums,
    squared_deviations,
    standardize,
)
from calibrant._native import FloatArray
from calibrant.methods._class_scores import LEVELS, ClassMoments, ScoreScale
from calibrant.methods._confidence import CELLS, cell_statistics, hit_sums
from calibrant.methods._families import Families
from calibrant.methods._linear_chunk import LinearChunk
from calibrant.methods._linear_plan import LinearPlan
from calibrant.methods._reach import ReachMoments, reach_sets
from calibrant.methods._scales import WIDTHS

#: pair sums below this fraction of (Σw)² are zero
ROUNDING = 1e-14


class LinearState:
    """Sums over rows for a range of label sets; states of the same range can be added."""

    def __init__(self, plan: LinearPlan, sets: range) -> None:
        self.plan = plan
        self.sets = sets
        count, m = len(sets), plan.n_classes
        self.arrays = {
            "features": np.zeros((count, plan.n_panels, m, plan.panel)),
            "buckets": np.zeros((len(plan.grids.pitch), count, m, plan.grids.n_buckets)),
            "cells": np.zeros((count, m, plan.n_cells)),
            "levels": np.zeros((count, m, LEVELS)),
            "hits": np.zeros((count, 2, CELLS)),
            "reach": np.zeros((plan.n_questions, count, 2, plan.n_cells)),
            "squares": np.zeros(count),  # Σ w²|r|²
            "reach_squares": np.zeros(count),  # the same for the events "class at least k"
            **{name: np.zeros(count) for name in plan.directions},
        }

    def reused(self, sets: range) -> LinearState:
        """Return an empty state for at most as many other label sets, in the same memory."""
        other = LinearState.__new__(LinearState)
        other.plan, other.sets, count = self.plan, sets, len(sets)
        other.arrays = {
            name: values[:, :count] if name in ("buckets", "reach") else values[:count]
            for name, values in self.arrays.items()
        }
        for values in other.arrays.values():
            values.fill(0.0)
        return other

    def update(self, chunk: LinearChunk) -> None:
        """Add the rows of a chunk."""
        label_sets = chunk.draw(self.plan, self.sets)
        self.add_tables(chunk, label_sets)
        self.add(chunk.row_scores(self.plan, label_sets))

    def add_tables(self, chunk: LinearChunk, label_sets: LabelSets) -> None:
        """Add the rows' entries in the tables of classes: all but their `row_scores`.

        Rows are added in order, so the bits do not depend on how they are split into chunks.
        """
        weights, to = chunk.predictions.weights, self.arrays
        feature_sums(chunk.features, label_sets, to["features"])
        for bucket, sums in zip(chunk.buckets, to["buckets"], strict=True):
            cell_sums(bucket[:, None], weights, label_sets, sums)
        cell_sums(chunk.cells, weights, label_sets, to["cells"])
        cell_sums(chunk.levels, weights, label_sets, to["levels"])
        hit_sums(chunk.events, chunk.places, weights, label_sets, to["hits"])
        if self.plan.n_questions:
            questions = zip(chunk.reach, reach_sets(label_sets), to["reach"], strict=True)
            for cells, reached, sums in questions:
                cell_sums(cells[:, None], weights, reached, sums)

    def merge(self, other: LinearState) -> None:
        """Add the sums over other rows for the same label sets."""
        if other.sets != self.sets:
            raise ValueError(f"label sets differ: {self.sets} and {other.sets}")
        self.add(other.arrays)

    def add(self, sums: Mapping[str, FloatArray]) -> None:
        """Add the arrays of a state for the same label sets."""
        for name, values in sums.items():
            self.arrays[name] += values

    def families(self, expected: Mapping[str, FloatArray]) -> Families:
        """Return the statistics of the label sets, given the expectations of the sums."""
        confidence, scaling, bias = self._class_families(expected)
        variances = zip(self.plan.directions, expected["variances"], strict=True)
        return Families(
            kernel=self._without_rounding(self._kernel(expected), expected),
            classwise=self._without_rounding(self._classwise(expected), expected),
            confidence=confidence,
            scaling=scaling,
            bias=bias,
            reach=self._without_rounding(self._reach(expected), expected),
            grades=self._grades(expected),
            directions={name: standardize(self.arrays[name], float(v)) for name, v in variances},
            bandwidths=self.plan.bandwidths,
        )

    def _kernel(self, expected: Mapping[str, FloatArray]) -> FloatArray:
        plan, count = self.plan, len(self.sets)
        n_bandwidths, n_grids = len(plan.features.bandwidths), len(plan.grids.pitch)
        mean = np.ascontiguousarray(plan.by_panel(expected["features"]))
        sums = self.arrays["features"].reshape(count, n_bandwidths, -1)
        features = squared_deviations(sums, mean.reshape(n_bandwidths, -1)).T
        grids = np.zeros(count)
        for sums, means in zip(self.arrays["buckets"], expected["buckets"], strict=True):
            grids += squared_deviations(sums.reshape(count, 1, -1), means.reshape(1, -1))[:, 0]
        return np.vstack([grids / n_grids, features]) - self.arrays["squares"]

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
        # certain predictions leave only rounding errors, which must not be ranked
        total = float(expected["cells"].sum())  # Σ w
        kept = np.where(np.abs(statistics) <= ROUNDING * total**2, 0.0, statistics)
        return np.ascontiguousarray(kept)  # sums over label sets depend on the order in memory

    def _reach(self, expected: Mapping[str, FloatArray]) -> FloatArray:
        if not self.plan.n_questions:
            return np.empty((0, len(self.sets)))
        reached = np.ascontiguousarray(self.arrays["reach"][:, :, 1].swapaxes(0, 1))
        return self._cell_pairs(reached, expected["reach"]) - self.arrays["reach_squares"]

    def _grades(self, expected: Mapping[str, FloatArray]) -> FloatArray:
        if not self.plan.components.grades:
            return np.empty((0, len(self.sets)))
        names = ("expected", "variance", "third")
        moments = ReachMoments(*(expected[f"reach_{name}"] for name in names))
        return moments.statistics(self.arrays["levels"].sum(axis=2))

    def _classwise(self, expected: Mapping[str, FloatArray]) -> FloatArray:
        pairs = self._cell_pairs(self.arrays["cells"], expected["cells"])
        return pairs - self.arrays["squares"]

    def _cell_pairs(self, sums: FloatArray, expected: FloatArray) -> FloatArray:
        rates = 1.0 / (self.plan.n_cells * np.array(WIDTHS))  # per cell
        return cell_pair_sums(sums, expected, rates).T
