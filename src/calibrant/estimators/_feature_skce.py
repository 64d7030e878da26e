"""The SKCE of the random-feature approximation of a Laplacian, for many rows: O(n·m·D)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant._bundles import run_shared
from calibrant._executors import Parallel
from calibrant._features import FourierFeatures
from calibrant._pairs._sums import spans

if TYPE_CHECKING:
    from calibrant._predictions import Predictions
    from calibrant._typing import FloatArray

#: rows of a task
_CHUNK = 4096
#: frequencies: the kernel is approximated to about 1/√D
N_FREQUENCIES = 512
#: what a feature costs, in elementary steps of the pair engine
_STEPS = 25


def feature_row_sums(
    predictions: Predictions, bandwidth: float, seed: int, parallel: Parallel = Parallel()
) -> FloatArray:
    """Return Σ_{j≠i} h_ij for every row under the approximate kernel, in two passes.

    The features φ have length 1 and inner products close to the kernel, so the sums are
    ⟨r_i, S φ_i⟩ − |r_i|² with S = Σ_j r_j φ_jᵀ. Memory of a few chunks of rows.
    """
    features = FourierFeatures.draw(predictions.n_classes, [bandwidth], N_FREQUENCIES, seed)
    blocks = spans(predictions.n_samples, _CHUNK)
    work = predictions.n_samples * features.n_features * _STEPS
    total = np.zeros((predictions.n_classes, features.n_features))
    for record in run_shared(_outer, (predictions, features), blocks, parallel, work):
        total += record
    data = predictions, features, total
    return np.concatenate(list(run_shared(_sums, data, blocks, parallel, work)))


def _outer(data: tuple[Predictions, FourierFeatures], rows: slice) -> FloatArray:
    predictions, features = data
    part = predictions.take(rows)
    return features.outer(part.y_prob, part.weighted_residuals)


def _sums(data: tuple[Predictions, FourierFeatures, FloatArray], rows: slice) -> FloatArray:
    predictions, features, total = data
    part = predictions.take(rows)
    residuals = part.weighted_residuals
    smooth = features.smooth(part.y_prob, total)
    return np.asarray(np.sum(residuals * smooth, axis=1) - np.sum(residuals**2, axis=1))
