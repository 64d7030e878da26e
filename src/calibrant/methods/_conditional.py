r"""Exact moments of the SKCE given the predictions, labels drawn from them.

With :math:`\Sigma_i = diag(p_i) - p_i p_i^\top` and a kernel k·I the pair sum
:math:`T = \sum_{i \ne j} h_{ij}` has :math:`E T = 0`,
:math:`Var\, T = 2 \sum_{i \ne j} K_{ij}^2\, tr(\Sigma_i \Sigma_j)` and a third moment from the
triangles of :math:`K` and from single pairs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant._executors import Parallel, run
from calibrant._pairs._sums import spans, tile_pairs

if TYPE_CHECKING:
    from calibrant._predictions import Predictions
    from calibrant._typing import FloatArray
    from calibrant.kernels import ScalarKernel

#: rows of a tile of the variance
_TILE = 512
#: rows³·classes of the skewness: about a second of matrix products
_SKEWNESS_WORK = 4e9


@dataclass(frozen=True)
class ConditionalMoments:
    """Moments of T and of V = T + Σ_i h_ii, given the predictions."""

    pair_variance: float
    variance: float
    diagonal_mean: float
    #: Σ_i w_i² K_ii: the sum of squared ranges in McDiarmid's inequality
    diagonal_bound: float
    skewness: float
    skewness_rows: int


def conditional_moments(
    predictions: Predictions, kernel: ScalarKernel, skewness_rows: int, parallel: Parallel
) -> ConditionalMoments:
    """Return the moments under calibration; `kernel` is resolved. O(n²m) and no n×n array."""
    p = predictions.y_prob / predictions.y_prob.sum(axis=1, keepdims=True)
    weights = predictions.weights
    pair_variance = _pair_variance(p, weights, predictions.y_prob, kernel, parallel)
    diagonal = kernel.diagonal_values(predictions.y_prob) * weights**2
    square, cube = np.sum(p**2, axis=1), np.sum(p**3, axis=1)
    rows = _subsample(len(p), p.shape[1], skewness_rows)
    return ConditionalMoments(
        pair_variance=pair_variance,
        variance=pair_variance + 4.0 * float(np.sum(diagonal**2 * (cube - square**2))),
        diagonal_mean=float(np.sum(diagonal * (1.0 - square))),
        diagonal_bound=float(np.sum(diagonal)),
        skewness=pair_skewness(p[rows], weights[rows], kernel.tile(*(predictions.y_prob[rows],) * 2)),
        skewness_rows=len(rows),
    )


def pair_skewness(p: FloatArray, weights: FloatArray, kernel: FloatArray) -> float:
    """Return the skewness of T for a few rows with kernel matrix (n, n); O(n³m)."""
    k = kernel * np.outer(weights, weights)
    np.fill_diagonal(k, 0.0)
    variance = 2.0 * float(np.sum(k**2 * _trace_products(p, p)))
    if variance <= 0.0:
        return 0.0
    third = 8.0 * _triangles(p, k) + 4.0 * float(np.sum(k**3 * _third_products(p)))
    return third / variance**1.5


def _pair_variance(
    p: FloatArray, weights: FloatArray, x: FloatArray, kernel: ScalarKernel, parallel: Parallel
) -> float:
    blocks = spans(len(p), _TILE)
    tasks = [(blocks[i], blocks[j]) for i, j in tile_pairs(len(blocks))]

    def tile(task: tuple[slice, slice]) -> float:
        i, j = task
        k = kernel.tile(x[i], x[j]) * np.outer(weights[i], weights[j])
        products = k**2 * _trace_products(p[i], p[j])
        return 2.0 * float(np.sum(np.triu(products, 1) if i == j else products))

    return 2.0 * math.fsum(run(tile, tasks, Parallel(parallel.n_jobs, None, parallel.progress)))


def _trace_products(p: FloatArray, q: FloatArray) -> FloatArray:
    """tr(Σ_i Σ_j) = ⟨p_i,q_j⟩ − ⟨p_i,q_j²⟩ − ⟨p_i²,q_j⟩ + ⟨p_i,q_j⟩²."""
    inner = p @ q.T
    return np.asarray(inner - p @ (q**2).T - (p**2) @ q.T + inner**2)


def _triangles(p: FloatArray, k: FloatArray) -> float:
    """Σ over distinct i, j, l of K_ij K_jl K_li tr(Σ_i Σ_j Σ_l)."""
    weighted = k * (p @ p.T)
    t1 = t2 = t3 = 0.0
    for column in p.T:
        through = (k * column) @ k
        t1 += float(column @ (through * k) @ column)
        t2 += float(column @ (through * k) @ column**2)
        t3 += float(column @ (through * weighted) @ column)
    t4 = float(np.sum((weighted @ weighted) * weighted))
    return t1 - 3.0 * t2 + 3.0 * t3 - t4


def _third_products(p: FloatArray) -> FloatArray:
    """E ⟨r_i, r_j⟩³ for every pair of rows, from the power sums s_kl = Σ_c p_ic^k p_jc^l."""
    a = p @ p.T
    s21, s31, s22 = (p**2) @ p.T, (p**3) @ p.T, (p**2) @ (p**2).T
    s12, s13 = s21.T, s31.T
    u2, v2 = s21 - a**2, s12 - a**2
    u3, v3 = s31 - 3 * a * s21 + 2 * a**3, s13 - 3 * a * s12 + 2 * a**3
    return np.asarray(
        -(u3 + v3)
        - 3 * a * (u2 + v2)
        - a**3
        + a * (1 + 3 * a + 3 * a**2)
        - (3 + 6 * a) * (s21 + s12)
        + 3 * (s31 + 2 * s22 + s13)
    )


def _subsample(n: int, m: int, limit: int) -> FloatArray:
    rows = min(n, limit, max(50, int((_SKEWNESS_WORK / m) ** (1 / 3))))
    return np.linspace(0, n - 1, rows).astype(int)
