"""Bounds of the terms h = (e_y − s)ᵀ k(s, t) (e_y' − t)."""

from __future__ import annotations

import math

import numpy as np

from calibrant._native import FloatArray


def term_bound(norm: float, p: float, q: float) -> float:
    """Return B_{p;q} = 2^{1 + 1/p − 1/q}·K_{p;q} for K_{p;q} = `norm` (the term-bound lemma)."""
    return float(2.0 ** (1.0 + 1.0 / p - 1.0 / q) * norm)


def vertex_bound(envelope: FloatArray) -> float:
    """Return max over a, b of E_aa + E_bb − 2E_ab.

    For |h| ≤ √(uᵀEu)·√(vᵀEv) with residuals u and v: uᵀEu is convex in the prediction, so
    it is largest at the vertices of the simplex, where u = e_a − e_b.
    """
    diagonal = np.diag(envelope)
    return float((diagonal[:, None] + diagonal[None, :] - 2.0 * envelope).max())


def identity_norm(n_classes: int, p: float, q: float) -> float:
    """Return the induced norm ‖I‖_{p;q} = sup ‖x‖_q / ‖x‖_p: 1 if p ≤ q, else m^{1/q − 1/p}."""
    return 1.0 if p <= q else float(n_classes ** (1.0 / q - 1.0 / p))


def matrix_norm(matrix: FloatArray, p: float, q: float) -> float:
    """Return the induced norm ‖A‖_{p;q} = sup ‖Ax‖_q / ‖x‖_p, if a formula for it is known."""
    scale = float(matrix[0, 0])
    if np.array_equal(matrix, scale * np.eye(len(matrix))):
        return scale * identity_norm(len(matrix), p, q)
    if p == 1.0:
        return float(np.linalg.norm(matrix, ord=q, axis=0).max())
    if q == math.inf:
        dual = 1.0 if p == math.inf else p / (p - 1.0)
        return float(np.linalg.norm(matrix, ord=dual, axis=1).max())
    if p == q == 2.0:
        return float(np.linalg.norm(matrix, ord=2))
    raise ValueError(
        f"‖A‖_{{p;q}} has no formula for p={p:g}, q={q:g} unless the matrix is a multiple of "
        "the identity; use p=1 with any q, q=inf with any p, or p=q=2; or pass neither p nor q "
        "for a bound that is sharper than all of them."
    )


def check_orders(p: float | None, q: float | None) -> tuple[float, float]:
    """Return p and q as floats; raise ValueError unless both are given and in [1, inf]."""
    if p is None or q is None:
        raise ValueError(
            f"`p` and `q` must be given together; got p={p}, q={q}. Pass both, or neither for "
            "the default bound."
        )
    for name, order in (("p", p), ("q", q)):
        if not order >= 1.0:
            raise ValueError(f"`{name}` must be in [1, inf]; got {order}.")
    return float(p), float(q)
