"""Products of a kernel matrix with the vectors of a form, in blocks of rows."""

from __future__ import annotations

import numpy as np

from calibrant import _native
from calibrant._engine._forms import RadialForm, TileForm
from calibrant._engine._pair_sums import SERIAL_WORK, is_line, line_apply
from calibrant._engine._tiles import is_radial, kernel_values, native_codes, restrict
from calibrant._execution import Parallel, run_shared, spans
from calibrant._native import FloatArray

#: rows of a task, and columns whose kernel values are in memory together
ROWS, COLUMNS = 512, 1024


def kernel_products(form: RadialForm | TileForm, parallel: Parallel = Parallel()) -> FloatArray:
    """Return Σ_{j≠i} k(x_i, x_j) v_j for every row i, shape (n, e).

    O(n²(d + e)) time and the memory of the result; O(n log n) for a Laplacian on a line.
    """
    if is_line(form):
        return line_apply(form)
    n, columns = len(form.x), form.x.shape[1] + form.v.shape[1]
    blocks, work = spans(n, parallel.tile or ROWS), n * n * columns
    if work < SERIAL_WORK:
        parallel = parallel.serial()
    parts = list(run_shared(_block_products, form, blocks, parallel, work))
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _block_products(form: RadialForm | TileForm, rows: slice) -> FloatArray:
    out = np.zeros((rows.stop - rows.start, form.v.shape[1]))
    for columns in spans(len(form.x), COLUMNS):
        _add_block(form, rows, columns, out)
    return out


def _add_block(form: RadialForm | TileForm, rows: slice, columns: slice, out: FloatArray) -> None:
    core = _native.active()
    xi, xj, vj = form.x[rows], form.x[columns], form.v[columns]
    shared = range(max(rows.start, columns.start), min(rows.stop, columns.stop))
    if core is not None and is_radial(form):
        # these are as large as the data, so avoid needless copies
        block = out if form.scale == 1.0 else np.zeros_like(out)
        core.apply(xi, xj, vj, *native_codes(form), form.rate, block)
        if block is not out:
            out += form.scale * block
        if shared:  # a radial kernel equals `scale` on the diagonal
            mine = out[shared.start - rows.start : shared.stop - rows.start]
            own = form.v[shared.start : shared.stop]
            mine -= own if form.scale == 1.0 else form.scale * own
        return
    values = kernel_values(restrict(form, rows), xj)
    for i in shared:
        values[i - rows.start, i - columns.start] = 0.0
    out += values @ vj
