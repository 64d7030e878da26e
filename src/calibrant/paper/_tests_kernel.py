r"""The p-values of the kernel tests with the published conventions, for related data sets.

The published curves differ from the library's methods in three ways, which are kept here: a
bootstrap p-value is count/B and may be 0; the bounds of the unbiased estimators also use t² for
t < 0; the standard deviation of the linear estimator divides by the number of pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from calibrant._engine import radial_gram
from calibrant._native import FloatArray
from calibrant.methods import line_weighted_sums
from calibrant.paper._grid import Draw

#: the rows of the result of `kernel_pvalues`, named as in the published table without the bandwidth
KERNEL_TESTS = (
    ("SKCEb", "distribution_free"),
    ("SKCEuq", "distribution_free"),
    ("SKCEul", "distribution_free"),
    ("SKCEuq", "asymptotic"),
    ("SKCEul", "asymptotic"),
)
CountForms = Callable[[FloatArray, FloatArray], FloatArray]

#: bands of rows in which a symmetric matrix is multiplied, for 5/8 of the work
_BANDS = 4
#: |h_ij| ≤ B for the kernels k·I with k ≤ 1
BOUND = 2.0


def kernel_pvalues(data: Draw, bandwidth: float, counts: FloatArray) -> FloatArray:
    """Return the p-values of all label sets, shape (tests, label sets).

    `counts` (n, B) contains how often each row occurs in each bootstrap resample. Cost: a product
    of an n×n and an n×B matrix for each label set; two classes are summed along a line, O(n·B).
    """
    gram = radial_gram(data.y_prob, data.y_prob, "cityblock", "laplacian", 0.5 / bandwidth)
    forms = _count_forms(data, bandwidth, counts)
    columns = []
    for labels in data.labels:
        residuals = -data.y_prob
        residuals[np.arange(len(labels)), labels] += 1.0
        pairs = gram * (residuals @ residuals.T)
        null = _bootstrap(counts, pairs, forms(pairs, residuals))
        columns.append(_pvalues(pairs, null))
    return np.array(columns).T


def _pvalues(pairs: FloatArray, null: FloatArray) -> list[float]:
    n = len(pairs)
    total, diagonal = float(pairs.sum()), float(np.trace(pairs))
    biased, unbiased = total / n**2, (total - diagonal) / (n * (n - 1))
    linear = np.diagonal(pairs[::2, 1::2])
    statistic = n / (n - 1) * unbiased - biased
    return [
        biased_bound(biased, n),
        unbiased_bound(unbiased, n),
        unbiased_bound(float(linear.mean()), n),
        float(np.count_nonzero(null >= statistic)) / len(null),
        normal_tail(linear),
    ]


def biased_bound(estimate: float, n: int) -> float:
    """Return exp(−½ max(0, √(n·t/B) − 1)²)."""
    return float(np.exp(-0.5 * max(0.0, np.sqrt(n * max(estimate, 0.0) / BOUND) - 1.0) ** 2))


def unbiased_bound(estimate: float, n: int) -> float:
    """Return exp(−⌊n/2⌋ t²/(2B²)), as published also for t < 0."""
    return float(np.exp(-0.5 * (n // 2) * (estimate / BOUND) ** 2))


def normal_tail(linear: FloatArray) -> float:
    """Return Φ(−√N t/s) with the mean t and the standard deviation s (ddof 0) of N pairs.

    It is computed from its logarithm, because SciPy's `ndtr` is 0 from 37.7 on, and the first point
    of the published curves counts p-values of exactly 0 (below 5e-324).
    """
    from scipy.special import log_ndtr

    return float(np.exp(log_ndtr(-np.sqrt(len(linear)) * linear.mean() / linear.std())))


def _count_forms(data: Draw, bandwidth: float, counts: FloatArray) -> CountForms:
    """Return the function of pair terms and residuals that gives Σ_ij C_i C_j h_ij, (B,)."""
    if data.y_prob.shape[1] != 2:
        return partial(_matrix_forms, counts)
    # with two classes, h_ij = 2 k(|p_i − p_j|) r_i r_j is a recursion along a line
    order = np.argsort(data.y_prob[:, 1], kind="stable")
    x, squares, in_order = data.y_prob[order, 1], counts**2, counts[order]

    def line_forms(pairs: FloatArray, residuals: FloatArray) -> FloatArray:
        along = np.ascontiguousarray(residuals[order, 1])
        distinct = line_weighted_sums(x, along, in_order, 1.0 / bandwidth)
        return np.asarray(4.0 * distinct + np.diagonal(pairs) @ squares)

    return line_forms


def _matrix_forms(counts: FloatArray, pairs: FloatArray, residuals: FloatArray) -> FloatArray:
    # the upper half of the symmetric matrix is enough, multiplied in bands of rows
    upper = np.triu(pairs + pairs, 1)
    np.fill_diagonal(upper, np.diagonal(pairs))
    forms = np.zeros(counts.shape[1])
    for rows in np.array_split(np.arange(len(pairs)), _BANDS):
        band, rest = slice(rows[0], rows[-1] + 1), slice(rows[0], None)
        forms += np.einsum("ib,ib->b", counts[band], upper[band, rest] @ counts[rest])
    return forms


def _bootstrap(counts: FloatArray, pairs: FloatArray, forms: FloatArray) -> FloatArray:
    """Return the bootstrap statistics n⁻² Σ_i C_i Σ_j (a(C_j − δ_ij) − 2) h_ij, a = n/(n − 1)."""
    n = len(pairs)
    factor = n / (n - 1)
    linear = (factor * np.diagonal(pairs) + 2.0 * pairs.sum(axis=1)) @ counts
    return np.asarray((factor * forms - linear) / n**2)
