"""The pair matrix h_ij where its entries themselves are needed: sums of squares, and small H."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from calibrant._bundles import run_shared
from calibrant._pairs._sums import Tile, on_tile, spans, tile_pairs, tile_rows, triangle
from calibrant._pairs._tiles import pair_products, restrict
from calibrant.kernels import ScalarKernel

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibrant._executors import Parallel
    from calibrant._pairs import Form
    from calibrant._typing import FloatArray, IntArray
    from calibrant.kernels import Kernel

#: rows of a tile of conditional variances: products so small stay on one thread of the BLAS
_ROWS = 128
#: how much longer a pair takes in NumPy than a pair in the native core
NUMPY_COST = 10


def evenly_spaced(n: int, size: int) -> IntArray:
    """Return `size` evenly spaced row numbers, or all n where that is not more."""
    return np.arange(n) if n <= size else np.linspace(0, n - 1, size).astype(np.int64)


def pair_matrix(forms: Sequence[Form]) -> FloatArray:
    """Return h_ij with its diagonal, shape (n, n): for a few thousand rows at most."""
    n = len(forms[0].x)
    total = np.zeros((n, n))
    for form in forms:
        blocks = spans(n, tile_rows(form))
        for i, j in tile_pairs(len(blocks)):
            rows, columns = blocks[i], blocks[j]
            values = pair_products(restrict(form, rows), restrict(form, columns))
            total[rows, columns] += values
            if i != j:
                total[columns, rows] += values.T
    return total


def square_sum(forms: Sequence[Form], parallel: Parallel) -> float:
    """Return Σ_{i≠j} h_ij², O(n²) time in the memory of a few tiles."""
    n, size = len(forms[0].x), parallel.tile or min(tile_rows(form) for form in forms)
    columns = sum(form.x.shape[1] + form.v.shape[1] for form in forms)
    tiles, work = triangle(n, size), n * n // 2 * columns * NUMPY_COST
    return math.fsum(run_shared(_form_squares, forms, tiles, parallel, work))


def label_variance(kernel: ScalarKernel, y_prob: FloatArray, parallel: Parallel) -> float:
    """Return Var T = 2 Σ_{i≠j} K_ij² tr(Σ_i Σ_j), exact given the predictions; O(n²m)."""
    n, m = y_prob.shape
    tiles, work = triangle(n, parallel.tile or _ROWS), n * n // 2 * 2 * m * NUMPY_COST
    return 2.0 * math.fsum(run_shared(_variance_squares, (kernel, y_prob), tiles, parallel, work))


def null_variance(
    kernel: Kernel, forms: Sequence[Form], y_prob: FloatArray, parallel: Parallel
) -> float:
    """Return Var T under calibration: exact for k·I, else the unbiased estimate 2 Σ_{i≠j} h_ij²."""
    if isinstance(kernel, ScalarKernel):
        return label_variance(kernel, y_prob, parallel)
    return 2.0 * square_sum(forms, parallel)


def _form_squares(forms: Sequence[Form], tile: Tile) -> float:
    total: FloatArray | None = None
    for left, right in (on_tile(form, tile) for form in forms):
        values = pair_products(left, left if right is None else right)
        total = values if total is None else total + values
    assert total is not None
    return _squares(total, mirrored=tile[1] is not None)


def _variance_squares(data: tuple[ScalarKernel, FloatArray], tile: Tile) -> float:
    kernel, y_prob = data
    p, q = y_prob[tile[0]], y_prob[tile[1] or tile[0]]
    inner = p @ q.T
    trace = inner + inner**2 - p @ (q**2).T - p**2 @ q.T
    # A trace of a product of two covariances is negative by rounding only.
    root = np.sqrt(np.maximum(trace, 0.0))
    return _squares(kernel.tile(p, q) * root, mirrored=tile[1] is not None)


def _squares(values: FloatArray, *, mirrored: bool) -> float:
    if not mirrored:
        np.fill_diagonal(values, 0.0)
    # A tile off the diagonal stands for its mirror image too.
    return (2.0 if mirrored else 1.0) * float(np.einsum("ij,ij->", values, values))
