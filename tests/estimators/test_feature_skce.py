"""The SKCE of random features: row sums of the approximate kernel, close to the exact ones."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.samples import make_sample

from calibrant import SKCE, Predictions
from calibrant._engine._features import FourierFeatures
from calibrant._execution import Parallel
from calibrant.estimators import default_bandwidth, feature_spread_sums
from calibrant.estimators._feature_skce import N_FREQUENCIES, feature_row_sums
from calibrant.kernels import Laplacian
from calibrant.models import TemperatureModel


def predictions(n=30, m=3, weighted=True):
    y, P, w = make_sample(1, n, m)
    return Predictions(y, P, sample_weight=w if weighted else None)


@pytest.mark.parametrize("weighted", [False, True])
def test_row_sums_are_those_of_the_approximate_kernel(weighted):
    given = predictions(weighted=weighted)
    phi = FourierFeatures.draw(3, [0.3], N_FREQUENCIES, seed=4).transform(given.y_prob)
    r, expected = given.weighted_residuals, np.zeros(30)
    for i in range(30):
        for j in range(30):
            if i != j:
                expected[i] += (phi[i] @ phi[j]) * (r[i] @ r[j])
    found = feature_row_sums(given, 0.3, seed=4)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("chunk", [1, 7, 30])
def test_chunks_do_not_matter(limit, chunk):
    whole = feature_row_sums(predictions(), 0.3, seed=4)
    limit(chunk_rows=chunk)
    parts = feature_row_sums(predictions(), 0.3, seed=4)
    np.testing.assert_allclose(parts, whole, rtol=1e-11, atol=1e-13)


def test_the_estimate_is_near_the_exact_one():
    given = predictions(400, 10, weighted=False)
    exact = SKCE(Laplacian(0.8)).estimate(given)
    found = feature_row_sums(given, 0.8, seed=0).sum() / (400 * 399)
    # labels that ignore the predictions: 5 % of an estimate far from 0
    assert found == pytest.approx(exact, rel=0.05)


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_of_fewer_frequencies_have_the_total_of_all(weighted):
    given = predictions(weighted=weighted)
    total = feature_row_sums(given, 0.3, seed=4).sum()
    found = feature_spread_sums(given, 0.3, seed=4)
    assert found.sum() == pytest.approx(total, rel=1e-11)
    # but for their scale they are those of the kernel of fewer frequencies
    phi = FourierFeatures.draw(3, [0.3], N_FREQUENCIES, seed=4).transform(given.y_prob)
    few = phi.reshape(30, 2, -1)[..., :128].reshape(30, -1) * 2.0
    own = np.sum(given.weighted_residuals**2, axis=1)
    pairs = (few @ few.T) * (given.weighted_residuals @ given.weighted_residuals.T)
    scale = (found + own) / pairs.sum(axis=1)
    np.testing.assert_allclose(scale, scale[0], rtol=1e-9)


@pytest.mark.parametrize("sums", [feature_row_sums, feature_spread_sums])
def test_bits_are_the_same_on_threads_and_executors(limit, sums):
    limit(chunk_rows=7)
    alone = sums(predictions(), 0.3, 4, Parallel(1))
    np.testing.assert_array_equal(sums(predictions(), 0.3, 4, Parallel(2)), alone)
    with ThreadPoolExecutor(2) as executor:
        there = sums(predictions(), 0.3, 4, Parallel(executor=executor))
    np.testing.assert_array_equal(there, alone)


@pytest.mark.parametrize("temperature", [1.0, 1.5])
def test_few_frequencies_know_the_spread_of_the_rows(temperature):
    data = Predictions(*TemperatureModel(0.3, 10, temperature).sample(3000, rng=0))
    bandwidth = default_bandwidth(data.y_prob)
    every, few = (
        np.std(sums(data, bandwidth, 0)) for sums in (feature_row_sums, feature_spread_sums)
    )
    assert few == pytest.approx(every, rel=0.2)
