"""The pair matrix h_ij where its entries themselves are needed: sums of squares, and small H."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from calibrant._executors import run
from calibrant._pairs._sums import spans, tile_pairs, tile_rows
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
#: the forms on the rows and on the columns of a tile; no columns: the rows with themselves
_FormTile = tuple["list[Form]", "list[Form] | None"]
_VarianceTile = tuple[ScalarKernel, "FloatArray", "FloatArray | None"]


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
    blocks = spans(len(forms[0].x), parallel.tile or min(tile_rows(form) for form in forms))
    parts = [[restrict(form, rows) for form in forms] for rows in blocks]
    tasks: list[_FormTile] = [
        (parts[i], None if i == j else parts[j]) for i, j in tile_pairs(len(blocks))
    ]
    return math.fsum(run(_form_squares, tasks, parallel))


def label_variance(kernel: ScalarKernel, y_prob: FloatArray, parallel: Parallel) -> float:
    """Return Var T = 2 Σ_{i≠j} K_ij² tr(Σ_i Σ_j), exact given the predictions; O(n²m)."""
    parts = [y_prob[rows] for rows in spans(len(y_prob), parallel.tile or _ROWS)]
    tasks: list[_VarianceTile] = [
        (kernel, parts[i], None if i == j else parts[j]) for i, j in tile_pairs(len(parts))
    ]
    return 2.0 * math.fsum(run(_variance_squares, tasks, parallel))


def null_variance(
    kernel: Kernel, forms: Sequence[Form], y_prob: FloatArray, parallel: Parallel
) -> float:
    """Return Var T under calibration: exact for k·I, else the unbiased estimate 2 Σ_{i≠j} h_ij²."""
    if isinstance(kernel, ScalarKernel):
        return label_variance(kernel, y_prob, parallel)
    return 2.0 * square_sum(forms, parallel)


def _form_squares(tile: _FormTile) -> float:
    left, right = tile
    values = pair_products(left[0], (right or left)[0])
    for a, b in zip(left[1:], (right or left)[1:], strict=True):
        values = values + pair_products(a, b)
    return _squares(values, mirrored=right is not None)


def _variance_squares(tile: _VarianceTile) -> float:
    kernel, p, columns = tile
    q = p if columns is None else columns
    inner = p @ q.T
    trace = inner + inner**2 - p @ (q**2).T - p**2 @ q.T
    # A trace of a product of two covariances is negative by rounding only.
    root = np.sqrt(np.maximum(trace, 0.0))
    return _squares(kernel.tile(p, q) * root, mirrored=columns is not None)


def _squares(values: FloatArray, *, mirrored: bool) -> float:
    if not mirrored:
        np.fill_diagonal(values, 0.0)
    # A tile off the diagonal stands for its mirror image too.
    return (2.0 if mirrored else 1.0) * float(np.einsum("ij,ij->", values, values))
