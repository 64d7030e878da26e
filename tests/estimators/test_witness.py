import numpy as np
import pytest
from tests import oracles
from tests.estimators.kernel_pairs import ANY, THREE

from calibrant import Predictions
from calibrant.estimators import SKCE
from calibrant.kernels import Laplacian


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize(("kernel", "k"), THREE.values(), ids=THREE)
def test_witness_is_the_mean_of_the_kernel_times_the_residuals(core, ternary, kernel, k, weighted):
    y, P, w = ternary
    points = np.array([[1.0, 0.0, 0.0], [0.2, 0.3, 0.5], [1 / 3, 1 / 3, 1 / 3]])
    predictions = Predictions(y, P, sample_weight=w if weighted else None)
    values = SKCE(kernel).witness(predictions, points)
    assert values.shape == (3, 3)
    weights = w.tolist() if weighted else None
    for value, t in zip(values, points.tolist(), strict=True):
        expected = oracles.witness(k, P.tolist(), y.tolist(), t, weights)
        np.testing.assert_allclose(value, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(("kernel", "k"), ANY.values(), ids=ANY)
def test_mean_of_residuals_times_witness_is_the_biased_error(core, binary, kernel, k):
    predictions = Predictions(binary.y, binary.P)
    embedding = SKCE(kernel).witness(predictions, predictions.y_prob)
    mean = np.sum(predictions.residuals * embedding, axis=1).mean()
    assert mean == pytest.approx(SKCE(kernel, unbiased=False)(predictions), rel=1e-12)


@pytest.mark.parametrize("n", [1, 300, 5000])
def test_blocks_of_rows_and_points_are_put_together(core, n):
    rng = np.random.default_rng(n)
    P, points = rng.dirichlet(np.ones(2), n), rng.dirichlet(np.ones(2), 270)
    predictions = Predictions(rng.integers(2, size=n), P)
    values = SKCE(Laplacian(0.3)).witness(predictions, points)
    K = np.exp(-np.abs(points[:, :1] - P[:, 0]) / 0.3)
    np.testing.assert_allclose(values, K @ predictions.residuals / n, rtol=1e-9, atol=1e-13)


def test_points_must_have_the_classes_of_the_predictions(binary):
    predictions = Predictions(binary.y, binary.P)
    for points in ([0.5, 0.5], [[0.2, 0.3, 0.5]]):
        with pytest.raises(ValueError, match=r"`points` must have shape \(n_points, 2\); got"):
            SKCE(Laplacian(0.3)).witness(predictions, points)
