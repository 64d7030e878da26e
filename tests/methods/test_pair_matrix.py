import numpy as np
import pytest

from calibrant import Predictions
from calibrant._execution._parallel import Parallel
from calibrant.kernels import Classwise, Gaussian, Laplacian, MatrixKernel
from calibrant.methods._conditional import label_variance, null_variance
from calibrant.methods._pair_matrix import pair_matrix, square_sum


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


def test_null_variance_is_exact_for_scalar_kernels_and_estimated_for_others():
    predictions = sample(6)
    p, r = predictions.y_prob, predictions.residuals
    scalar, general = Laplacian(0.4), Laplacian(0.4) * np.eye(3)
    exact = null_variance(predictions, scalar, scalar.forms(p, r), Parallel())
    assert exact == label_variance(predictions, scalar, Parallel())
    estimated = null_variance(predictions, general, general.forms(p, r), Parallel())
    assert estimated == pytest.approx(2 * square_sum(scalar.forms(p, r), Parallel()), rel=1e-12)
