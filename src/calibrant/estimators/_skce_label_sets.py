r"""The SKCE of many label sets of the same predictions, without recomputing the kernel.

For a kernel k·I with :math:`G = K_0 P` (:math:`K_0` has a zero diagonal) and
:math:`c = \langle P, G \rangle`,

.. math:: T(y) = 2 \sum_{i<j,\ y_i = y_j} K_{ij} - 2 \sum_i G_{i, y_i} + c,

so a label set costs a masked sum over pairs. A Laplacian on a line (two classes, or one class of
the class-wise kernel) costs one pass over sorted points instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibrant._engine import (
    BlockForm,
    Form,
    LabelSets,
    RadialForm,
    TileForm,
    is_line,
    is_radial,
    kernel_products,
    line_sums,
    residual_values,
    same_label_sums,
    score_sums,
)
from calibrant._execution import Parallel
from calibrant._native import FloatArray
from calibrant._predictions import Predictions
from calibrant.kernels import Kernel

#: sums of pairs that cancel to less than this part of their terms are zero
ROUNDING = 1e-13


def pair_sums_over_label_sets(
    predictions: Predictions, kernel: Kernel, label_sets: LabelSets, parallel: Parallel
) -> FloatArray | None:
    """Return Σ_{i≠j} h_ij for every label set, or None where the kernel has no fast way."""
    lifts = kernel.lifts(predictions.n_classes)
    forms = kernel.forms(predictions.y_prob, predictions.weighted_residuals)
    if lifts is None or len(lifts) != len(forms):
        return None
    simple = [
        (form, lift)
        for form, lift in zip(forms, lifts, strict=True)
        if not isinstance(form, BlockForm) and _is_simple(form, lift)
    ]
    if len(simple) < len(forms):
        return None
    total = np.zeros(len(label_sets))
    for form, lift in simple:
        if is_line(form):
            total += _line_statistics(form, lift, predictions, label_sets)
        else:
            sums = _pair_statistics([form], predictions, label_sets, parallel)[0]
            total += float(lift[0, 0]) ** 2 * sums
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


def _is_simple(form: Form, lift: FloatArray) -> bool:
    if is_line(form):  # every column reads one class
        return bool(np.all(np.count_nonzero(lift, axis=0) == 1))
    return lift.shape[0] == lift.shape[1] and bool(np.all(lift == lift[0, 0] * np.eye(len(lift))))


def _line_statistics(
    form: RadialForm, lift: FloatArray, predictions: Predictions, label_sets: LabelSets
) -> FloatArray:
    x = np.ascontiguousarray(form.x[:, 0])
    order = np.argsort(x, kind="stable")
    total = np.zeros(len(label_sets))
    for column in lift.T:
        c = int(np.flatnonzero(column)[0])
        hit, miss = residual_values(predictions, c)
        sums = line_sums(x, hit, miss, c, form.rate, label_sets, order)
        total += 2.0 * form.scale * float(column[c]) ** 2 * sums
    return total


def laplacian_pair_sums(
    predictions: Predictions,
    kernels: Sequence[Kernel],
    label_sets: LabelSets,
    parallel: Parallel,
) -> FloatArray:
    """Return Σ_{i≠j} h_ij for several Laplacians of one metric, shape (n_kernels, R).

    The distances are computed once; the kernels are resolved.
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
    weights = predictions.weights[:, None]
    expected = np.ascontiguousarray(weights * predictions.y_prob)
    masked = [replace(form, v=weights) for form in forms]
    total = 2.0 * same_label_sums(masked, label_sets, parallel)
    for k, form in enumerate(forms):
        products = kernel_products(replace(form, v=expected), replace(parallel, progress=None))
        constant = float(np.sum(expected * products))
        scale = np.abs(total[k]) + abs(constant)
        total[k] -= 2.0 * score_sums(weights * products, label_sets)
        total[k] += constant
        # what is left where everything cancels is rounding, which must not be ranked
        total[k, np.abs(total[k]) <= ROUNDING * scale] = 0.0
    return total
