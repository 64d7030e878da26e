"""Quadratic forms of the pair matrix for many weight vectors together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from calibrant import _native
from calibrant._engine import (
    Form,
    RadialForm,
    Tile,
    is_line,
    on_tile,
    pair_products,
    scan,
    tile_rows,
    triangle,
)
from calibrant._execution import Parallel, run_shared
from calibrant._native import FloatArray


def quadratic_forms(
    forms: Sequence[Form], weights: np.ndarray[Any, Any], parallel: Parallel
) -> FloatArray:
    """Return Σ_{i≠j} w_ib w_jb h_ij for every column b of `weights` (n, B).

    One matrix product per tile: O(n²·B) time and the memory of the weights and a few tiles; O(n·B)
    after sorting for a Laplacian on a line. Integer weights may have a small type.
    """
    n, n_forms = weights.shape
    total = np.zeros(n_forms)
    for form in forms:
        if is_line(form):
            total += _on_a_line(form, weights)
            continue
        tiles = triangle(n, parallel.tile or tile_rows(form))
        for record in run_shared(_tile_forms, (form, weights), tiles, parallel, n * n * n_forms):
            total += record
    return total


def _tile_forms(data: tuple[Form, np.ndarray[Any, Any]], tile: Tile) -> FloatArray:
    form, weights = data
    left, right = on_tile(form, tile)
    if right is None:
        values = pair_products(left, left)
        np.fill_diagonal(values, 0.0)
        factor = 1.0
    else:
        values = pair_products(left, right)
        factor = 2.0  # the tile also counts for its mirror image
    products = values @ weights[tile[1] or tile[0]].astype(np.float64)
    record: FloatArray = np.einsum("ib,ib->b", weights[tile[0]].astype(np.float64), products)
    return factor * record


def _on_a_line(form: RadialForm, weights: np.ndarray[Any, Any]) -> FloatArray:
    order = np.argsort(form.x[:, 0], kind="stable")
    x, v = np.ascontiguousarray(form.x[order, 0]), form.v[order]
    total = np.zeros(weights.shape[1])
    step = max(1, (1 << 21) // len(weights))
    for start in range(0, len(total), step):
        part = slice(start, start + step)
        some = np.ascontiguousarray(weights[order, part], dtype=np.float64)
        for column in v.T:
            sums = line_weighted_sums(x, np.ascontiguousarray(column), some, form.rate)
            total[part] += 2.0 * form.scale * sums
    return total


def line_weighted_sums(
    x: FloatArray, v: FloatArray, weights: FloatArray, rate: float
) -> FloatArray:
    """Return Σ_{i<j} exp(−rate(x_j − x_i)) v_i w_ib v_j w_jb for ascending points x; O(n·B)."""
    core = _native.active()
    if core is None:
        terms = v[:, None] * weights
        return np.asarray(np.sum(scan(x, terms, rate) * terms, axis=0))
    out = np.empty(weights.shape[1])
    core.line_weighted_sums(x, v, weights, rate, out)
    return out
