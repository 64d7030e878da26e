"""Sums over the rows of many label sets together, with NumPy twins."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from calibrant._engine._label_sets import BATCH, LabelSets, core_for
from calibrant._engine._twin import scan
from calibrant._native import FloatArray, IntArray

#: most classes for which NumPy multiplies by indicators instead of adding row by row
DENSE_CLASSES = 256


def line_sums(
    x: FloatArray,
    hit: FloatArray,
    miss: FloatArray,
    c: int,
    rate: float,
    label_sets: LabelSets,
    order: IntArray | None = None,
) -> FloatArray:
    """Return Σ_{i<j} exp(−rate|x_i − x_j|) r_i r_j for every label set.

    r_i is hit[i] if y_i = c, else miss[i]. O(n log n + n·R).
    """
    if order is None:
        order = np.argsort(x, kind="stable")
    arrays = x[order], hit[order], miss[order]
    core = core_for(label_sets)
    if core is None:
        return _twin_line_sums(*arrays, order, c, rate, label_sets)
    out = np.zeros(label_sets.codes.shape[1])
    core.line_label_sums(*arrays, order, c, rate, label_sets.codes, out)
    return out[: len(label_sets)]


def score_sums(scores: FloatArray, label_sets: LabelSets) -> FloatArray:
    """Return Σ_i scores[i, y_i] for every label set, shape (R,); O(n·R)."""
    core = core_for(label_sets)
    if core is None:
        rows = np.arange(len(scores))
        return np.array([scores[rows, label_sets.labels(b)].sum() for b in range(len(label_sets))])
    out = np.zeros(label_sets.codes.shape[1])
    core.score_sums(np.ascontiguousarray(scores), label_sets.codes, out)
    return out[: len(label_sets)]


def class_score_sums(scores: FloatArray, label_sets: LabelSets) -> FloatArray:
    """Return Σ_{i: y_i = c} scores[i, c] for every label set and class, shape (R, m); O(n·R)."""
    n_sets, m = len(label_sets), label_sets.n_classes
    core = core_for(label_sets)
    if core is not None:
        out = np.zeros((n_sets, m))
        core.class_score_sums(np.ascontiguousarray(scores), label_sets.codes, out)
        return out
    codes = label_sets.codes[:, :n_sets].astype(np.int64)
    values = np.take_along_axis(scores, codes, axis=1)
    cells = codes + m * np.arange(n_sets)
    sums = np.bincount(cells.ravel(), values.ravel(), n_sets * m)
    return np.asarray(sums.reshape(n_sets, m), dtype=np.float64)


def feature_sums(features: FloatArray, label_sets: LabelSets, out: FloatArray) -> None:
    """Add Σ_{i: y_i = c} features[i] for every label set and class to `out`, (R, m, F).

    Features may also come in slices, (n_slices, n, F), with `out` of shape (R, n_slices, m, F):
    with many classes, slices of about a hundred features are faster. O(n·R·F).
    """
    if features.ndim == 2:
        features, out = features[None], out[:, None]
    core = core_for(label_sets)
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


def few_class_sums(features: FloatArray, label_sets: LabelSets, out: FloatArray) -> None:
    """Add Σ_{i: y_i = c} features[c − 1, i] for every label set and class c > 0 to `out`.

    Features are (m − 1, n, F), `out` is (R, m − 1, F). Sums over subsets of six rows are computed
    once for all label sets: O(n·m·F·R/6), which is less than `feature_sums` for few classes.
    """
    core = core_for(label_sets)
    if core is not None:
        core.few_class_sums(np.ascontiguousarray(features), label_sets.codes, out)
        return
    codes = label_sets.codes[:, : len(label_sets)]
    for c, part in enumerate(features, start=1):
        out[:, c - 1] += (codes == c).astype(np.float64).T @ part


def cell_sums(
    cells: npt.NDArray[np.uint16], weights: FloatArray, label_sets: LabelSets, out: FloatArray
) -> None:
    """Add the weights of rows with label c in cell k to `out[b, c, k]`, (R, m, n_cells); O(n·R).

    ``cells[i, c]`` is the cell of the probability of class c in row i; a single column applies to
    all classes.
    """
    core = core_for(label_sets)
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
