"""Random features whose mean inner products equal the total variation Laplacian."""

import numpy as np
import pytest
from tests import oracles
from tests.samples import make_sample

from calibrant._engine._features import FourierFeatures


@pytest.mark.parametrize("m", [2, 3, 10])
def test_features_are_cosines_and_sines_of_cauchy_projections(core, m):
    P = make_sample(0, 5, m).P
    features = FourierFeatures.draw(m, (0.5, 0.1), 7, seed=3)
    phi = features.transform(P)
    assert features.draws.shape == (m, 7)
    assert features.n_features == 14
    assert phi.shape == (5, 28)
    for i in range(5):
        for k, h in enumerate((0.5, 0.1)):
            for d in range(7):
                # Cauchy of scale 1/(2h): the half of total variation
                angle = sum(P[i, c] * features.draws[c, d] / (2 * h) for c in range(m))
                cosine, sine = phi[i, 14 * k + d], phi[i, 14 * k + 7 + d]
                np.testing.assert_allclose(cosine, np.cos(angle) / np.sqrt(7), atol=1e-12)
                np.testing.assert_allclose(sine, np.sin(angle) / np.sqrt(7), atol=1e-12)


@pytest.mark.parametrize("n", [1, 128, 300])
def test_sums_over_rows_need_no_features_of_all_rows(core, n):
    sample = make_sample(0, n, 3)
    features = FourierFeatures.draw(3, (0.5, 0.1), 9, seed=3)
    phi, v = features.transform(sample.P), np.random.default_rng(1).normal(size=(n, 2))
    sums = features.outer(sample.P, v)
    np.testing.assert_allclose(sums, v.T @ phi, atol=1e-12)
    np.testing.assert_allclose(features.smooth(sample.P, sums), phi @ sums.T, atol=1e-12)


def test_features_have_unit_length():
    phi = FourierFeatures.draw(4, [0.3], 33, seed=1).transform(make_sample(0, 20, 4).P)
    np.testing.assert_allclose(np.sum(phi**2, axis=1), 1.0, rtol=1e-14)


@pytest.mark.parametrize("h", [0.1, 0.5, 2.0])
def test_inner_products_approach_the_kernel(h):
    P = make_sample(0, 12, 3).P
    phi = FourierFeatures.draw(3, [h], 20_000, seed=2).transform(P)
    kernel = [[oracles.laplacian(h)(p, q) for q in P] for p in P]
    # a cosine has a standard deviation below 1: four standard errors of 20 000 draws
    np.testing.assert_allclose(phi @ phi.T, kernel, atol=4 / np.sqrt(20_000))


def test_draws_depend_on_the_seed_only(core):
    one, two = (FourierFeatures.draw(3, [h], 16, seed=5).draws for h in (0.1, 0.9))
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, FourierFeatures.draw(3, [0.1], 16, seed=6).draws)


def test_draws_are_standard_cauchy():
    draws = FourierFeatures.draw(10, [1.0], 2000, seed=0).draws
    # quartiles −1, 0, 1 with density 1/(2π), 1/π: four standard errors of 20 000 draws
    np.testing.assert_allclose(np.quantile(draws, [0.25, 0.5, 0.75]), [-1, 0, 1], atol=0.08)
