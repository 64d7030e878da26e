import itertools

import numpy as np
import pytest

from calibrant import SKCE, Predictions
from calibrant._executors import Parallel
from calibrant.kernels import Classwise, Gaussian, Laplacian, MatrixKernel
from calibrant.methods._pair_matrix import (
    evenly_spaced,
    label_variance,
    null_variance,
    pair_matrix,
    square_sum,
)


def blocks(p, q):
    return np.exp(-np.abs(p[:, None] - q[None]).sum(-1))[:, :, None, None] * np.eye(3)


KERNELS = [
    Laplacian(0.4),
    Laplacian(0.3) + Gaussian(0.5) * np.ones((3, 3)),
    Classwise(Laplacian(0.3)),
]
KERNELS += [MatrixKernel(blocks)]


def sample(n, m=3):
    rng = np.random.default_rng(0)
    return Predictions(rng.integers(m, size=n), rng.dirichlet(np.ones(m), n))


@pytest.mark.parametrize("kernel", KERNELS)
def test_pair_matrix_and_its_squares_are_the_literal_ones(kernel):
    predictions = sample(70)  # more than a tile of the general kernel
    p, r = predictions.y_prob, predictions.residuals
    expected = np.einsum("ic,ijcd,jd->ij", r, kernel.blocks(p, p), r)
    forms = kernel.forms(p, r)
    np.testing.assert_allclose(pair_matrix(forms), expected, atol=1e-14)
    squares = np.sum(expected**2) - np.sum(np.diag(expected) ** 2)
    assert square_sum(forms, Parallel()) == pytest.approx(squares, rel=1e-12)
    assert square_sum(forms, Parallel(2, tile=16)) == pytest.approx(squares, rel=1e-12)


@pytest.mark.parametrize("kernel", [Laplacian(0.4), Laplacian(0.4) + Gaussian(0.3)])
def test_label_variance_is_that_over_all_labels(kernel):
    p = sample(4).y_prob
    skce = SKCE(kernel)
    variance = 0.0
    for labels in itertools.product(range(3), repeat=4):
        weight = np.prod(p[np.arange(4), labels])
        variance += weight * (12 * skce.estimate(Predictions(np.array(labels), p))) ** 2
    assert label_variance(kernel, p, Parallel()) == pytest.approx(variance, rel=1e-11)
    assert label_variance(kernel, p, Parallel(2, tile=2)) == pytest.approx(variance, rel=1e-11)


def test_null_variance_is_exact_for_scalar_kernels_and_estimated_for_others():
    predictions = sample(6)
    p, r = predictions.y_prob, predictions.residuals
    scalar, general = Laplacian(0.4), Laplacian(0.4) * np.eye(3)
    exact = null_variance(scalar, scalar.forms(p, r), p, Parallel())
    assert exact == label_variance(scalar, p, Parallel())
    estimated = null_variance(general, general.forms(p, r), p, Parallel())
    assert estimated == pytest.approx(2 * square_sum(scalar.forms(p, r), Parallel()), rel=1e-12)


def test_evenly_spaced_rows_reach_from_the_first_to_the_last():
    np.testing.assert_array_equal(evenly_spaced(4, 9), [0, 1, 2, 3])
    rows = evenly_spaced(1001, 11)
    np.testing.assert_array_equal(rows, np.arange(0, 1001, 100))
