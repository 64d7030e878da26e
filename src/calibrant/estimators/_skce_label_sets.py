r"""The SKCE of many label sets of the same predictions, without recomputing the kernel.

A kernel is a sum of forms, each with a matrix (*lift*) that multiplies the residuals. The cost
depends on the form: a Laplacian on a line (two classes, or one class of the class-wise kernel)
needs one pass over sorted points; a kernel k·I one pass over the pairs for each 32 label sets;
all others one matrix product of the tile for each label set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibrant._engine import (
    BlockForm,
    LabelSets,
    RadialForm,
    TileForm,
    is_line,
    is_radial,
    lifted_pair_sums,
    line_sums,
    residual_pair_sums,
    score_sums,
)
from calibrant._execution import Parallel
from calibrant._native import FloatArray
from calibrant._predictions import Predictions
from calibrant.kernels import Kernel


def pair_sums_over_label_sets(
    predictions: Predictions, kernel: Kernel, label_sets: LabelSets, parallel: Parallel
) -> FloatArray | None:
    """Return Σ_{i≠j} h_ij for every label set, or None if the kernel does not expose its lifts."""
    lifts = kernel.lifts(predictions.n_classes)
    forms = kernel.forms(predictions.y_prob, predictions.weighted_residuals)
    if lifts is None or len(lifts) != len(forms):
        return None
    total = np.zeros(len(label_sets))
    residuals = predictions.y_prob, predictions.weights
    for form, lift in zip(forms, lifts, strict=True):
        if is_line(form) and all(_odd_class(column) is not None for column in lift.T):
            total += _line_statistics(form, lift, predictions, label_sets)
        elif not isinstance(form, BlockForm) and _is_identity(lift):
            sums = _pair_statistics([form], predictions, label_sets, parallel)[0]
            total += float(lift[0, 0]) ** 2 * sums
        else:
            total += 2.0 * lifted_pair_sums(form, lift, residuals, label_sets, parallel)
    return total


def diagonal_sums_over_label_sets(
    predictions: Predictions, kernel: Kernel, label_sets: LabelSets
) -> FloatArray:
    """Return Σ_i h_ii for every label set."""
    n, m = predictions.y_prob.shape
    codes = np.arange(m)
    scores = np.empty((n, m))
    for c in codes:
        given = predictions.with_labels(np.full(n, c))
        scores[:, c] = kernel.diagonal(given.y_prob, given.weighted_residuals)
    return score_sums(scores, label_sets)


def _is_identity(lift: FloatArray) -> bool:
    """Return whether a lift is a multiple of the identity."""
    return lift.shape[0] == lift.shape[1] and bool(np.all(lift == lift[0, 0] * np.eye(len(lift))))


def _odd_class(column: FloatArray) -> int | None:
    """Return the class whose entry differs from all others, or None if several do."""
    for c in (len(column) - 1, int(np.argmax(column)), int(np.argmin(column))):
        rest = np.delete(column, c)
        if np.all(rest == rest[0]):
            return c
    return None


def _line_statistics(
    form: RadialForm, lift: FloatArray, predictions: Predictions, label_sets: LabelSets
) -> FloatArray:
    x = np.ascontiguousarray(form.x[:, 0])
    order = np.argsort(x, kind="stable")
    weights, total = predictions.weights, np.zeros(len(label_sets))
    for column in lift.T:
        c = _odd_class(column)
        assert c is not None
        # a residual times the column takes one of two values: one for class c, one for all others
        expected = np.sum(predictions.y_prob * column, axis=1)
        hit, miss = weights * (column[c] - expected), weights * (column[c - 1] - expected)
        total += 2.0 * form.scale * line_sums(x, hit, miss, c, form.rate, label_sets, order)
    return total


def laplacian_pair_sums(
    predictions: Predictions,
    kernels: Sequence[Kernel],
    label_sets: LabelSets,
    parallel: Parallel,
) -> FloatArray:
    """Return Σ_{i≠j} h_ij for several Laplacians of one metric, shape (n_kernels, R).

    The distances are computed once. The kernels must be resolved.
    """
    forms = [
        form
        for kernel in kernels
        for form in kernel.forms(predictions.y_prob, predictions.weighted_residuals)
        if is_radial(form)
    ]
    if is_line(forms[0]):
        identity = np.eye(predictions.n_classes)
        return np.array([_line_statistics(f, identity, predictions, label_sets) for f in forms])
    return _pair_statistics(forms, predictions, label_sets, parallel)


def _pair_statistics(
    forms: Sequence[RadialForm | TileForm],
    predictions: Predictions,
    label_sets: LabelSets,
    parallel: Parallel,
) -> FloatArray:
    weighted = [replace(form, v=predictions.weights[:, None]) for form in forms]
    return 2.0 * residual_pair_sums(weighted, predictions.y_prob, label_sets, parallel)
