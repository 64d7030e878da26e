"""The SKCE of the random-feature approximation of a Laplacian, for many rows: O(n·m·D)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from calibrant._engine import FourierFeatures
from calibrant._execution import Parallel, run_shared, spans
from calibrant._native import FloatArray
from calibrant._predictions import Predictions

#: rows of a task
_CHUNK = 4096
#: frequencies: the kernel is approximated to about 1/√D
N_FREQUENCIES = 512
#: what a feature costs, in elementary steps of the pair engine
_STEPS = 25

#: the rows, the features, and S
_Data = tuple[Predictions, FourierFeatures, FloatArray]


def feature_row_sums(
    predictions: Predictions, bandwidth: float, seed: int, parallel: Parallel = Parallel()
) -> FloatArray:
    """Return Σ_{j≠i} h_ij for every row under the approximate kernel, shape (n,), in two passes.

    The features φ have length 1 and inner products close to the kernel, so the sums are
    ⟨r_i, S φ_i⟩ − |r_i|² with S = Σ_j r_j φ_jᵀ. Memory of a few chunks of rows.
    """
    return _in_two_passes(_row_sums, predictions, bandwidth, seed, parallel)


def feature_class_sums(
    predictions: Predictions, bandwidth: float, seed: int, parallel: Parallel = Parallel()
) -> FloatArray:
    """Return the parts r_ic Σ_{j≠i} k_ij r_jc of `feature_row_sums`, shape (n, m)."""
    return _in_two_passes(_class_sums, predictions, bandwidth, seed, parallel)


def feature_totals(
    predictions: Predictions, bandwidth: float, seed: int, parallel: Parallel = Parallel()
) -> FloatArray:
    """Return S = Σ_j r_j φ_jᵀ, (m, 2·D), in one pass; those of parts of the rows add up.

    The sum of `feature_class_sums` over some rows with totals T is ⟨T_c, S_c⟩ − Σ r_ic².
    """
    return _totals(_features(predictions, bandwidth, seed), predictions, parallel)


def _features(predictions: Predictions, bandwidth: float, seed: int) -> FourierFeatures:
    return FourierFeatures.draw(predictions.n_classes, [bandwidth], N_FREQUENCIES, seed)


def _totals(features: FourierFeatures, predictions: Predictions, parallel: Parallel) -> FloatArray:
    blocks, work = _blocks(features, predictions)
    total = np.zeros((predictions.n_classes, features.n_features))
    for record in run_shared(_outer, (predictions, features), blocks, parallel, work):
        total += record
    return total


def _blocks(features: FourierFeatures, predictions: Predictions) -> tuple[list[slice], float]:
    """Return the rows of every task, and what all cost."""
    work = predictions.n_samples * features.n_features * _STEPS
    return spans(predictions.n_samples, _CHUNK), work


def _in_two_passes(
    sums: Callable[[_Data, slice], FloatArray],
    predictions: Predictions,
    bandwidth: float,
    seed: int,
    parallel: Parallel,
) -> FloatArray:
    features = _features(predictions, bandwidth, seed)
    total = _totals(features, predictions, parallel)
    blocks, work = _blocks(features, predictions)
    data = predictions, features, total
    return np.concatenate(list(run_shared(sums, data, blocks, parallel, work)))


def _outer(data: tuple[Predictions, FourierFeatures], rows: slice) -> FloatArray:
    predictions, features = data
    part = predictions.take(rows)
    return features.outer(part.y_prob, part.weighted_residuals)


def _row_sums(data: _Data, rows: slice) -> FloatArray:
    products, squares = _terms(data, rows)
    return np.asarray(products.sum(axis=1) - squares.sum(axis=1))


def _class_sums(data: _Data, rows: slice) -> FloatArray:
    products, squares = _terms(data, rows)
    return products - squares


def _terms(data: _Data, rows: slice) -> tuple[FloatArray, FloatArray]:
    predictions, features, total = data
    part = predictions.take(rows)
    residuals = part.weighted_residuals
    return residuals * features.smooth(part.y_prob, total), residuals**2
