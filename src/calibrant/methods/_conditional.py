r"""Exact moments of the SKCE given the predictions, for labels drawn from them.

With :math:`\Sigma_i = diag(p_i) - p_i p_i^\top` and a kernel k·I the pair sum
:math:`T = \sum_{i \ne j} h_{ij}` has :math:`E T = 0`,
:math:`Var\, T = 2 \sum_{i \ne j} K_{ij}^2\, tr(\Sigma_i \Sigma_j)` and a third moment from the
triangles of :math:`K` and from single pairs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibrant._engine import (
    Form,
    RadialForm,
    Tile,
    covariance_products,
    is_line,
    pair_sum,
    sizes,
    triangle,
)
from calibrant._execution import Parallel, run_shared
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions
from calibrant.kernels import Kernel, ScalarKernel
from calibrant.methods._pair_matrix import NUMPY_COST, square_sum

#: rows of a tile of the variance
_TILE = 512
#: limit of rows³·classes for the skewness: about a second of matrix products
_SKEWNESS_WORK = 4e9


@dataclass(frozen=True)
class ConditionalMoments:
    """The moments of T given the predictions; the mean is 0."""

    variance: float
    skewness: float
    skewness_rows: int


def conditional_moments(
    predictions: Predictions, kernel: ScalarKernel, skewness_rows: int, parallel: Parallel
) -> ConditionalMoments:
    """Return the moments under calibration, for a resolved kernel.

    O(n²m) without an n×n array; O(n log n) for a Laplacian of two classes.
    """
    rows = predictions.take(_subsample(predictions.n_samples, predictions.n_classes, skewness_rows))
    gram = kernel.tile(rows.y_prob, rows.y_prob)
    return ConditionalMoments(
        label_variance(predictions, kernel, parallel),
        pair_skewness(rows.distributions, rows.weights, gram),
        len(rows),
    )


def subsample_skewness(predictions: Predictions, kernel: ScalarKernel, limit: int) -> float:
    """Return the skewness of T on at most `limit` evenly spaced rows; O(limit³·m)."""
    rows = predictions.take(sizes.evenly_spaced(predictions.n_samples, limit))
    return pair_skewness(rows.distributions, rows.weights, kernel.tile(rows.y_prob, rows.y_prob))


def label_variance(predictions: Predictions, kernel: ScalarKernel, parallel: Parallel) -> float:
    """Return Var T, exact given the predictions; O(n²m), or O(n log n) on a line."""
    x, p, weights = predictions.y_prob, predictions.distributions, predictions.weights
    forms = kernel.forms(x, predictions.residuals)
    if len(forms) == 1 and is_line(forms[0]):
        return _line_variance(forms[0], p, weights)
    data, work = (p, weights, x, kernel), p.size * len(p) * NUMPY_COST
    tiles = triangle(len(p), parallel.tile or _TILE)
    return 2.0 * math.fsum(run_shared(_tile_variance, data, tiles, parallel, work))


def null_variance(
    predictions: Predictions, kernel: Kernel, forms: Sequence[Form], parallel: Parallel
) -> float:
    """Return Var T under calibration: exact for k·I, else an unbiased estimate, 2 Σ_{i≠j} h_ij²."""
    if isinstance(kernel, ScalarKernel):
        return label_variance(predictions, kernel, parallel)
    return 2.0 * square_sum(forms, parallel)


def pair_skewness(p: FloatArray, weights: FloatArray, kernel: FloatArray) -> float:
    """Return the skewness of T for a few rows with kernel matrix (n, n); O(n³m)."""
    k = kernel * np.outer(weights, weights)
    np.fill_diagonal(k, 0.0)
    variance = 2.0 * float(np.sum(k**2 * covariance_products(p, p)))
    if variance <= 0.0:
        return 0.0
    third = 8.0 * _triangles(p, k) + 4.0 * float(np.sum(k**3 * _third_products(p)))
    return float(third / variance**1.5)


def _line_variance(form: RadialForm, p: FloatArray, weights: FloatArray) -> float:
    # two classes: tr(Σ_i Σ_j) = 4 v_i v_j with v = p₀p₁, and K² is a Laplacian of twice the rate
    v = 2.0 * p[:, 0] * p[:, 1] * weights**2
    squared = replace(form, v=v[:, None], rate=2.0 * form.rate, scale=form.scale**2)
    return 4.0 * pair_sum([squared])


def _tile_variance(
    data: tuple[FloatArray, FloatArray, FloatArray, ScalarKernel], tile: Tile
) -> float:
    p, weights, x, kernel = data
    i, j = tile[0], tile[1] or tile[0]
    k = kernel.tile(x[i], x[j]) * np.outer(weights[i], weights[j])
    products = k**2 * covariance_products(p[i], p[j])
    return 2.0 * float(np.sum(np.triu(products, 1) if tile[1] is None else products))


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


def _subsample(n: int, m: int, limit: int, work: float = _SKEWNESS_WORK) -> IntArray:
    rows = min(n, limit, max(50, int((work / m) ** (1 / 3))))
    return sizes.evenly_spaced(n, rows)
