"""Sums and positive multiples."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from calibrant.kernels import (
    Classwise,
    FunctionKernel,
    Gaussian,
    Laplacian,
    MatrixKernel,
    RationalQuadratic,
    ScalarKernel,
    Sum,
)

E0, E1 = np.diag([1.0, 0.0, 0.0]), np.diag([0.0, 1.0, 1.0])
UNKNOWN = FunctionKernel(lambda p, q: p @ q.T)
BLOCKS = MatrixKernel(lambda p, q: p[:, None, :, None] * q[None, :, None, :])
P, Q = [0.2, 0.3, 0.5], [0.6, 0.1, 0.3]


@pytest.fixture
def x():
    return np.random.default_rng(0).dirichlet(np.ones(3), 9)


def test_sums_and_multiples_of_scalar_kernels_are_scalar_kernels():
    kernel = 2.0 * Laplacian(0.3) + Gaussian(0.5) * 0.5
    assert isinstance(kernel, ScalarKernel)
    expected = 2.0 * Laplacian(0.3)(P, Q) + 0.5 * Gaussian(0.5)(P, Q)
    assert kernel(P, Q) == pytest.approx(expected, rel=1e-15)
    assert kernel.sup == 2.5
    assert (kernel + UNKNOWN).sup is None
    assert (3.0 * UNKNOWN).sup is None


def test_sums_of_other_kernels_add_their_blocks(x):
    kernel = Laplacian(0.3) * E0 + Classwise(Laplacian(0.1)) + 3.0 * BLOCKS
    expected = (
        Laplacian(0.3)(x, x)[:, :, None, None] * E0
        + Classwise(Laplacian(0.1)).blocks(x, x)
        + 3.0 * BLOCKS.blocks(x, x)
    )
    np.testing.assert_allclose(kernel.blocks(x, x), expected, rtol=1e-14)
    assert not isinstance(kernel, ScalarKernel)
    assert kernel.n_classes == 3


def test_terms_of_sums_lie_side_by_side():
    a, b, c = Laplacian(0.1), Laplacian(0.2), Laplacian(0.3) * E0
    assert ((a + b) + c).terms == (a + (b + c)).terms == (a, b, c)
    assert sum([a, b, c]) == a + b + c
    with pytest.raises(TypeError):
        1 + a


def test_multiples_are_pushed_down():
    a, lifted = Laplacian(0.1), Laplacian(0.3) * E1
    assert 2.0 * (3.0 * a) == 6.0 * a
    assert 2.0 * lifted == Laplacian(0.3) * (2.0 * E1)
    assert 2.0 * (a + lifted) == 2.0 * a + 2.0 * lifted
    assert np.float64(2.0) * a == 2 * a == a * np.array(2.0)


def test_multiples_scale_every_form(x):
    v = x - x.mean(axis=0)
    scaled = (4.0 * (RationalQuadratic(0.3) + Laplacian(0.2) * E1 + UNKNOWN + BLOCKS)).forms(x, v)
    assert [scaled[0].scale, scaled[2].scale, scaled[3].scale] == [4.0, 4.0, 4.0]
    np.testing.assert_allclose(scaled[1].v @ scaled[1].v.T, 4.0 * v @ E1 @ v.T, atol=1e-14)
    np.testing.assert_allclose(scaled[2].v, v)
    np.testing.assert_allclose(scaled[3].v, v)


def test_every_part_is_resolved(x):
    kernel = 2.0 * Laplacian() + Gaussian() * E0 + 3.0 * Classwise()
    expected = (
        2.0 * Laplacian().resolve(x) + Gaussian().resolve(x) * E0 + 3.0 * Classwise().resolve(x)
    )
    assert kernel.resolve(x) == expected
    assert kernel.resolve(x).resolve(x[:3]) == expected


@pytest.mark.parametrize(
    ("kernel", "universal"),
    [
        (Laplacian() + Gaussian(), True),
        (2.0 * Laplacian(), True),
        (Laplacian() + UNKNOWN, True),
        (UNKNOWN + 2.0 * UNKNOWN, None),
        (Laplacian() * E0 + Gaussian() * E1, True),
        (Laplacian() * E0 + Gaussian() * E0, False),
        (Laplacian() * E0 + UNKNOWN * E1, None),
        (Laplacian() * E0 + UNKNOWN * E0, False),
        (Classwise() + Laplacian(), True),
        (Classwise() + 2.0 * Classwise(), False),
        (Classwise() + Laplacian() * E0, None),
        (BLOCKS + Laplacian() * E0, None),
        (BLOCKS, None),
    ],
)
def test_universality(kernel, universal):
    assert kernel.is_universal is universal


@pytest.mark.parametrize("factor", [0.0, -1.0, np.inf, np.nan])
def test_multiples_must_be_positive(factor):
    for kernel in (Laplacian(0.3), Laplacian(0.3) * E0, Classwise(), Laplacian() + Classwise()):
        with pytest.raises(ValueError, match="positive numbers only"):
            factor * kernel


def test_matrices_of_different_sizes_do_not_add():
    with pytest.raises(ValueError, match=r"same number of classes; got \[2, 3\]"):
        Laplacian(0.3) * np.eye(2) + Laplacian(0.3) * np.eye(3)


def test_kernels_do_not_multiply_each_other():
    with pytest.raises(TypeError):
        Laplacian(0.3) * Laplacian(0.3)
    with pytest.raises(TypeError):
        Laplacian(0.3) + 1.0


def test_sums_are_hashable_and_survive_pickling():
    kernel = Laplacian(0.3) * E0 + 2.0 * Gaussian()
    assert isinstance(kernel, Sum)
    assert len({kernel, Laplacian(0.3) * E0 + 2.0 * Gaussian()}) == 1
    assert pickle.loads(pickle.dumps(kernel)) == kernel
