"""The SKCE of a Laplacian approximated by random features, for many rows: O(n·m·D)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from calibrant._engine import FourierFeatures
from calibrant._execution import Parallel, limits, run_shared, spans
from calibrant._native import FloatArray
from calibrant._predictions import Predictions

#: rows whose sums are made together
_SUMMED_ROWS = 128
#: number of frequencies D: the kernel is approximated to about 1/√D
N_FREQUENCIES = 512
#: frequencies that give the spread of the row sums to about 5 %
_SPREAD_FREQUENCIES = 128
#: cost of a feature, in elementary steps of the pair engine
_STEPS = 25

#: bytes of features kept from the first pass for the second
_KEPT_BYTES = 1 << 29


@dataclass(frozen=True, eq=False)
class _Data:
    """The rows, their features, the cache of the first features, and S once it is known."""

    predictions: Predictions
    features: FourierFeatures
    table: FloatArray | None
    sums: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))

    @property
    def blocks(self) -> list[slice]:
        """The rows of every task."""
        return spans(self.predictions.n_samples, limits().chunk_rows)

    @property
    def work(self) -> float:
        """The cost of a pass, in elementary steps."""
        return self.predictions.n_samples * self.features.n_features * _STEPS


def feature_row_sums(
    predictions: Predictions, bandwidth: float, seed: int, parallel: Parallel = Parallel()
) -> FloatArray:
    """Return Σ_{j≠i} h_ij for every row under the approximate kernel, shape (n,), in two passes.

    The features φ have length 1 and inner products close to the kernel, so the sums are
    ⟨r_i, S φ_i⟩ − |r_i|² with S = Σ_j r_j φ_jᵀ. Memory: a few chunks of rows, and all features
    if they are small.
    """
    return _in_two_passes(_row_sums, predictions, bandwidth, seed, parallel)


def feature_spread_sums(
    predictions: Predictions, bandwidth: float, seed: int, parallel: Parallel = Parallel()
) -> FloatArray:
    """Return row sums with the total of `feature_row_sums`, but from fewer frequencies.

    The second pass uses a quarter of the frequencies, which is enough for a jackknife error, and
    scales ⟨r_i, S φ_i⟩ so that the total stays the same.
    """
    features = FourierFeatures.draw(predictions.n_classes, [bandwidth], N_FREQUENCIES, seed)
    data = _Data(predictions, features, None)
    every = _totals(data, parallel)
    few, some = features.first(_SPREAD_FREQUENCIES, every)
    squares = float(np.sum(some * some))
    scale = float(np.sum(every * every)) / squares if squares > 0.0 else 1.0
    data = replace(data, features=few, sums=scale * some)
    return np.concatenate(list(run_shared(_row_sums, data, data.blocks, parallel, data.work)))


def feature_class_sums(
    predictions: Predictions, bandwidth: float, seed: int, parallel: Parallel = Parallel()
) -> FloatArray:
    """Return the terms r_ic Σ_{j≠i} k_ij r_jc of `feature_row_sums` by class, shape (n, m)."""
    return _in_two_passes(_class_sums, predictions, bandwidth, seed, parallel)


def feature_totals(
    predictions: Predictions, bandwidth: float, seed: int, parallel: Parallel = Parallel()
) -> FloatArray:
    """Return S = Σ_j r_j φ_jᵀ, (m, 2·D), in one pass; totals of parts of the rows add up.

    The sum of `feature_class_sums` over some rows with totals T is ⟨T_c, S_c⟩ − Σ r_ic².
    """
    features = FourierFeatures.draw(predictions.n_classes, [bandwidth], N_FREQUENCIES, seed)
    return _totals(_Data(predictions, features, None), parallel)


def _totals(data: _Data, parallel: Parallel) -> FloatArray:
    total = np.zeros((data.predictions.n_classes, data.features.n_features))
    for record in run_shared(_outer, data, data.blocks, parallel, data.work):
        total += record
    return total


def _in_two_passes(
    sums: Callable[[_Data, slice], FloatArray],
    predictions: Predictions,
    bandwidth: float,
    seed: int,
    parallel: Parallel,
) -> FloatArray:
    features = FourierFeatures.draw(predictions.n_classes, [bandwidth], N_FREQUENCIES, seed)
    n = predictions.n_samples
    keep = parallel.is_plain and 8 * n * features.n_features <= _KEPT_BYTES
    table = np.empty((n, features.n_features)) if keep else None
    data = _Data(predictions, features, table)
    data = replace(data, sums=_totals(data, parallel))
    return np.concatenate(list(run_shared(sums, data, data.blocks, parallel, data.work)))


def _outer(data: _Data, rows: slice) -> FloatArray:
    part, table = data.predictions.take(rows), None
    if data.table is not None:
        table = data.table[rows]
        table[:] = data.features.table(part.y_prob)
    return data.features.outer(part.y_prob, part.weighted_residuals, table)


def _row_sums(data: _Data, rows: slice) -> FloatArray:
    out = np.empty(rows.stop - rows.start)
    for some in spans(len(out), _SUMMED_ROWS):  # their tables stay in the cache
        products, squares = _terms(data, slice(rows.start + some.start, rows.start + some.stop))
        out[some] = products.sum(axis=1) - squares.sum(axis=1)
    return out


def _class_sums(data: _Data, rows: slice) -> FloatArray:
    products, squares = _terms(data, rows)
    return products - squares


def _terms(data: _Data, rows: slice) -> tuple[FloatArray, FloatArray]:
    part = data.predictions.take(rows)
    table = None if data.table is None else data.table[rows]
    residuals = part.weighted_residuals
    return residuals * data.features.smooth(part.y_prob, data.sums, table), residuals**2
