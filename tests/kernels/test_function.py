"""Kernels from user-defined functions."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from calibrant._engine._forms import BlockForm, TileForm
from calibrant.kernels import FunctionKernel, Laplacian, MatrixKernel

X = np.random.default_rng(0).dirichlet(np.ones(3), 70)
V = np.eye(3)[np.arange(70) % 3] - X
A = np.diag([1.0, 2.0, 3.0])


def laplacian(p, q):
    return np.exp(-0.5 * np.abs(p[:, None] - q[None, :]).sum(axis=2) / 0.3)


def lifted(p, q):
    return laplacian(p, q)[:, :, None, None] * A


def test_a_scalar_function_equals_the_kernel_it_spells_out():
    kernel, twin = FunctionKernel(laplacian), Laplacian(0.3)
    np.testing.assert_allclose(kernel(X, X), twin(X, X), rtol=1e-14)
    np.testing.assert_allclose(kernel.apply(X[:9], X, V), twin.apply(X[:9], X, V), rtol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(X, V), twin.diagonal(X, V), rtol=1e-14)
    (form,) = kernel.forms(X, V)
    assert isinstance(form, TileForm)
    np.testing.assert_array_equal(form.function(X, X), kernel(X, X))


def test_a_matrix_function_equals_the_kernel_it_spells_out():
    kernel, twin = MatrixKernel(lifted), Laplacian(0.3) * A
    np.testing.assert_allclose(kernel.blocks(X, X), twin.blocks(X, X), rtol=1e-14)
    np.testing.assert_allclose(kernel.apply(X[:9], X, V), twin.apply(X[:9], X, V), rtol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(X, V), twin.diagonal(X, V), rtol=1e-14)
    (form,) = kernel.forms(X, V)
    assert isinstance(form, BlockForm)
    np.testing.assert_array_equal(form.function(X, X), kernel.blocks(X, X))


def test_forms_can_be_pickled():
    for kernel in (
        FunctionKernel(np.inner),
        MatrixKernel(np.inner),
        2.0 * FunctionKernel(np.inner),
    ):
        (form,) = pickle.loads(pickle.dumps(kernel.forms(X, V)))
        np.testing.assert_array_equal(form.x, X)


@pytest.mark.parametrize("kind", [FunctionKernel, MatrixKernel])
def test_wrong_shapes_are_refused(kind):
    kernel = kind(lambda p, q: np.zeros((len(q), len(p), 1)))
    with pytest.raises(ValueError, match=r"shape \(2, 5.*\) for 2 rows p .* got shape \(5, 2, 1\)"):
        kernel.blocks(X[:2], X[:5])


@pytest.mark.parametrize("kind", [FunctionKernel, MatrixKernel])
def test_values_that_are_not_finite_are_refused(kind):
    shape = (2, 5) if kind is FunctionKernel else (2, 5, 3, 3)
    kernel = kind(lambda p, q: np.full(shape, np.nan))
    with pytest.raises(ValueError, match="finite values; got NaN or infinity"):
        kernel.blocks(X[:2], X[:5])


def test_the_function_of_a_form_is_checked_too():
    (form,) = FunctionKernel(lambda p, q: np.full((len(p), len(q)), np.inf)).forms(X, V)
    with pytest.raises(ValueError, match="finite values"):
        form.function(X, X)


def test_arguments_are_checked():
    with pytest.raises(TypeError, match="`function` must be callable; got 3"):
        FunctionKernel(3)
    with pytest.raises(TypeError, match="`function` must be callable"):
        MatrixKernel(None)
    with pytest.raises(ValueError, match="`sup` must be positive and finite, or None; got -1"):
        FunctionKernel(laplacian, sup=-1)
    with pytest.raises(ValueError, match="`term_bound` must be positive"):
        MatrixKernel(lifted, term_bound=np.inf)
