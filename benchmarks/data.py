"""Calibrated synthetic data: Dirichlet predictions and labels drawn from them."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

#: a fixed kernel bandwidth of about the size of the distances, as in the paper's timings
BANDWIDTH = 0.3


def dirichlet(n_samples: int, n_classes: int, seed: int = 0) -> tuple[Array, Array]:
    """Return y_true (n,) and y_prob (n, m), uniform on the simplex."""
    rng = np.random.default_rng(seed)
    y_prob = rng.standard_exponential((n_samples, n_classes))
    y_prob /= y_prob.sum(axis=1, keepdims=True)
    # the class with the smallest exponential divided by its probability has that probability
    y_true = np.argmin(rng.standard_exponential((n_samples, n_classes)) / y_prob, axis=1)
    return y_true, y_prob
