"""Laws that every kernel obeys, from one list of kernels."""

from __future__ import annotations

import pickle
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra.numpy import arrays

from calibrant.kernels import (
    Classwise,
    FunctionKernel,
    Gaussian,
    Kernel,
    Laplacian,
    Matern,
    MatrixKernel,
    Mean,
    RadialKernel,
    RationalQuadratic,
    ScalarKernel,
)
from calibrant.testing import check_kernel

A = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, -0.3], [0.0, -0.3, 0.7]])
RANK_ONE = np.outer([1.0, 2.0, 0.5], [1.0, 2.0, 0.5])


def inner(p, q):
    return p @ q.T


def outer(p, q):
    return p[:, None, :, None] * q[None, :, None, :]


class Polynomial(ScalarKernel):
    """A scalar kernel of a third party that defines its values only."""

    def tile(self, s, t):
        return (1.0 + s @ t.T) ** 2


class Outer(Kernel):
    """A matrix-valued kernel of a third party that defines its blocks only."""

    def blocks(self, s, t):
        return outer(s, t)


@dataclass(frozen=True)
class InverseMultiquadric(RadialKernel):
    """A radial kernel of a third party: one formula."""

    metric: str = "euclidean"

    def profile(self, t, xp=np):
        return 1.0 / xp.sqrt(1.0 + t * t)


KERNELS = [
    Laplacian(),
    Laplacian(0.2),
    Laplacian(Mean(), metric="euclidean"),
    Laplacian(metric="hellinger"),
    Gaussian(),
    Gaussian(0.3, metric="hellinger"),
    RationalQuadratic(alpha=0.5),
    RationalQuadratic(0.3, 2.0, metric="hellinger"),
    Matern(),
    Matern(0.3, 2.5, metric="hellinger"),
    InverseMultiquadric(0.3),
    Classwise(),
    Classwise(Gaussian(0.2)),
    Classwise(RationalQuadratic(0.2)),
    Classwise(Matern(0.2, 2.5)),
    Classwise(InverseMultiquadric()),
    2.5 * Laplacian(0.2),
    Laplacian(0.2) + 0.5 * Gaussian(),
    Laplacian(0.2) * A,
    RANK_ONE * Gaussian(),
    (Laplacian(0.2) + Gaussian(0.4)) * A,
    Laplacian(0.2) * A + Gaussian() * RANK_ONE + 3.0 * Classwise() + Laplacian(),
    FunctionKernel(inner, sup=1.0),
    MatrixKernel(outer, term_bound=1.0),
    2.0 * FunctionKernel(inner, sup=1.0) * A + 0.5 * MatrixKernel(outer, term_bound=1.0),
    Polynomial(),
    Outer(),
    Polynomial() * A + 2.0 * Outer(),
]


@pytest.fixture(
    params=KERNELS, ids=[f"{k}-{type(kernel).__name__}" for k, kernel in enumerate(KERNELS)]
)
def kernel(request):
    return request.param


@pytest.fixture
def x():
    return np.vstack([np.random.default_rng(2).dirichlet(np.full(3, 0.5), 11), np.eye(3)])


@pytest.fixture
def v(x):
    return np.eye(3)[np.arange(14) % 3] - x


def loop_terms(kernel, x, v):
    return np.array(
        [
            [v[i] @ kernel.blocks(x[[i]], x[[j]])[0, 0] @ v[j] for j in range(len(x))]
            for i in range(len(x))
        ]
    )


def form_terms(form):
    """Return h_ij of a form by a loop over its definition."""
    n = len(form.x)
    terms = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            if hasattr(form, "profile"):
                order = 1 if form.metric == "cityblock" else 2
                t = form.rate * np.linalg.norm(form.x[i] - form.x[j], ord=order)
                phi = {"laplacian": np.exp(-t), "gaussian": np.exp(-(t**2))}
                value = phi[form.profile] if isinstance(form.profile, str) else form.profile(t)
                terms[i, j] = form.scale * value * (form.v[i] @ form.v[j])
                continue
            value = form.function(form.x[[i]], form.x[[j]])[0, 0]
            terms[i, j] = form.scale * (
                value * (form.v[i] @ form.v[j])
                if np.ndim(value) == 0
                else form.v[i] @ value @ form.v[j]
            )
    return terms


def test_passes_its_own_check(kernel):
    check_kernel(kernel)


def test_forms_add_up_to_the_terms(kernel, x, v):
    kernel = kernel.resolve(x)
    total = sum(form_terms(form) for form in kernel.forms(x, v))
    np.testing.assert_allclose(total, loop_terms(kernel, x, v), rtol=1e-12, atol=1e-14)


def test_diagonal_holds_the_terms_of_equal_indices(kernel, x, v):
    kernel = kernel.resolve(x)
    expected = np.diag(loop_terms(kernel, x, v))
    np.testing.assert_allclose(kernel.diagonal(x, v), expected, rtol=1e-12, atol=1e-14)


