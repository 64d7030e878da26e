import numpy as np
import pytest
from tests.recalibration.literal_maps import mean_log_loss

from calibrant.models import Distorted, Swap, TemperatureModel
from calibrant.recalibration import DirichletScaling, VectorScaling


def objective(p, y, W, b, near, far):
    W = np.asarray(W)
    diagonal = np.diag(W)
    ridge = near * (np.sum((diagonal - diagonal.mean()) ** 2) + np.sum(np.square(b)))
    return mean_log_loss(p, y, W.tolist(), b) + ridge + far * np.sum((W - np.diag(diagonal)) ** 2)


def test_no_neighbor_has_a_smaller_literal_objective():
    y, p = Distorted(0.7, 3, truth=Swap(0, 2, probability=0.3)).sample(120, rng=0)
    fitted = DirichletScaling(0.02, 0.01).fit(p, y)
    best = objective(p, y, fitted.matrix, fitted.intercepts, 0.02, 0.01)
    rng = np.random.default_rng(0)
    for size in (1e-1, 1e-2, 1e-3):
        W = fitted.matrix + rng.normal(scale=size, size=(3, 3))
        b = fitted.intercepts + rng.normal(scale=size, size=3)
        assert objective(p, y, W, b, 0.02, 0.01) > best


def test_default_penalties_are_those_of_the_docstring():
    y, p = TemperatureModel(0.5, 3, temperature=1.5).sample(120, rng=0)
    explicit = DirichletScaling(3 / 120, 6 / 120).fit(p, y)
    np.testing.assert_allclose(DirichletScaling().fit(p, y).matrix, explicit.matrix, rtol=1e-10)


def test_a_huge_penalty_off_the_diagonal_leaves_vector_scaling():
    y, p = TemperatureModel(0.5, 3, temperature=1.5).sample(200, rng=0)
    full = DirichletScaling(0.01, 1e7).fit(p, y)
    vector = VectorScaling(0.01).fit(p, y)
    np.testing.assert_allclose(np.diag(full.matrix), vector.slopes, rtol=1e-4)
    np.testing.assert_allclose(full.intercepts, vector.intercepts, atol=1e-4)


@pytest.mark.slow
def test_many_classes_are_fitted_without_a_hessian():
    y, p = TemperatureModel(0.3, 25, temperature=1.5).sample(3000, rng=0)
    fitted = DirichletScaling().fit(p, y)
    assert np.diag(fitted.matrix).mean() == pytest.approx(1 / 1.5, abs=0.1)
