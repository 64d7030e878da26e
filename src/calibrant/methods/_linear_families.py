r"""The families of the aggregated test in one pass over the rows: random features and cells.

Family A becomes :math:`\sum_{f,c} (\sum_i \phi_{if} r_{ic})^2 - \sum_i |r_i|^2` with random Fourier
features φ of unit length; family C puts every probability into one of a thousand cells and sums
over pairs of cells. Both are exact as tests (the approximate statistic is the same function of
every label set), need time linear in the number of rows, and their state adds up over parts of
the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant._executors import Parallel, run
from calibrant._features import FourierFeatures
from calibrant._labelings import Labelings, cell_sums, feature_sums, score_sums
from calibrant._pairs._sums import spans
from calibrant._pairs._twin import scan
from calibrant.methods._families import (
    FRACTIONS,
    LOG_FLOOR,
    WIDTHS,
    Families,
    direction_terms,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibrant._predictions import Predictions
    from calibrant._resampling import LabelResampler
    from calibrant._typing import FloatArray

#: frequencies of a bandwidth; small bandwidths need more than they are worth and are left to C
N_FREQUENCIES = 64
#: rows whose features and labels are held at once
CHUNK = 4096
#: numbers in the state of one task
STATE_SIZE = 1 << 20


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
    def replicates_at_once(self) -> int:
        """Label sets of one task, so that its state stays small."""
        n_classes = self.features.draws.shape[0]
        width = len(self.features.bandwidths) * self.features.n_features + self.n_cells
        return max(8, min(64, STATE_SIZE // (n_classes * width)))


class LinearState:
    """Sums over rows for a range of label sets; states of the same range add up."""

    def __init__(self, plan: LinearPlan, replicates: range, n_classes: int) -> None:
        self.plan = plan
        self.replicates = replicates
        n_features = len(plan.features.bandwidths) * plan.features.n_features
        count = len(replicates)
        self.features = np.zeros((count, n_classes, n_features))
        self.cells = np.zeros((count, n_classes, plan.n_cells))
        self.expected_features = np.zeros((n_classes, n_features))
        self.expected_cells = np.zeros((n_classes, plan.n_cells))
        self.squares = np.zeros(count)  # Σ w²|r|²
        self.scores = {name: np.zeros(count) for name in self._directions()}
        self.variances = dict.fromkeys(self._directions(), 0.0)

    def update(self, predictions: Predictions, first_row: int) -> None:
        """Add rows; `first_row` is the number of the first one in the whole data set."""
        labelings = Labelings.label_sets(
            predictions, self.plan.resampler, self.replicates, first_row=first_row
        )
        x, weights = predictions.y_prob, predictions.weights
        features = weights[:, None] * self.plan.features.transform(x)
        feature_sums(features, labelings, self.features)
        self.expected_features += x.T @ features
        last = self.plan.n_cells - 1
        cells = np.minimum(x * self.plan.n_cells, last).astype(np.uint16)
        cell_sums(cells, weights, labelings, self.cells)
        for c, column in enumerate(x.T):
            self.expected_cells[c] += np.bincount(cells[:, c], weights * column, last + 1)
        norms = np.sum(x**2, axis=1, keepdims=True)
        self.squares += score_sums(weights[:, None] ** 2 * (1.0 - 2.0 * x + norms), labelings)
        self._add_directions(x, weights, labelings)

    def merge(self, other: LinearState) -> None:
        """Add the sums over other rows."""
        if other.replicates != self.replicates:
            raise ValueError(f"label sets differ: {self.replicates} and {other.replicates}")
        for name in ("features", "cells", "expected_features", "expected_cells", "squares"):
            getattr(self, name)[...] += getattr(other, name)
        for direction in self.scores:
            self.scores[direction] += other.scores[direction]
            self.variances[direction] += other.variances[direction]

    def families(self) -> Families:
        """Return the statistics of the label sets."""
        n_sets, n_bandwidths = len(self.replicates), len(self.plan.features.bandwidths)
        residuals = self.features - self.expected_features
        squares = np.square(residuals).reshape(n_sets, -1, n_bandwidths, self.plan.features.n_features)
        kernel = squares.sum(axis=(1, 3)).T - self.squares
        directions = {
            name: sums / np.sqrt(self.variances[name])
            if self.variances[name] > 0.0
            else np.zeros(n_sets)
            for name, sums in self.scores.items()
        }
        return Families(kernel, self._classwise(), directions, self.plan.features.bandwidths)

    def _classwise(self) -> FloatArray:
        n_sets, n_classes, n_cells = self.cells.shape
        centres = (np.arange(n_cells) + 0.5) / n_cells
        flat = np.ascontiguousarray((self.cells - self.expected_cells).reshape(-1, n_cells).T)
        same_cell = np.sum(flat**2, axis=0)
        rows = []
        for width in WIDTHS:
            other = 2.0 * np.sum(scan(centres, flat, 1.0 / width) * flat, axis=0)
            by_class = (other + same_cell).reshape(n_sets, n_classes)
            rows.append(by_class.sum(axis=1) - self.squares)
        return np.array(rows)

    def _directions(self) -> Sequence[str]:
        return ("brier", "log") if self.plan.log_score else ("brier",)

    def _add_directions(self, x: FloatArray, weights: FloatArray, labelings: Labelings) -> None:
        p = x / x.sum(axis=1, keepdims=True)
        for name in self.scores:
            f = p if name == "brier" else np.log(np.maximum(p, LOG_FLOOR))
            scores, variance = direction_terms(p, f, weights)
            self.scores[name] += score_sums(scores, labelings)
            self.variances[name] += variance


def linear_families(
    predictions: Predictions, plan: LinearPlan, n_resamples: int, parallel: Parallel
) -> Families:
    """Compute the families for B + 1 label sets, one task for every few of them; O(n·m·R)."""
    sets = range(n_resamples + 1)
    tasks = [sets[part] for part in spans(len(sets), plan.replicates_at_once)]

    def one(replicates: range) -> Families:
        state = LinearState(plan, replicates, predictions.n_classes)
        for rows in spans(predictions.n_samples, CHUNK):
            state.update(predictions.take(rows), rows.start)
        return state.families()

    parts = list(run(one, tasks, Parallel(parallel.n_jobs, None, parallel.progress)))
    return joined(parts)


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
