"""How much of the squared kernel calibration error belongs to which row and class."""

from __future__ import annotations

import numpy as np

from calibrant._engine import BlockForm, kernel_products, sizes
from calibrant._execution import Parallel
from calibrant._native import FloatArray
from calibrant._predictions import Predictions
from calibrant.estimators import feature_class_sums
from calibrant.kernels import Laplacian, ScalarKernel, fixed_bandwidth


def contributions(
    predictions: Predictions,
    kernel: ScalarKernel,
    parallel: Parallel,
    n_total: int | None = None,
) -> FloatArray:
    r"""Return what every row and class adds to the unbiased SKCE, shape (n, m).

    Entry (i, c) is :math:`r_{ic} \sum_{j \ne i} k_{ij} r_{jc} / \sum_{i \ne j} w_i w_j`, so all
    entries add up to the estimate. O(n²m); above 50 000 rows of more than two classes a Laplacian
    of total variation is approximated by 512 random frequencies, O(n·m·D). A part of `n_total`
    rows is approximated earlier, so that all parts together cost no more than 50 000 rows do.
    """
    weight = predictions.pair_weight
    if weight <= 0.0:
        return np.zeros(predictions.y_prob.shape)
    if (
        predictions.n_samples * (n_total or predictions.n_samples) > sizes.EXACT_ROWS**2
        and predictions.n_classes > 2
        and isinstance(kernel, Laplacian)
        and kernel.metric == "tv"
    ):
        bandwidth = fixed_bandwidth(kernel)
        return feature_class_sums(predictions, bandwidth, 0, parallel) / weight
    residuals = predictions.weighted_residuals
    total = np.zeros_like(residuals)
    for form in kernel.forms(predictions.y_prob, residuals):
        assert not isinstance(form, BlockForm), "scalar kernels have no blocks"
        total += residuals * kernel_products(form, parallel)
    return total / weight
