"""Sums over all pairs of a data set, by tiles combined in order, or by sorting on a line.

No n×n array is ever stored: a tile returns a record of fixed size, and records are added exactly
and in tile order. For a given tiling, results have the same bits for any threads, executor and
order in which tiles finish.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TypeGuard

import numpy as np

from calibrant import _native
from calibrant._engine import _twin
from calibrant._engine._forms import BlockForm, Form, RadialForm
from calibrant._engine._tiles import is_radial, many_sums, restrict, tile_row_sums, tile_sum
from calibrant._execution import Parallel, count_jobs, run, run_shared, spans
from calibrant._native import FloatArray, IntArray

#: pair-columns below which a call uses one thread, because starting threads would cost more
SERIAL_WORK = 2_000_000
#: pair-columns from which native threads, which start in microseconds, share a single tile
THREADED_TILE = 4_000_000


#: rows and columns of a block of pairs; columns None means the triangle of the rows
Tile = tuple[slice, slice | None]


def pair_sum(forms: Sequence[Form], parallel: Parallel = Parallel()) -> float:
    """Return Σ_{i<j} h_ij: O(n log n) on a line, else O(n²·d), in O(n) memory."""
    if len(forms) == 1 and _is_one_tile(forms[0], parallel):
        return tile_sum(forms[0], None)
    records = [_line_sum(form) for form in forms if is_line(form)]
    rest = [form for form in forms if not is_line(form)]
    tasks = [(k, tile) for k, form in enumerate(rest) for tile in triangle_tiles(form, parallel)]
    plain = parallel.is_plain and parallel.progress is None
    alone = len(tasks) == 1 and plain and is_radial(rest[0])
    if alone and _native.active() is not None:
        threads = count_jobs(parallel.n_jobs) if _work(forms) >= THREADED_TILE else 1
        records.append(tile_sum(rest[0], None, threads))
    else:
        records.extend(run_shared(_sum_task, rest, tasks, _sized(forms, parallel), _work(rest)))
    return math.fsum(records)


def row_sums(forms: Sequence[Form], parallel: Parallel = Parallel()) -> FloatArray:
    """Return Σ_{j≠i} h_ij for every row i."""
    total = np.zeros(len(forms[0].x))
    for form in forms:
        if is_line(form):
            total += np.sum(form.v * line_apply(form), axis=1)
            continue
        tiles = triangle_tiles(form, parallel)
        records = run_shared(_row_task, form, tiles, _sized([form], parallel), _work([form]))
        for (i, j), (rows, columns) in zip(tiles, records, strict=True):
            total[i] += rows
            total[i if j is None else j] += columns
    return total


def block_sums(
    forms: Sequence[Form], block_size: int, parallel: Parallel = Parallel()
) -> FloatArray:
    """Return Σ_{i<j} h_ij within each of the ⌊n/b⌋ full blocks of consecutive rows; O(n·b·d)."""
    n_blocks = len(forms[0].x) // block_size
    total = np.zeros(n_blocks)
    for form in forms:
        if is_radial(form):
            total += many_pair_sums(as_batches(form, block_size), form.rate, parallel)
        else:
            blocks = (slice(b * block_size, (b + 1) * block_size) for b in range(n_blocks))
            total += [tile_sum(restrict(form, rows), None) for rows in blocks]
    return total


def many_pair_sums(
    form: RadialForm, rates: FloatArray | float, parallel: Parallel = Parallel()
) -> FloatArray:
    """Return Σ_{i<j} h_ij for each of B data sets; `form.x` and `form.v` have shape (B, n, d)."""
    count, n = form.x.shape[:2]
    each = np.ascontiguousarray(np.broadcast_to(np.asarray(rates, dtype=float), (count,)))
    work = count * n * n // 2 * form.x.shape[2]
    # reading the rows costs about as much as summing over them, so nothing is sent elsewhere
    parallel = Parallel(1 if work < SERIAL_WORK else parallel.n_jobs)
    jobs = count_jobs(parallel.n_jobs)
    edges = np.linspace(0, count, min(count, 4 * jobs if jobs > 1 else 1) + 1).astype(int)
    tasks = [
        (replace(form, x=form.x[a:b], v=form.v[a:b]), each[a:b])
        for a, b in pairwise(edges.tolist())
    ]
    return np.concatenate([np.empty(0), *run(_many_task, tasks, parallel)])


def as_batches(form: RadialForm, size: int) -> RadialForm:
    """View consecutive rows as data sets of `size` rows, (B, size, d), dropping the rest."""
    count = len(form.x) // size
    return replace(
        form,
        x=form.x[: count * size].reshape(count, size, -1),
        v=form.v[: count * size].reshape(count, size, -1),
    )


def is_line(form: Form) -> TypeGuard[RadialForm]:
    """Return whether the pairs of a form can be summed by sorting: a Laplacian of one column."""
    return isinstance(form, RadialForm) and form.x.shape[1] == 1 and form.profile == "laplacian"


def line_apply(form: RadialForm) -> FloatArray:
    """Return Σ_{j≠i} k(x_i, x_j) v_j for a Laplacian on a line, O(n log n + n·d)."""
    x, v, order = _sorted(form)
    core = _native.active()
    if core is None:
        result = _twin.line_apply(x, v, form.rate)
    else:
        result = np.empty_like(v)
        core.line_apply(x, v, form.rate, result)
    out = np.empty_like(result)
    out[order] = form.scale * result
    return out


def tile_rows(form: Form) -> int:
    """Return the rows of a tile, depending only on n and the columns."""
    if isinstance(form, BlockForm):
        return 64
    columns = form.x.shape[1] + form.v.shape[1]
    return 256 if columns > 256 or len(form.x) <= 2048 else 1024


def triangle_tiles(form: Form, parallel: Parallel) -> list[Tile]:
    """Return tiles that cover every pair i < j once, row block by row block."""
    return triangle(len(form.x), parallel.tile or tile_rows(form))


def triangle(n_rows: int, size: int) -> list[Tile]:
    """Return tiles of `size` rows that cover every pair i < j once."""
    blocks = spans(n_rows, size)
    return [(blocks[i], None if i == j else blocks[j]) for i, j in tile_pairs(len(blocks))]


def on_tile(form: Form, tile: Tile) -> tuple[Form, Form | None]:
    """Return the form on the rows and on the columns of a tile."""
    rows, columns = tile
    return restrict(form, rows), None if columns is None else restrict(form, columns)


def tile_pairs(nspans: int) -> list[tuple[int, int]]:
    """Return the numbers i ≤ j of the row and column blocks of the upper triangle."""
    return [(i, j) for i in range(nspans) for j in range(i, nspans)]


def _is_one_tile(form: Form, parallel: Parallel) -> bool:
    """Return whether a form is a single native tile, too small to share among threads."""
    return (
        len(form.x) <= (parallel.tile or 256)
        and isinstance(form, RadialForm)
        and is_radial(form)
        and not is_line(form)
        and parallel.is_plain
        and parallel.progress is None
        and _native.active() is not None
        and _work([form]) < THREADED_TILE
    )


def _line_sum(form: RadialForm) -> float:
    x, v, _ = _sorted(form)
    core = _native.active()
    line_sum = _twin.line_sum if core is None else core.line_sum
    return float(form.scale * line_sum(x, v, form.rate))


def _sorted(form: RadialForm) -> tuple[FloatArray, FloatArray, IntArray]:
    order = np.argsort(form.x[:, 0], kind="stable")
    return form.x[order, 0], form.v[order], order


def _work(forms: Sequence[Form]) -> int:
    return sum(len(f.x) ** 2 // 2 * (f.x.shape[1] + f.v.shape[1]) for f in forms)


def _sized(forms: Sequence[Form], parallel: Parallel) -> Parallel:
    return parallel.serial() if _work(forms) < SERIAL_WORK else parallel


def _sum_task(forms: Sequence[Form], task: tuple[int, Tile]) -> float:
    k, tile = task
    return tile_sum(*on_tile(forms[k], tile))


def _row_task(form: Form, tile: Tile) -> tuple[FloatArray, FloatArray]:
    return tile_row_sums(*on_tile(form, tile))


def _many_task(task: tuple[RadialForm, FloatArray]) -> FloatArray:
    return many_sums(*task)
