"""The variance of a calibrated model's SKCE, given its predictions."""

from __future__ import annotations

import math

import numpy as np

from calibrant._engine import covariance_products, sizes
from calibrant._predictions import Predictions, pair_weights
from calibrant.kernels import Kernel, ScalarKernel

#: evenly spaced rows whose pairs represent all: a million pairs give their mean to 1 %
_ROWS = 1000


def null_variance(predictions: Predictions, kernel: Kernel) -> float:
    r"""Return the variance of the unbiased SKCE under calibration; NaN for kernels other than k·I.

    Parameters
    ----------
    predictions : Predictions
        Labels and probabilities.
    kernel : Kernel
        A kernel whose bandwidth is a number.

    Notes
    -----
    The variance is :math:`2 \sum_{i \ne j} w_i^2 w_j^2 K_{ij}^2\, tr(\Sigma_i \Sigma_j) /
    (\sum_{i \ne j} w_i w_j)^2` with :math:`\Sigma_i = diag(p_i) - p_i p_i^\top`, exact for up to
    1000 rows and from 1000 evenly spaced ones above. Cost O(min(n, 1000)²·m).
    """
    n = predictions.n_samples
    if n < 2 or not isinstance(kernel, ScalarKernel):
        return math.nan
    few = predictions.take(sizes.evenly_spaced(n, _ROWS))
    weight = few.weights / few.weights.max()
    square = kernel.tile(few.y_prob, few.y_prob) ** 2 * np.outer(weight, weight) ** 2
    square *= covariance_products(few.distributions, few.distributions)
    np.fill_diagonal(square, 0.0)
    pairs = float(pair_weights(weight))
    if pairs <= 0.0:
        return math.nan
    scale = len(few) * (len(few) - 1) / (n * (n - 1))
    return 2.0 * scale * float(square.sum()) / pairs**2