def test_apply_is_the_sum_over_the_data_for_any_block_size(kernel, x, v, limit):
    kernel = kernel.resolve(x)
    points = np.random.default_rng(4).dirichlet(np.ones(3), 5)
    expected = [sum(kernel.blocks(p[None], x)[0, j] @ v[j] for j in range(len(x))) for p in points]
    np.testing.assert_allclose(kernel.apply(points, x, v), expected, rtol=1e-12, atol=1e-13)
    limit(kernel_numbers=8)
    np.testing.assert_allclose(kernel.apply(points, x, v), expected, rtol=1e-12, atol=1e-13)
    terms = loop_terms(kernel, x, v)
    np.testing.assert_allclose(kernel.diagonal(x, v), np.diag(terms), rtol=1e-12, atol=1e-14)


def test_order_of_the_samples_does_not_matter(kernel, x, v):
    order = np.random.default_rng(0).permutation(len(x))
    kernel = kernel.resolve(x)
    np.testing.assert_allclose(
        kernel.apply(x, x[order], v[order]), kernel.apply(x, x, v), rtol=1e-12, atol=1e-13
    )


def test_inputs_are_left_alone(kernel, x, v):
    x.flags.writeable = v.flags.writeable = False
    resolved = kernel.resolve(x)
    resolved.forms(x, v), resolved.apply(x, x, v), resolved.diagonal(x, v), resolved.blocks(x, x)


def test_resolve_is_idempotent(kernel, x):
    resolved = kernel.resolve(x)
    assert resolved.resolve(x[:4]) == resolved


def test_survives_pickling(kernel, x):
    again = pickle.loads(pickle.dumps(kernel)).resolve(x)
    np.testing.assert_array_equal(again.blocks(x, x), kernel.resolve(x).blocks(x, x))


def test_hashable(kernel):
    assert kernel in {kernel}


points = arrays(np.float64, (6, 3), elements=st.floats(0.0, 1.0)).map(
    lambda x: (x + 1e-3) / (x + 1e-3).sum(axis=1, keepdims=True)
)


@given(s=points, t=points, kernel=st.sampled_from(KERNELS))
@settings(max_examples=150, deadline=None)
def test_symmetric(s, t, kernel):
    kernel = kernel.resolve(s)
    np.testing.assert_allclose(
        kernel.blocks(s, t), kernel.blocks(t, s).transpose(1, 0, 3, 2), rtol=1e-13, atol=1e-15
    )


@given(x=points, kernel=st.sampled_from(KERNELS))
@settings(max_examples=150, deadline=None)
def test_positive_semidefinite(x, kernel):
    kernel = kernel.resolve(x)
    gram = kernel.blocks(x, x).transpose(0, 2, 1, 3).reshape(18, 18)
    eigenvalues = np.linalg.eigvalsh(gram)
    assert eigenvalues[0] >= -1e-12 * eigenvalues[-1]


@given(x=points, labels=st.lists(st.integers(0, 2), min_size=6, max_size=6), data=st.data())
@settings(max_examples=100, deadline=None)
def test_no_term_exceeds_the_bound(x, labels, data):
    kernel = data.draw(st.sampled_from(KERNELS[:-3])).resolve(x)
    x[:2] = np.eye(3)[labels[2:4]]
    v = np.eye(3)[labels] - x
    terms = np.einsum("ic,ijcd,jd->ij", v, kernel.blocks(x, x), v)
    assert np.abs(terms).max() <= kernel.bound(3) * (1.0 + 1e-14)


@pytest.mark.parametrize(
    "kernel",
    [
        Laplacian(0.3),
        2.0 * Gaussian(0.4),
        2.0 * FunctionKernel(inner),
        Laplacian(0.3) + Gaussian(0.4),
        Laplacian(0.3) * np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]]),
        Classwise(Laplacian(0.2)) + 3.0 * Laplacian(0.3),
    ],
    ids=["scalar", "scaled", "function", "sum", "lifted", "classwise"],
)
def test_lifts_are_what_forms_do_to_residuals(kernel):
    rng = np.random.default_rng(0)
    x, v = rng.dirichlet(np.ones(3), 7), rng.normal(size=(7, 3))
    forms, lifts = kernel.forms(x, v), kernel.lifts(3)
    assert len(forms) == len(lifts)
    for form, lift in zip(forms, lifts, strict=True):
        np.testing.assert_allclose(form.v, v @ lift, rtol=1e-14)


def test_kernels_of_blocks_take_residuals_as_they_are():
    blocks = MatrixKernel(lambda p, q: (p @ q.T)[:, :, None, None] * np.eye(3))
    np.testing.assert_array_equal(blocks.lifts(3), [np.eye(3)])
    assert len((blocks + Laplacian(0.3)).lifts(3)) == 2
