"""How much of the squared kernel calibration error belongs to which row and class."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant._features import FourierFeatures
from calibrant._pairs import BlockForm, kernel_products
from calibrant._pairs._sums import spans
from calibrant._where._features import CHUNK
from calibrant.estimators._feature_skce import N_FREQUENCIES
from calibrant.kernels import Laplacian
from calibrant.methods._auto import EXACT_ROWS

if TYPE_CHECKING:
    from calibrant._executors import Parallel
    from calibrant._predictions import Predictions
    from calibrant._typing import FloatArray
    from calibrant.kernels import ScalarKernel


def contributions(
    predictions: Predictions,
    kernel: ScalarKernel,
    parallel: Parallel,
    n_total: int | None = None,
) -> FloatArray:
    r"""Return what every row and class adds to the unbiased SKCE, shape (n, m).

    Entry (i, c) is :math:`r_{ic} \sum_{j \ne i} k_{ij} r_{jc} / \sum_{i \ne j} w_i w_j`, so all
    entries add up to the estimate. O(n²m); above 20 000 rows of more than two classes a Laplacian
    of total variation is approximated by 512 random frequencies, O(n·m·D). A part of `n_total`
    rows is approximated earlier, so that all parts together cost no more than 20 000 rows do.
    """
    weight = pair_weight(predictions.weights)
    if weight <= 0.0:
        return np.zeros(predictions.y_prob.shape)
    if (
        predictions.n_samples * (n_total or predictions.n_samples) > EXACT_ROWS**2
        and predictions.n_classes > 2
        and isinstance(kernel, Laplacian)
        and kernel.metric == "tv"
    ):
        return _approximate(predictions, float(kernel.bandwidth)) / weight  # type: ignore[arg-type]
    residuals = predictions.weighted_residuals
    total = np.zeros_like(residuals)
    for form in kernel.forms(predictions.y_prob, residuals):
        assert not isinstance(form, BlockForm), "scalar kernels have no blocks"
        total += residuals * kernel_products(form, parallel)
    return total / weight


def pair_weight(weights: FloatArray) -> float:
    """Σ_{i≠j} w_i w_j, without the cancellation of (Σw)² − Σw²."""
    return 2.0 * float(np.sum(weights[1:] * np.cumsum(weights)[:-1]))


def _approximate(predictions: Predictions, bandwidth: float) -> FloatArray:
    features = FourierFeatures.draw(predictions.n_classes, [bandwidth], N_FREQUENCIES, seed=0)
    sums = np.zeros((predictions.n_classes, features.n_features))
    blocks = spans(predictions.n_samples, CHUNK)
    for rows in blocks:
        part = predictions.take(rows)
        sums += features.outer(part.y_prob, part.weighted_residuals)
    out = np.empty(predictions.y_prob.shape)
    for rows in blocks:
        part = predictions.take(rows)
        residuals = part.weighted_residuals
        out[rows] = residuals * features.smooth(part.y_prob, sums) - residuals**2
    return out
