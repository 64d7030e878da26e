"""Conditional moments of the pair sum against brute force over all label sets."""

import itertools

import numpy as np
import pytest
from tests import oracles

from calibrant import Predictions
from calibrant._execution._parallel import Parallel
from calibrant.kernels import FunctionKernel, Gaussian, Laplacian
from calibrant.methods._conditional import _subsample, conditional_moments, pair_skewness


def inner(p, q):
    return p @ q.T


KERNELS = {
    "laplacian": (Laplacian(0.4), oracles.laplacian(0.4)),
    "gaussian": (Gaussian(0.5), oracles.gaussian(0.5)),
    "scaled": (2.0 * Laplacian(0.4), lambda p, q: 2.0 * oracles.laplacian(0.4)(p, q)),
    "function": (FunctionKernel(inner), lambda p, q: float(np.dot(p, q))),
}


def sample(n, m, weighted=False, seed=0, alpha=1.0):
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.full(m, alpha), n)
    return Predictions(np.zeros(n, int), P, sample_weight=rng.random(n) if weighted else None)


def enumerate_pair_sum(predictions, k):
    """The value of Σ_{i≠j} w_i w_j h_ij and its probability, for every label set."""
    P, w = predictions.y_prob, predictions.weights
    n, m = P.shape
    K = np.array([[0.0 if i == j else k(P[i], P[j]) for j in range(n)] for i in range(n)])
    for y in itertools.product(range(m), repeat=n):
        r = np.array([np.array(oracles.residual(P[i], y[i])) * w[i] for i in range(n)])
        probability = np.prod([P[i, y[i]] for i in range(n)])
        yield float(np.sum(K * (r @ r.T))), probability


def brute_force_moments(predictions, k):
    values, q = np.array(list(enumerate_pair_sum(predictions, k))).T
    mean = values @ q
    variance = (values - mean) ** 2 @ q
    return mean, variance, (values - mean) ** 3 @ q / variance**1.5


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n", "m"), [(4, 3), (5, 2), (3, 4), (2, 3)])
@pytest.mark.parametrize("name", KERNELS)
def test_moments_are_those_of_all_label_sets(core, name, n, m, weighted):
    kernel, k = KERNELS[name]
    predictions = sample(n, m, weighted)
    mean, variance, skewness = brute_force_moments(predictions, k)
    found = conditional_moments(predictions, kernel, 1000, Parallel(1))
    assert mean == pytest.approx(0, abs=1e-14)
    assert found.variance == pytest.approx(variance, rel=1e-11)
    assert found.skewness == pytest.approx(skewness, rel=1e-9, abs=1e-11)
    assert found.skewness_rows == n


def test_confident_predictions_keep_their_moments():
    # 0.999…: what the closed form subtracts is nearly equal
    predictions = sample(4, 3, alpha=0.02)
    _, variance, _ = brute_force_moments(predictions, oracles.laplacian(0.4))
    found = conditional_moments(predictions, Laplacian(0.4), 1000, Parallel(1))
    assert found.variance == pytest.approx(variance, rel=1e-7)


@pytest.mark.parametrize("delta", [1e-7, 1e-9, 1e-12, 1e-17])
def test_the_variance_of_nearly_certain_predictions_is_not_negative(delta):
    p = np.array([1 - 2 * delta, delta, delta])
    P = np.array([np.roll(p, shift) for shift in range(3)] * 4)
    found = conditional_moments(Predictions(P.argmax(axis=1), P), Laplacian(0.4), 50, Parallel(1))
    # tr(Σ_iΣ_j) of two rows with the same class is 6δ² but for higher orders; never below
    within = 2 * 3 * 4 * 3 * 6 * delta**2
    assert found.variance >= 0.5 * within * (delta > 1e-16)
    assert np.isfinite(found.skewness)


def test_rounding_does_not_make_a_variance_negative():
    # at 1e-8 from certainty one pair in ten would come out below zero
    for seed in range(100):
        P = 1e-8 * np.random.default_rng(seed).dirichlet(np.ones(3), 2)
        P[:, 0] = 1 - P[:, 1:].sum(axis=1)
        found = conditional_moments(Predictions([0, 0], P), Laplacian(1.0), 50, Parallel(1))
        assert found.variance > 0


@pytest.mark.parametrize("m", [2, 3])
def test_certain_predictions_have_no_moments(m):
    P = np.eye(m)[np.arange(6) % m]
    found = conditional_moments(Predictions(np.zeros(6, int), P), Laplacian(0.4), 50, Parallel(1))
    assert (found.variance, found.skewness) == (0.0, 0.0)


@pytest.mark.parametrize("tile", [1, 7, 64])
def test_tiles_and_threads_do_not_matter(tile):
    predictions = sample(50, 3, weighted=True)
    whole = conditional_moments(predictions, Laplacian(0.4), 20, Parallel(1))
    one, two = (
        conditional_moments(predictions, Laplacian(0.4), 20, Parallel(jobs, tile=tile))
        for jobs in (1, 2)
    )
    assert one == two
    assert one.variance == pytest.approx(whole.variance, rel=1e-12)
    assert one.skewness == whole.skewness


def test_two_classes_have_the_same_variance_by_sorting_and_by_pairs():
    predictions = sample(60, 2, weighted=True)
    line = conditional_moments(predictions, Laplacian(0.3), 60, Parallel(1)).variance
    K = Laplacian(0.3).tile(predictions.y_prob, predictions.y_prob)
    P, w = predictions.y_prob, predictions.weights
    literal = sum(
        2 * (w[i] * w[j] * K[i, j]) ** 2 * 4 * np.prod(P[i]) * np.prod(P[j])
        for i in range(60)
        for j in range(60)
        if i != j
    )
    assert line == pytest.approx(literal, rel=1e-12)


def test_skewness_of_many_rows_comes_from_evenly_spaced_ones():
    predictions = sample(101, 3)
    found = conditional_moments(predictions, Laplacian(0.4), 11, Parallel(1))
    x = predictions.y_prob[::10]
    expected = pair_skewness(x, np.ones(11), Laplacian(0.4).tile(x, x))
    assert found.skewness_rows == 11
    # a BLAS may sum in another order
    assert found.skewness == pytest.approx(expected, rel=1e-12)


def test_many_classes_shorten_the_subsample():
    assert len(_subsample(80, 4, 80, work=1e6)) == 62  # the cube root of 1e6/4
    assert len(_subsample(80, 4, 80)) == 80
