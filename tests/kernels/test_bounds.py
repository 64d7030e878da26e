"""Bounds of the terms: closed forms, brute force and the paper's example."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from calibrant.kernels import (
    Classwise,
    FunctionKernel,
    Gaussian,
    Laplacian,
    MatrixKernel,
)
from calibrant.kernels._bounds import identity_norm, matrix_norm, term_bound, vertex_bound

ORDERS = [1.0, 1.5, 2.0, 3.0, math.inf]
PAIRS = [*itertools.product(ORDERS, ORDERS)]
A = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, -0.3], [0.0, -0.3, 0.7]])


def largest_ratio(matrix, p, q):
    """Return ‖Ax‖_q/‖x‖_p, maximized over many x and neighbors of the best ones."""
    rng = np.random.default_rng(0)
    m = len(matrix)
    corners = np.array([*itertools.product([-1.0, 0.0, 1.0], repeat=m)])
    starts = np.vstack([corners[np.any(corners != 0.0, axis=1)], rng.normal(size=(4000, m))])
    best = 0.0
    for _ in range(3):
        starts /= np.linalg.norm(starts, ord=p, axis=1, keepdims=True)
        ratios = np.linalg.norm(starts @ matrix.T, ord=q, axis=1)
        best = max(best, float(ratios.max()))
        leaders = starts[np.argsort(ratios)[-40:]]
        steps = 10.0 ** rng.uniform(-8.0, 0.0, size=(100, 1, 1))
        starts = (leaders + steps * rng.normal(size=(100, 40, m))).reshape(-1, m)
    return best


@pytest.mark.parametrize(("p", "q"), PAIRS)
def test_norm_of_the_identity_is_the_largest_ratio(p, q):
    assert identity_norm(3, p, q) == pytest.approx(largest_ratio(np.eye(3), p, q), rel=1e-3)
    assert identity_norm(3, p, q) >= largest_ratio(np.eye(3), p, q) * (1.0 - 1e-14)


@pytest.mark.parametrize(
    ("p", "q"), [*((1.0, q) for q in ORDERS), *((p, math.inf) for p in ORDERS), (2.0, 2.0)]
)
def test_norm_of_a_matrix_is_the_largest_ratio(p, q):
    assert matrix_norm(A, p, q) == pytest.approx(largest_ratio(A, p, q), rel=1e-3)
    assert matrix_norm(A, p, q) >= largest_ratio(A, p, q) * (1.0 - 1e-14)


@pytest.mark.parametrize(("p", "q"), PAIRS)
def test_multiples_of_the_identity_have_every_norm(p, q):
    assert matrix_norm(2.5 * np.eye(4), p, q) == 2.5 * identity_norm(4, p, q)


@pytest.mark.parametrize(
    ("p", "q", "expected"),
    [
        (2, 2, 2.0),
        (1, 1, 2.0),
        (1, math.inf, 4.0),
        (1, 2, 2.0**1.5),
        (2, 1, math.sqrt(2.0) * math.sqrt(10.0)),
        (math.inf, 1, 10.0),
    ],
)
def test_the_papers_example(p, q, expected):
    assert Laplacian(0.1).bound(10, p, q) == pytest.approx(expected, rel=1e-14)
    assert Classwise(Gaussian(0.1)).bound(10, p, q) == pytest.approx(expected, rel=1e-14)
    assert (3.0 * Laplacian(0.1)).bound(10, p, q) == pytest.approx(3.0 * expected, rel=1e-14)


def test_the_papers_example_attains_its_minimum_where_it_says():
    kernel = Laplacian(0.1)
    for p, q in PAIRS:
        assert kernel.bound(5, p, q) >= 2.0 - 1e-14
        if p == q:
            assert kernel.bound(5, p, q) == pytest.approx(2.0, rel=1e-14)
        if p > q:
            assert kernel.bound(2, p, q) == pytest.approx(2.0, rel=1e-14)


def test_default_bounds():
    assert Laplacian(0.1).bound(10) == 2.0
    assert (3.0 * Laplacian(0.1) + Gaussian(0.2)).bound(10) == 8.0
    assert Classwise().bound(4) == 2.0
    assert FunctionKernel(np.inner, sup=0.7).bound(4) == 1.4
    assert MatrixKernel(np.inner, term_bound=5.0).bound(4) == pytest.approx(5.0)
    # a = 0, b = 1 of A: 2 + 1 − 2·½; a = 0, b = 2: 2.7; a = 1, b = 2: 1.7 + 0.6
    assert (Laplacian(0.1) * A).bound(3) == pytest.approx(2.7, rel=1e-14)


def test_the_default_bound_of_a_sum_is_that_of_the_summed_envelope():
    kernel = 2.0 * Laplacian(0.1) * A + Gaussian(0.2) + MatrixKernel(np.inner, term_bound=0.5)
    expected = vertex_bound(2.0 * A + np.eye(3)) + 0.5
    assert kernel.bound(3) == pytest.approx(expected, rel=1e-14)
    apart = Laplacian(0.1) * np.diag([1.0, 1.0, 0.0]) + Laplacian(0.1) * np.diag([0.0, 0.0, 1.0])
    assert apart.bound(3) == pytest.approx(2.0)  # the triangle inequality alone gives 3


@pytest.mark.parametrize(("p", "q"), [(1, 1), (1, 2), (2, 2), (3, math.inf), (math.inf, math.inf)])
def test_default_is_at_least_as_sharp_as_any_pair_of_orders(p, q):
    kernel = Laplacian(0.1) * A
    assert kernel.bound(3) <= kernel.bound(3, p, q) * (1.0 + 1e-14)
    both = kernel + 2.0 * Laplacian(0.2)
    expected = kernel.bound(3, p, q) + 2.0 * Laplacian(0.2).bound(3, p, q)
    assert both.bound(3, p, q) == pytest.approx(expected, rel=1e-14)


def test_term_bound_is_attained_by_the_vertices():
    # s = t = e_1 with label 0: h = (e_0 − e_1)ᵀ A (e_0 − e_1)
    s, u = np.eye(3)[[2]], np.eye(3)[0] - np.eye(3)[2]
    kernel = Laplacian(0.1) * A
    assert u @ kernel.blocks(s, s)[0, 0] @ u == pytest.approx(kernel.bound(3), rel=1e-14)
    assert term_bound(1.0, 2.0, 2.0) == 2.0


def test_what_cannot_be_had_is_said():
    with pytest.raises(ValueError, match=r"p=2, q=1 .* use p=1 with any q, q=inf .*, or p=q=2"):
        (Laplacian(0.1) * A).bound(3, p=2, q=1)
    with pytest.raises(ValueError, match="`p` and `q` must be given together; got p=2, q=None"):
        Laplacian(0.1).bound(3, p=2)
    with pytest.raises(ValueError, match=r"`q` must be in \[1, inf\]; got 0.5"):
        Laplacian(0.1).bound(3, p=1, q=0.5)
    with pytest.raises(ValueError, match=r"no bound is known .* give `sup`"):
        FunctionKernel(np.inner).bound(3)
    with pytest.raises(ValueError, match="no bound is known"):
        (Laplacian(0.1) + FunctionKernel(np.inner) * A).bound(3)
    with pytest.raises(ValueError, match=r"no K_\{p;q\} is known"):
        FunctionKernel(np.inner).bound(3, p=2, q=2)
    with pytest.raises(ValueError, match=r"no K_\{p;q\} is known"):
        MatrixKernel(np.inner, term_bound=1.0).bound(3, p=2, q=2)
    with pytest.raises(ValueError, match="no bound is known"):
        MatrixKernel(np.inner).bound(3)
