"""The SKCE of the random-feature approximation of a Laplacian, for many rows: O(n·m·D)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant._executors import Parallel, Ticker, run
from calibrant._features import FourierFeatures
from calibrant._pairs._sums import spans

if TYPE_CHECKING:
    from calibrant._predictions import Predictions
    from calibrant._typing import FloatArray

#: rows whose features are held at once
_CHUNK = 4096
#: frequencies: the kernel is approximated to about 1/√D
N_FREQUENCIES = 512


def feature_row_sums(
    predictions: Predictions, bandwidth: float, seed: int, parallel: Parallel = Parallel()
) -> FloatArray:
    """Return Σ_{j≠i} h_ij for every row under the approximate kernel, in two passes.

    The features φ have length 1 and inner products close to the kernel, so the sums are
    ⟨r_i, S φ_i⟩ − |r_i|² with S = Σ_j r_j φ_jᵀ. Memory of a few chunks of rows.
    """
    features = FourierFeatures.draw(predictions.n_classes, [bandwidth], N_FREQUENCIES, seed)

    def outer(rows: slice) -> FloatArray:
        part = predictions.take(rows)
        ticker.tick()
        return np.asarray(part.weighted_residuals.T @ features.transform(part.y_prob))

    def sums(rows: slice) -> FloatArray:
        part = predictions.take(rows)
        residuals = part.weighted_residuals
        smooth = features.transform(part.y_prob) @ total.T
        ticker.tick()
        return np.asarray(np.sum(residuals * smooth, axis=1) - np.sum(residuals**2, axis=1))

    blocks, threads = spans(predictions.n_samples, _CHUNK), Parallel(parallel.n_jobs)
    ticker = Ticker(parallel.progress, 2 * len(blocks))
    total = np.zeros((predictions.n_classes, features.n_features))
    for record in run(outer, blocks, threads):
        total += record
    return np.concatenate(list(run(sums, blocks, threads)))
