"""The class-wise diagonal kernel."""

from __future__ import annotations

import math

import numpy as np
import pytest

from calibrant.kernels import (
    Classwise,
    FunctionKernel,
    Gaussian,
    Laplacian,
    Mean,
    Median,
    RationalQuadratic,
    mean_bandwidth,
    median_bandwidth,
)

FUNCTIONS = {
    Laplacian(0.2): lambda d: math.exp(-d / 0.2),
    Laplacian(0.2, metric="euclidean"): lambda d: math.exp(-d / 0.2),
    Gaussian(0.2): lambda d: math.exp(-d * d / 0.08),
    RationalQuadratic(0.2, 3.0): lambda d: (1.0 + d * d / 0.24) ** -3.0,
}


@pytest.fixture
def x():
    return np.random.default_rng(0).dirichlet(np.ones(4), 15)


@pytest.mark.parametrize("kernel", FUNCTIONS, ids=str)
def test_blocks_are_diagonal_with_a_kernel_of_each_class(kernel, x):
    blocks = Classwise(kernel).blocks(x[:6], x)
    for i in range(6):
        for j in range(15):
            expected = np.diag(
                [FUNCTIONS[kernel](abs(a - b)) for a, b in zip(x[i], x[j], strict=True)]
            )
            np.testing.assert_allclose(blocks[i, j], expected, rtol=1e-14)


def test_one_form_on_the_line_for_each_class(x):
    v = np.eye(4)[np.arange(15) % 4] - x
    forms = Classwise(Laplacian(0.2)).forms(x, v)
    assert len(forms) == 4
    for c, form in enumerate(forms):
        np.testing.assert_array_equal(form.x, x[:, [c]])
        np.testing.assert_array_equal(form.v, v[:, [c]])
        assert (form.metric, form.profile, form.rate) == ("cityblock", "laplacian", 1.0 / 0.2)
        assert form.x.flags.c_contiguous
        assert form.v.flags.c_contiguous


def test_rules_take_the_differences_pooled_over_the_classes(x):
    pooled = median_bandwidth(x, "classwise")
    assert Classwise().resolve(x) == Classwise(Laplacian(pooled))
    assert Classwise(Gaussian(Median())).resolve(x) == Classwise(Gaussian(pooled))
    mean = mean_bandwidth(x, "classwise")
    assert Classwise(Laplacian(Mean())).resolve(x) == Classwise(Laplacian(mean))
    assert mean == pytest.approx(2.0 / 4.0 * mean_bandwidth(x, "tv"), rel=1e-14)


def test_large_sums_are_cut_into_blocks():
    x = np.random.default_rng(0).dirichlet(np.ones(2), 1100)
    kernel, v = Classwise(Laplacian(0.2)), x - 0.5
    whole = np.einsum("ijcd,jd->ic", kernel.blocks(x, x), v)
    np.testing.assert_allclose(kernel.apply(x, x, v), whole, rtol=1e-12, atol=1e-12)


def test_not_universal():
    assert Classwise().is_universal is False


def test_other_kernels_are_refused():
    for kernel in (FunctionKernel(np.outer), 2.0 * Laplacian(0.2), 0.3):
        with pytest.raises(TypeError, match="must be a radial kernel such as"):
            Classwise(kernel)
    with pytest.raises(ValueError, match=r"single probabilities by \|p_c − q_c\|"):
        Classwise(Laplacian(0.2, metric="hellinger"))
