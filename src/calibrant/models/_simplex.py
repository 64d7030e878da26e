"""Dirichlet variates, in logs."""

from __future__ import annotations

import numpy as np

from calibrant._native import FloatArray
from calibrant._predictions import softmax


def sample_dirichlet(alpha: FloatArray, n: int, rng: np.random.Generator) -> FloatArray:
    """Draw rows of Dir(α) in logs: gamma variates of tiny shape are below the smallest float.

    G(α) = G(α + 1)·U^{1/α} in distribution, and −log U is a standard exponential variate.
    """
    log_gamma = np.log(rng.standard_gamma(alpha + 1.0, size=(n, len(alpha))))
    log_gamma -= rng.standard_exponential(size=(n, len(alpha))) / alpha
    return softmax(log_gamma)
