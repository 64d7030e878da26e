"""Statistics of many label sets of the same rows at once, and their NumPy twins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from calibrant import _native
from calibrant._engine._forms import RadialForm, TileForm
from calibrant._engine._label_sets import BATCH, LabelSets
from calibrant._engine._pair_sums import Tile, triangle
from calibrant._engine._tiles import METRICS, PROFILES, is_radial, kernel_values, restrict
from calibrant._engine._twin import scan
from calibrant._execution import Parallel, run_shared
from calibrant._native import FloatArray, IntArray

#: classes up to which NumPy multiplies by ones and zeros rather than adding row by row
DENSE_CLASSES = 256
#: rows of a tile: its labels stay in the second-level cache while the pairs go by
TILE = 256


def same_label_sums(
    forms: Sequence[RadialForm | TileForm], label_sets: LabelSets, parallel: Parallel = Parallel()
) -> FloatArray:
    """Σ_{i<j} k(x_i, x_j) v_i v_j over the pairs with equal labels, shape (n_forms, R).

    The forms must share `x` and `v` (one column: the weights); radial forms also metric and
    profile, so that several rates and scales cost one pass over the distances. The values of any
    other kernel are computed once for all label sets. O(n²(m + R)) time, no n×n array.
    """
    n, d = forms[0].x.shape
    tiles = triangle(n, parallel.tile or TILE)
    total = np.zeros((len(forms), label_sets.codes.shape[1]))
    work = n * n // 2 * (d + len(forms) * len(label_sets))
    for record in run_shared(_same_label_task, (forms, label_sets), tiles, parallel, work):
        total += record
    return total[:, : len(label_sets)]


def line_sums(
    x: FloatArray,
    hit: FloatArray,
    miss: FloatArray,
    c: int,
    rate: float,
    label_sets: LabelSets,
    order: IntArray | None = None,
) -> FloatArray:
    """Σ_{i<j} exp(−rate|x_i − x_j|) r_i r_j for every label set, r_i = hit or miss by y_i = c.

    O(n log n + n·R).
    """
    if order is None:
        order = np.argsort(x, kind="stable")
    arrays = x[order], hit[order], miss[order]
    core = _core_for(label_sets)
    if core is None:
        return _twin_line_sums(*arrays, order, c, rate, label_sets)
    out = np.zeros(label_sets.codes.shape[1])
    core.line_label_sums(*arrays, order, c, rate, label_sets.codes, out)
    return out[: len(label_sets)]


def score_sums(scores: FloatArray, label_sets: LabelSets) -> FloatArray:
    """Σ_i scores[i, y_i] for every label set, shape (R,); O(n·R)."""
    core = _core_for(label_sets)
    if core is None:
        rows = np.arange(len(scores))
        return np.array([scores[rows, label_sets.labels(b)].sum() for b in range(len(label_sets))])
    out = np.zeros(label_sets.codes.shape[1])
    core.score_sums(np.ascontiguousarray(scores), label_sets.codes, out)
    return out[: len(label_sets)]


def feature_sums(features: FloatArray, label_sets: LabelSets, out: FloatArray) -> None:
    """Add Σ_{i: y_i = c} features[i] for every label set, class to `out`, (R, m, F); O(n·R·F).

    Features may also come in slices, (n_slices, n, F), and go to `out` of shape
    (R, n_slices, m, F): sums of many classes are quicker in slices of a hundred features or so.
    """
    if features.ndim == 2:
        features, out = features[None], out[:, None]
    core = _core_for(label_sets)
    if core is not None:
        core.feature_sums(np.ascontiguousarray(features), label_sets.codes, out)
        return
    n, n_classes = features.shape[1], label_sets.n_classes
    for b in range(len(label_sets)):
        labels = label_sets.labels(b)
        if n_classes > DENSE_CLASSES:
            for part, sums in zip(features, out[b], strict=True):
                np.add.at(sums, labels, part)
            continue
        chosen = np.zeros((n_classes, n))
        chosen[labels, np.arange(n)] = 1.0
        out[b] += chosen @ features


def cell_sums(
    cells: npt.NDArray[np.uint16], weights: FloatArray, label_sets: LabelSets, out: FloatArray
) -> None:
    """Add the weights of rows with label c in cell k to `out[b, c, k]`, (R, m, n_cells); O(n·R).

    ``cells[i, c]`` is the cell of the probability of class c in row i; ``cells[i, 0]`` alone is
    that of all classes.
    """
    core = _core_for(label_sets)
    if core is not None:
        core.cell_sums(cells, weights, label_sets.codes, out)
        return
    rows = np.arange(len(cells))
    for b in range(len(label_sets)):
        labels = label_sets.labels(b)
        own = cells[rows, labels] if cells.shape[1] > 1 else cells[:, 0]
        np.add.at(out[b], (labels, own), weights)


def binned(cells: npt.NDArray[Any], values: FloatArray, n_cells: int) -> FloatArray:
    """Return the sum of the values in every cell, shape (n_cells,)."""
    return np.asarray(np.bincount(cells, values, n_cells), dtype=np.float64)


def _core_for(label_sets: LabelSets) -> Any:
    # more than 65 536 classes do not fit the native labels
    return _native.active() if label_sets.codes.dtype.itemsize <= 2 else None


def _same_label_task(
    data: tuple[Sequence[RadialForm | TileForm], LabelSets], tile: Tile
) -> FloatArray:
    forms, label_sets = data
    i, j = tile[0], tile[1] or tile[0]
    alone = tile[1] is None
    core = _core_for(label_sets)
    out = np.zeros((len(forms), label_sets.codes.shape[1]))
    if core is None:
        values = np.stack([_weighted_values(form, i, j).ravel() for form in forms])
        _twin_agreeing(values, label_sets, i, j, alone, out)
        return out
    radial = [form for form in forms if is_radial(form)]
    if len(radial) < len(forms):
        for k, form in enumerate(forms):
            values = np.ascontiguousarray(_weighted_values(form, i, j))
            core.agreeing_sums(values, label_sets.codes[i], label_sets.codes[j], alone, out[k])
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
        label_sets.codes[i],
        label_sets.codes[j],
        alone,
        out,
    )
    return np.array([form.scale for form in radial])[:, None] * out


def _weighted_values(form: RadialForm | TileForm, i: slice, j: slice) -> FloatArray:
    return np.outer(form.v[i, 0], form.v[j, 0]) * kernel_values(restrict(form, i), form.x[j])


def _twin_agreeing(
    values: FloatArray, label_sets: LabelSets, i: slice, j: slice, alone: bool, out: FloatArray
) -> None:
    rows, columns = (np.ascontiguousarray(label_sets.codes[part].T) for part in (i, j))
    counted = np.tri(rows.shape[1], dtype=bool, k=-1).T if alone else None
    for b in range(len(label_sets)):
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
    label_sets: LabelSets,
) -> FloatArray:
    sums = []
    for start in range(0, len(label_sets), BATCH):
        match = label_sets.codes[order, start : start + BATCH] == c
        residuals = np.where(match, hit[:, None], miss[:, None])
        sums.append(np.sum(scan(x, residuals, rate) * residuals, axis=0))
    return np.concatenate(sums)[: len(label_sets)]
