"""Dirichlet variates and softmax, in logs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from calibrant._typing import FloatArray


def sample_dirichlet(alpha: FloatArray, n: int, rng: np.random.Generator) -> FloatArray:
    """Draw rows of Dir(α) in logs: gamma variates of tiny shape are below the smallest float.

    G(α) = G(α + 1)·U^{1/α} in distribution, and −log U is a standard exponential variate.
    """
    log_gamma = np.log(rng.standard_gamma(alpha + 1.0, size=(n, len(alpha))))
    log_gamma -= rng.standard_exponential(size=(n, len(alpha))) / alpha
    return softmax(log_gamma)


def softmax(logits: FloatArray) -> FloatArray:
    """Return exp(logits)/Σexp(logits) row by row; −∞ becomes exactly 0."""
    p: FloatArray = np.exp(logits - logits.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    return p


def rest_of(alpha: FloatArray) -> FloatArray:
    """Return α₀ − α_i as a sum of the others, which cannot cancel to zero."""
    before = np.concatenate([[0.0], np.cumsum(alpha)[:-1]])
    after = np.concatenate([np.cumsum(alpha[::-1])[-2::-1], [0.0]])
    others: FloatArray = before + after
    return others
