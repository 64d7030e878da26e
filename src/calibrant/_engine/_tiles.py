"""Kernel values, sums and row sums of one tile, the pairs of two blocks of rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeGuard, TypeVar

import numpy as np

from calibrant import _native
from calibrant._engine import _twin
from calibrant._engine._forms import BlockForm, Form, Metric, Profile, RadialForm, TileForm
from calibrant._native import FloatArray, IntArray

METRICS: dict[Metric, int] = {"cityblock": 0, "euclidean": 1}
PROFILES: dict[Profile | None, int] = {None: 0, "laplacian": 1, "gaussian": 2}


def is_radial(form: Form) -> TypeGuard[RadialForm]:
    """Return whether the native core supports the form."""
    return isinstance(form, RadialForm) and isinstance(form.profile, str)


def native_codes(form: RadialForm) -> tuple[int, int]:
    """Return the native core's codes of the metric and profile of a form."""
    assert isinstance(form.profile, str), "see `is_radial`"
    return METRICS[form.metric], PROFILES[form.profile]


AnyForm = TypeVar("AnyForm", bound=Form)


def restrict(form: AnyForm, rows: slice) -> AnyForm:
    """Return the form on a block of rows (views, no copies)."""
    return replace(form, x=form.x[rows], v=form.v[rows])


def distances(xi: FloatArray, xj: FloatArray, metric: Metric) -> FloatArray:
    """Return all distances between the rows of `xi` and `xj`, shape (a, b); O(a·b·d)."""
    return radial_gram(xi, xj, metric, None, 1.0)


def radial_gram(
    xi: FloatArray, xj: FloatArray, metric: Metric, profile: Profile | None, rate: float
) -> FloatArray:
    """Return kernel values φ(rate·‖x_i − x_j‖), or distances if `profile` is None."""
    core = _native.active()
    if core is None:
        return _twin.gram(xi, xj, metric, profile, rate)
    out = np.empty((len(xi), len(xj)))
    core.gram(xi, xj, METRICS[metric], PROFILES[profile], rate, out)
    return out


def pair_products(left: Form, right: Form) -> FloatArray:
    """Return h_ij of a tile, shape (a, b)."""
    if isinstance(left, BlockForm):
        blocks = left.function(left.x, right.x)
        sums = np.einsum("ic,ijcd,jd->ij", left.v, blocks, right.v, optimize=True)
        return np.asarray(sums) if left.scale == 1.0 else left.scale * np.asarray(sums)
    return kernel_values(left, right.x) * (left.v @ right.v.T)


def kernel_values(form: RadialForm | TileForm, xj: FloatArray) -> FloatArray:
    """Return the scaled k(x_i, x_j) of a tile, shape (a, b)."""
    if isinstance(form, TileForm):
        values = form.function(form.x, xj)
    elif isinstance(form.profile, str):
        values = radial_gram(form.x, xj, form.metric, form.profile, form.rate)
    else:
        values = form.profile(form.rate * distances(form.x, xj, form.metric))
    return values if form.scale == 1.0 else form.scale * values


def tile_sum(left: Form, right: Form | None, threads: int = 1) -> float:
    """Return Σ h_ij over a tile, or over i < j of the triangle if `right` is None.

    `threads` share one native tile, for data too small for several tiles.
    """
    core = _native.active()
    if core is not None and is_radial(left):
        other = left if right is None else right
        return float(left.scale * core.pair_sum(*_arguments(left, other), right is None, threads))
    return float(np.sum(_masked(left, right)))


def tile_row_sums(left: Form, right: Form | None) -> tuple[FloatArray, FloatArray]:
    """Return Σ_j h_ij for the rows and Σ_i h_ij for the columns of a tile, as in `tile_sum`."""
    core = _native.active()
    if core is not None and is_radial(left):
        other = left if right is None else right
        rows, columns = np.zeros(len(left.x)), np.zeros(len(other.x))
        core.row_sums(*_arguments(left, other), right is None, rows, columns)
        return left.scale * rows, left.scale * columns
    h = _masked(left, right)
    return h.sum(axis=1), h.sum(axis=0)


def block_residual_sums(
    form: RadialForm, codes: IntArray, weights: FloatArray, size: int
) -> FloatArray | None:
    """Return Σ_{i<j} h_ij of blocks of `size` rows with v_i = w_i(e_{y_i} − form.v_i), or None.

    The native core computes the residuals on the fly; without it, the result is None.
    """
    core = _native.active()
    if core is None:
        return None
    out = np.empty(len(form.x) // size)
    core.block_residual_sums(
        form.x, form.v, codes, weights, *native_codes(form), form.rate, size, out
    )
    return np.asarray(form.scale * out)


def many_sums(form: RadialForm, rates: FloatArray) -> FloatArray:
    """Return Σ_{i<j} h_ij for each of many data sets of equal size; `x` and `v` are (B, n, d)."""
    core = _native.active()
    if core is not None and isinstance(form.profile, str):
        out = np.empty(len(form.x))
        core.many_pair_sums(form.x, form.v, *native_codes(form), rates, out)
        return form.scale * out
    one = [
        tile_sum(replace(form, x=x, v=v, rate=float(rate)), None)
        for x, v, rate in zip(form.x, form.v, rates, strict=True)
    ]
    return np.asarray(one, dtype=float)


def _arguments(left: RadialForm, right: Form) -> tuple[Any, ...]:
    return left.x, left.v, right.x, right.v, *native_codes(left), left.rate


def _masked(left: Form, right: Form | None) -> FloatArray:
    if right is None:
        return np.triu(pair_products(left, left), 1)
    return pair_products(left, right)
