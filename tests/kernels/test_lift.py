"""Kernels lifted by a positive semi-definite matrix."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from calibrant.kernels import FunctionKernel, Gaussian, Laplacian, Lifted

A = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, -0.3], [0.0, -0.3, 0.7]])
SINGULAR = np.ones((3, 3))


@pytest.fixture
def x():
    return np.random.default_rng(0).dirichlet(np.ones(3), 12)


@pytest.fixture
def v(x):
    return np.eye(3)[np.arange(12) % 3] - x


def test_blocks_are_the_value_times_the_matrix(x):
    kernel = Laplacian(0.3)
    blocks = (kernel * A).blocks(x, x[:4])
    for i in range(12):
        for j in range(4):
            np.testing.assert_allclose(blocks[i, j], kernel(x[i], x[j]) * A, rtol=1e-15)


def test_either_order_and_lists_will_do():
    assert Laplacian(0.3) * A == A * Laplacian(0.3) == A.tolist() * Laplacian(0.3)
    assert isinstance(A * Laplacian(0.3), Lifted)


@pytest.mark.parametrize(("matrix", "rank"), [(A, 3), (SINGULAR, 1), (np.diag([1.0, 0, 2]), 2)])
def test_form_holds_the_root_of_the_matrix_without_its_null_space(matrix, rank, x, v):
    (form,) = (Laplacian(0.3) * matrix).forms(x, v)
    assert form.v.shape == (12, rank)
    assert form.v.flags.c_contiguous
    np.testing.assert_allclose(form.v @ form.v.T, v @ matrix @ v.T, atol=1e-14)


def test_identity_changes_nothing(x, v):
    (form,) = (Laplacian(0.3) * np.eye(3)).forms(x, v)
    np.testing.assert_array_equal(form.v, v)


def test_two_classes_stay_on_the_line():
    x = np.array([[0.3, 0.7], [0.5, 0.5]])
    (form,) = (Laplacian(0.3) * np.diag([1.0, 2.0])).forms(x, x)
    assert form.x.shape == (2, 1)


def test_the_kernel_inside_is_resolved(x):
    kernel = Laplacian() * A
    assert kernel.resolve(x) == Laplacian().resolve(x) * A


@pytest.mark.parametrize(
    ("kernel", "matrix", "universal"),
    [
        (Laplacian(), A, True),
        (Gaussian(), SINGULAR, False),
        (FunctionKernel(np.outer), A, None),
        (FunctionKernel(np.outer), SINGULAR, False),
    ],
)
def test_universal_if_and_only_if_the_kernel_is_and_the_matrix_definite(kernel, matrix, universal):
    assert (kernel * matrix).is_universal is universal


def test_equal_kernels_hash_alike_and_survive_pickling():
    kernel = Laplacian(0.3) * A
    assert len({kernel, Laplacian(0.3) * A.copy(), Laplacian(0.3) * SINGULAR}) == 2
    assert hash(Laplacian(0.3) * np.diag([1.0, 2.0])) == hash(
        Laplacian(0.3) * [[1, -0.0], [-0.0, 2]]
    )
    assert pickle.loads(pickle.dumps(kernel)) == kernel
    assert kernel != "kernel"


def test_the_matrix_is_a_read_only_copy():
    matrix = A.copy()
    kernel = Laplacian(0.3) * matrix
    matrix[0, 0] = 7.0
    assert kernel.matrix[0, 0] == 2.0
    with pytest.raises(ValueError, match="read-only"):
        kernel.matrix[0, 0] = 7.0


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1.0, 2.0], [2.0, 1.0]], r"positive semi-definite .*eigenvalues from -1 to 3"),
        (np.zeros((2, 2)), r"not zero"),
        (-np.eye(2), r"positive semi-definite"),
        ([[1.0, 0.1], [0.2, 1.0]], r"symmetric; got a difference of 0.1 .*\(A \+ A.T\) / 2"),
        (np.ones((2, 3)), r"square matrix .*; got shape \(2, 3\)"),
        (np.ones(3), r"square matrix .*; got shape \(3,\)"),
        ([[np.nan, 0.0], [0.0, 1.0]], r"finite"),
    ],
)
def test_other_matrices_are_refused(matrix, message):
    with pytest.raises(ValueError, match=message):
        Laplacian(0.3) * np.asarray(matrix)


def test_rounding_is_forgiven():
    B = np.random.default_rng(0).normal(size=(6, 2))
    assert (Laplacian(0.3) * (B @ B.T)).is_universal is False
    with pytest.raises(ValueError, match="positive semi-definite"):
        Laplacian(0.3) * (B @ B.T - 1e-6 * np.eye(6))


def test_only_scalar_kernels_are_lifted():
    with pytest.raises(TypeError, match="only scalar kernels can be lifted"):
        Laplacian(0.3) * A * A
    with pytest.raises(TypeError, match="scalar kernel"):
        Lifted(Laplacian(0.3) * A, A)


def test_the_number_of_classes_must_fit(x, v):
    kernel = Laplacian(0.3) * np.eye(2)
    assert kernel.n_classes == 2
    for call in (
        lambda: kernel.forms(x, v),
        lambda: kernel.blocks(x, x),
        lambda: kernel.apply(x, x, v),
        lambda: kernel.diagonal(x, v),
        lambda: kernel.bound(3),
    ):
        with pytest.raises(ValueError, match=r"made for 2 classes; got 3.*\(3, 3\)"):
            call()
