"""The entries of the pair matrix h_ij, for sums of squares and small matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from calibrant._engine import (
    Form,
    Tile,
    on_tile,
    pair_products,
    restrict,
    tile_pairs,
    tile_rows,
    triangle,
)
from calibrant._execution import Parallel, run_shared, spans
from calibrant._native import FloatArray

#: time of a pair in NumPy, relative to the native core
NUMPY_COST = 10


def pair_matrix(forms: Sequence[Form]) -> FloatArray:
    """Return h_ij with its diagonal, shape (n, n), for at most a few thousand rows."""
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


def _form_squares(forms: Sequence[Form], tile: Tile) -> float:
    total: FloatArray | None = None
    for left, right in (on_tile(form, tile) for form in forms):
        values = pair_products(left, left if right is None else right)
        total = values if total is None else total + values
    assert total is not None
    if tile[1] is None:
        np.fill_diagonal(total, 0.0)
    # a tile off the diagonal also counts for its mirror image
    return (1.0 if tile[1] is None else 2.0) * float(np.einsum("ij,ij->", total, total))
