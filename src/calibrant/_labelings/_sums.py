"""Statistics of many labellings of the same rows at once, and their NumPy twins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from calibrant import _native
from calibrant._bundles import run_shared
from calibrant._executors import Parallel
from calibrant._labelings._labelings import BATCH, Labelings
from calibrant._pairs import kernel_values
from calibrant._pairs._sums import triangle
from calibrant._pairs._tiles import METRICS, PROFILES, is_radial, restrict
from calibrant._pairs._twin import scan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibrant._pairs import RadialForm, TileForm
    from calibrant._pairs._sums import Tile
    from calibrant._typing import FloatArray, IntArray

#: classes up to which NumPy multiplies by ones and zeros rather than adding row by row
DENSE_CLASSES = 256
#: rows of a tile: its labels stay in the second-level cache while the pairs go by
TILE = 256


def same_label_sums(
    forms: Sequence[RadialForm | TileForm], labelings: Labelings, parallel: Parallel = Parallel()
) -> FloatArray:
    """Σ_{i<j} k(x_i, x_j) v_i v_j over the pairs with equal labels, shape (n_forms, R).

    The forms must share `x` and `v` (one column: the weights); radial forms also metric and
    profile, so that several rates and scales cost one pass over the distances. The values of any
    other kernel are computed once for all labellings. O(n²(m + R)) time, no n×n array.
    """
    n, d = forms[0].x.shape
    tiles = triangle(n, parallel.tile or TILE)
    total = np.zeros((len(forms), labelings.codes.shape[1]))
    work = n * n // 2 * (d + len(forms) * len(labelings))
    for record in run_shared(_same_label_task, (forms, labelings), tiles, parallel, work):
        total += record
    return total[:, : len(labelings)]


def line_sums(
    x: FloatArray,
    hit: FloatArray,
    miss: FloatArray,
    c: int,
    rate: float,
    labelings: Labelings,
    order: IntArray | None = None,
) -> FloatArray:
    """Σ_{i<j} exp(−rate|x_i − x_j|) r_i r_j for every labelling, r_i = hit or miss by y_i = c.

    O(n log n + n·R).
    """
    if order is None:
        order = np.argsort(x, kind="stable")
    arrays = x[order], hit[order], miss[order]
    core = _core_for(labelings)
    if core is None:
        return _twin_line_sums(*arrays, order, c, rate, labelings)
    out = np.zeros(labelings.codes.shape[1])
    core.line_label_sums(*arrays, order, c, rate, labelings.codes, out)
    return out[: len(labelings)]


def score_sums(scores: FloatArray, labelings: Labelings) -> FloatArray:
    """Σ_i scores[i, y_i] for every labelling, shape (R,); O(n·R)."""
    core = _core_for(labelings)
    if core is None:
        rows = np.arange(len(scores))
        return np.array([scores[rows, labelings.labels(b)].sum() for b in range(len(labelings))])
    out = np.zeros(labelings.codes.shape[1])
    core.score_sums(np.ascontiguousarray(scores), labelings.codes, out)
    return out[: len(labelings)]


def feature_sums(features: FloatArray, labelings: Labelings, out: FloatArray) -> None:
    """Add Σ_{i: y_i = c} features[i] for every labelling, class to `out`, (R, m, F); O(n·R·F)."""
    core = _core_for(labelings)
    if core is not None:
        core.feature_sums(np.ascontiguousarray(features), labelings.codes, out)
        return
    n, n_classes = len(features), labelings.n_classes
    for b in range(len(labelings)):
        if n_classes > DENSE_CLASSES:
            np.add.at(out[b], labelings.labels(b), features)
            continue
        chosen = np.zeros((n_classes, n))
        chosen[labelings.labels(b), np.arange(n)] = 1.0
        out[b] += chosen @ features


def cell_sums(
    cells: npt.NDArray[np.uint16], weights: FloatArray, labelings: Labelings, out: FloatArray
) -> None:
    """Add the weights of rows with label c in cell k to `out[b, c, k]`, (R, m, n_cells); O(n·R).

    ``cells[i, c]`` is the cell of the probability of class c in row i.
    """
    core = _core_for(labelings)
    if core is not None:
        core.cell_sums(cells, weights, labelings.codes, out)
        return
    rows = np.arange(len(cells))
    for b in range(len(labelings)):
        labels = labelings.labels(b)
        np.add.at(out[b], (labels, cells[rows, labels]), weights)


def _core_for(labelings: Labelings) -> Any:
    # more than 65 536 classes do not fit the native labels
    return _native.active() if labelings.codes.dtype.itemsize <= 2 else None


def _same_label_task(
    data: tuple[Sequence[RadialForm | TileForm], Labelings], tile: Tile
) -> FloatArray:
    forms, labelings = data
    i, j = tile[0], tile[1] or tile[0]
    alone = tile[1] is None
    core = _core_for(labelings)
    out = np.zeros((len(forms), labelings.codes.shape[1]))
    if core is None:
        values = np.stack([_weighted_values(form, i, j).ravel() for form in forms])
        _twin_agreeing(values, labelings, i, j, alone, out)
        return out
    radial = [form for form in forms if is_radial(form)]
    if len(radial) < len(forms):
        for k, form in enumerate(forms):
            values = np.ascontiguousarray(_weighted_values(form, i, j))
            core.agreeing_sums(values, labelings.codes[i], labelings.codes[j], alone, out[k])
        return out
    first = radial[0]
    rates = np.array([form.rate for form in radial])
    core.same_label_sums(
        first.x[i],
        first.v[i],
        first.x[j],
        first.v[j],
        METRICS[first.metric],
        PROFILES[first.profile],  # type: ignore[index]
        rates,
        labelings.codes[i],
        labelings.codes[j],
        alone,
        out,
    )
    return np.array([form.scale for form in radial])[:, None] * out


def _weighted_values(form: RadialForm | TileForm, i: slice, j: slice) -> FloatArray:
    return np.outer(form.v[i, 0], form.v[j, 0]) * kernel_values(restrict(form, i), form.x[j])


def _twin_agreeing(
    values: FloatArray, labelings: Labelings, i: slice, j: slice, alone: bool, out: FloatArray
) -> None:
    rows, columns = (np.ascontiguousarray(labelings.codes[part].T) for part in (i, j))
    counted = np.tri(rows.shape[1], dtype=bool, k=-1).T if alone else None
    for b in range(len(labelings)):
        agree = np.equal.outer(rows[b], columns[b])
        if counted is not None:
            agree &= counted
        # the few that agree are gathered: cheaper than adding zeros for the others
        out[:, b] = values.take(np.flatnonzero(agree), axis=1).sum(axis=1)


def _twin_line_sums(
    x: FloatArray,
    hit: FloatArray,
    miss: FloatArray,
    order: IntArray,
    c: int,
    rate: float,
    labelings: Labelings,
) -> FloatArray:
    sums = []
    for start in range(0, len(labelings), BATCH):
        match = labelings.codes[order, start : start + BATCH] == c
        residuals = np.where(match, hit[:, None], miss[:, None])
        sums.append(np.sum(scan(x, residuals, rate) * residuals, axis=0))
    return np.concatenate(sums)[: len(labelings)]
