"""Products of the covariances of labels that follow their predictions."""

from __future__ import annotations

import numpy as np

from calibrant._native import FloatArray


def covariance_products(p: FloatArray, q: FloatArray) -> FloatArray:
    """Return tr(Σ_i Σ_j) for the rows of p and of q, with Σ = diag(p) − p pᵀ.

    It is ⟨p_i(1−p_i), q_j(1−q_j)⟩ + (⟨p_i,q_j⟩² − ⟨p_i²,q_j²⟩), with both terms ≥ 0.
    """
    same = (p * (1.0 - p)) @ (q * (1.0 - q)).T
    different = (p @ q.T) ** 2 - (p**2) @ (q**2).T
    # with a nearly certain class, rounding may make the difference negative
    return np.asarray(np.maximum(same, 0.0) + np.maximum(different, 0.0))
