r"""Pair sums of many label sets of the same rows, evaluating the kernel only once.

With residuals :math:`r_i = w_i (e_{y_i} - p_i)` and :math:`V_{ij} = k(x_i, x_j) w_i w_j`,

.. math:: k(x_i, x_j) \langle r_i, r_j \rangle
    = V_{ij} \left([y_i = y_j] - p_j[y_i] - p_i[y_j] + \langle p_i, p_j \rangle\right),

so a label set adds up the pairs that agree and looks up two numbers for each row of a tile.
Lifted residuals and matrix-valued kernels take a matrix product for each tile.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from calibrant._engine._forms import BlockForm, Form, RadialForm, TileForm
from calibrant._engine._label_sets import BATCH, LabelSets, core_for
from calibrant._engine._pair_sums import Tile, triangle
from calibrant._engine._tiles import is_radial, kernel_values, native_codes, restrict
from calibrant._execution import Parallel, run_shared, single_threaded_blas
from calibrant._native import FloatArray

#: rows of a tile, whose labels stay in the L2 cache during the loop over pairs
TILE = 512
#: ... for matrix-valued kernels, with m × m entries for each pair
BLOCK_TILE = 64
#: sums of pairs that cancel to less than this fraction of their terms are zero
ROUNDING = 1e-13


def residual_pair_sums(
    forms: Sequence[RadialForm | TileForm],
    y_prob: FloatArray,
    label_sets: LabelSets,
    parallel: Parallel = Parallel(),
) -> FloatArray:
    """Return Σ_{i<j} k_ij⟨r_i, r_j⟩ for every label set, r_i = v_i(e_{y_i} − p_i), (n_forms, R).

    The forms must share `x` and `v` (one column: the weights); radial forms also metric and
    profile, so that several rates and scales cost one pass over the distances. O(n²(m + R/32))
    additions for R label sets, no n×n array.
    """
    n, m = y_prob.shape
    count = len(label_sets)
    tiles = triangle(n, parallel.tile or TILE)
    work = n * n // 2 * (forms[0].x.shape[1] + len(forms) * (2 * m + count))
    total = np.zeros((len(forms), 2 * count + 1))
    shared = forms, np.ascontiguousarray(y_prob), label_sets
    for record in run_shared(_residual_task, shared, tiles, parallel, work):
        total += record
    agree, cross, constant = total[:, :count], total[:, count:-1], total[:, -1:]
    sums = agree - cross + constant
    # if everything cancels, the rest is rounding, which must not be ranked
    sums[np.abs(sums) <= ROUNDING * (np.abs(agree) + np.abs(constant))] = 0.0
    return np.asarray(sums)


def lifted_pair_sums(
    form: Form,
    lift: FloatArray,
    residuals: tuple[FloatArray, FloatArray],
    label_sets: LabelSets,
    parallel: Parallel = Parallel(),
) -> FloatArray:
    """Return Σ_{i<j} h_ij for every label set, with v_i = w_i(e_{y_i} − p_i)·lift, shape (R,).

    `residuals` are the probabilities p (n, m) and the weights w (n,); the vectors of the form are
    not used. The values of the kernel are computed once for all label sets; each costs a matrix
    product, O(n²·e) for lifts with e columns and O(n²·m²) for a matrix-valued kernel.
    """
    n, d = form.x.shape
    blocks = isinstance(form, BlockForm)
    tiles = triangle(n, parallel.tile or (BLOCK_TILE if blocks else TILE // 2))
    each = lift.shape[1] ** 2 if blocks else lift.shape[1]
    work = n * n // 2 * (d + each * len(label_sets))
    probs, weights = residuals
    with single_threaded_blas():  # BLAS sums depend on the number of threads
        expected = weights[:, None] * (probs @ lift)
    shared = form, lift, weights, expected, label_sets
    total = np.zeros(len(label_sets))
    for record in run_shared(_lifted_task, shared, tiles, parallel, work):
        total += record
    return total


def _residual_task(
    data: tuple[Sequence[RadialForm | TileForm], FloatArray, LabelSets], tile: Tile
) -> FloatArray:
    """Return, for each form, the sums `agree` and `cross` of every label set and `constant`."""
    forms, probs, label_sets = data
    i, j = tile[0], tile[1] or tile[0]
    alone = tile[1] is None
    core = core_for(label_sets)
    radial = [form for form in forms if is_radial(form)]
    if core is None or len(radial) < len(forms):
        each = [_from_values(_weighted_values(f, i, j, alone), data, i, j, alone) for f in forms]
        return np.stack(each)
    first, padded = radial[0], label_sets.codes.shape[1]
    agree, cross = np.zeros((len(forms), padded)), np.zeros((len(forms), padded))
    constant = np.zeros(len(forms))
    weights = first.v[:, 0]
    core.label_pair_sums(
        *(first.x[i], weights[i], probs[i], first.x[j], weights[j], probs[j]),
        *native_codes(first),
        np.array([form.rate for form in radial]),
        label_sets.codes[i],
        label_sets.codes[j],
        alone,
        len(label_sets),
        *(agree, cross, constant),
    )
    count = len(label_sets)
    record = np.concatenate([agree[:, :count], cross[:, :count], constant[:, None]], axis=1)
    return np.asarray(np.array([form.scale for form in radial])[:, None] * record)


def _weighted_values(form: RadialForm | TileForm, i: slice, j: slice, alone: bool) -> FloatArray:
    values = np.outer(form.v[i, 0], form.v[j, 0]) * kernel_values(restrict(form, i), form.x[j])
    return np.ascontiguousarray(np.triu(values, 1) if alone else values)


def _from_values(
    values: FloatArray,
    data: tuple[Sequence[RadialForm | TileForm], FloatArray, LabelSets],
    i: slice,
    j: slice,
    alone: bool,
) -> FloatArray:
    _, probs, label_sets = data
    core, count = core_for(label_sets), len(label_sets)
    rows, columns = label_sets.codes[i], label_sets.codes[j]
    agree = np.zeros(rows.shape[1])
    if core is None:
        _twin_agreeing(values, rows, columns, agree[:count])
    else:
        core.agreeing_sums(values, rows, columns, alone, count, agree)
    by_row, by_column = values @ probs[j], values.T @ probs[i]
    cross = _picked(by_row, rows[:, :count]) + _picked(by_column, columns[:, :count])
    return np.concatenate([agree[:count], cross, [np.vdot(probs[i], by_row)]])


def _picked(scores: FloatArray, codes: npt.NDArray[np.unsignedinteger]) -> FloatArray:
    """Return Σ_i scores[i, codes[i, b]] for every column b of the codes."""
    return np.asarray(np.take_along_axis(scores, codes.astype(np.intp), axis=1).sum(axis=0))


def _twin_agreeing(
    values: FloatArray,
    rows: npt.NDArray[np.unsignedinteger],
    columns: npt.NDArray[np.unsignedinteger],
    out: FloatArray,
) -> None:
    flat = values.ravel()
    across, down = (np.ascontiguousarray(codes.T) for codes in (rows, columns))
    for b in range(len(out)):
        # gather the few that agree, which is cheaper than adding zeros
        out[b] = flat.take(np.flatnonzero(np.equal.outer(across[b], down[b]))).sum()


def _lifted_task(
    data: tuple[Form, FloatArray, FloatArray, FloatArray, LabelSets], tile: Tile
) -> FloatArray:
    form, lift, weights, expected, label_sets = data
    i, j = tile[0], tile[1] or tile[0]
    values = _tile_matrix(form, lift.shape[1], i, j, tile[1] is None)
    out = []
    for start in range(0, len(label_sets), BATCH):
        sets = slice(start, min(start + BATCH, len(label_sets)))
        left, right = (
            weights[rows, None, None] * lift[label_sets.codes[rows, sets]] - expected[rows, None]
            for rows in (i, j)
        )
        if isinstance(form, BlockForm):  # rows and classes share one axis of the matrix
            left, right = (np.ascontiguousarray(v.swapaxes(1, 2)) for v in (left, right))
            left, right = (v.reshape(-1, v.shape[2]) for v in (left, right))
            out.append(form.scale * np.einsum("as,as->s", left, values @ right))
        else:
            products = (values @ right.reshape(len(right), -1)).reshape(left.shape)
            out.append(np.einsum("ase,ase->s", left, products))
    return np.concatenate(out)


def _tile_matrix(form: Form, n_classes: int, i: slice, j: slice, alone: bool) -> FloatArray:
    """Return the kernel values of a tile, (a, b) or (a·m, b·m); zero where i ≥ j in a triangle."""
    if not isinstance(form, BlockForm):
        values = kernel_values(restrict(form, i), form.x[j])
        return np.triu(values, 1) if alone else values
    blocks = np.asarray(form.function(form.x[i], form.x[j]), dtype=np.float64)
    if alone:
        blocks = blocks * np.tri(len(blocks), k=-1).T[:, :, None, None]
    a, b = blocks.shape[:2]
    return blocks.swapaxes(1, 2).reshape(a * n_classes, b * n_classes)
