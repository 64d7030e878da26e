"""Resampling in batches: the p-values and resamples are those of the methods, one by one."""

import numpy as np
import pytest

from calibrant import ECE, SKCE, Predictions, _native
from calibrant._engine._resampling import LabelResampler
from calibrant.binning import MedianVariance, Uniform
from calibrant.kernels import Laplacian
from calibrant.methods import Aggregated, Consistency, Exact
from calibrant.methods._base import Setting
from calibrant.models import DirichletModel
from calibrant.paper._grid import draw
from calibrant.paper._tests import TEST_MIXTURES
from calibrant.paper._tests_resampling import (
    EXACT_TESTS,
    consistency_errors,
    exact_pvalues,
    resamples,
)

METHODS = {
    "Exact_ECE_uniform": (Exact(99), ECE(Uniform(10))),
    "Exact_ECE_dynamic": (Exact(99), ECE(MedianVariance(min_size=5))),
    "Exact_SKCEuq_median": (Exact(99), SKCE()),
    "Exact_SKCEuq_mean": (Exact(99), SKCE(Laplacian(0.37))),
    "Aggregated": (Aggregated(99), SKCE()),
}


@pytest.mark.parametrize("m", [2, 5])
def test_pvalues_are_those_of_the_methods(core, m):
    data = draw(m, 0.5, TEST_MIXTURES, 60, np.random.default_rng(m))
    # the methods take their resampler from the generator of the setting
    resampler = LabelResampler.from_rng(np.random.default_rng(9))
    found = exact_pvalues(data, 0.37, 99, resampler)
    assert found.shape == (5, len(TEST_MIXTURES))
    for name, values in zip(EXACT_TESTS, found, strict=True):
        method, estimator = METHODS[name]
        expected = [
            method.test(
                Predictions(labels, data.y_prob), estimator, Setting(np.random.default_rng(9))
            ).pvalue
            for labels in data.labels
        ]
        assert values.tolist() == expected, name


ERRORS = ECE(Uniform(10)), ECE(MedianVariance(min_size=5))


def predictions(m, alpha, n=120, seed=0):
    return DirichletModel(alpha, m).sample(n, rng=seed)[1]


@pytest.mark.parametrize(
    ("m", "alpha"), [(2, 0.1), (2, 1.0), (3, 0.5), (8, 1.0), (10, 0.1), (17, 0.3)]
)
def test_errors_are_those_of_the_estimators_on_the_resamples(core, m, alpha):
    y_prob = predictions(m, alpha)
    rows, labels = resamples(y_prob, 40, seed=11)
    expected = [
        [error(y, y_prob[r]) for r, y in zip(rows, labels, strict=True)] for error in ERRORS
    ]
    np.testing.assert_allclose(consistency_errors(y_prob, 40, seed=11), expected, atol=1e-14)


def test_tied_and_degenerate_predictions(core):
    # equal rows, certain rows, rows off 1 by rounding: medians and variances tie
    some = np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0], [0.2, 0.3, 0.5 + 1e-15]])
    for y_prob in (np.repeat(some, 20, axis=0), np.tile(some[:1], (30, 1)), some[:1]):
        rows, labels = resamples(y_prob, 25, seed=3)
        expected = [error.many(labels, y_prob[rows]) for error in ERRORS]
        np.testing.assert_allclose(consistency_errors(y_prob, 25, seed=3), expected, atol=1e-14)


@pytest.mark.parametrize("n", [1, 2, 9, 10, 19, 20, 48, 49, 97, 250])
def test_every_size_of_a_bin(native, n):
    # bins of at most 48 rows find their median in another way
    y_prob = predictions(3, 0.4, n)
    with _native.using("numpy"):
        expected = consistency_errors(y_prob, 10, seed=n)
    np.testing.assert_allclose(consistency_errors(y_prob, 10, seed=n), expected, atol=1e-14)


def test_rows_are_drawn_alike_and_labels_from_them():
    y_prob = np.array([[0.1, 0.9], [0.7, 0.3], [0.0, 1.0], [1.0, 0.0]])
    rows, labels = resamples(y_prob, 20_000, seed=5)
    n = rows.size
    shares = np.bincount(rows.ravel(), minlength=4) / n
    # 4.5 standard errors
    assert np.abs(shares - 0.25).max() < 4.5 * np.sqrt(0.25 * 0.75 / n)
    for row, p in enumerate(y_prob[:, 1]):
        seen = labels[rows == row]
        assert abs(seen.mean() - p) <= 4.5 * np.sqrt(p * (1 - p) / len(seen))
    # positions and resamples are independent of each other
    assert abs(np.corrcoef(rows[:, 0], rows[:, 1])[0, 1]) < 4.5 / np.sqrt(len(rows))
    assert abs(np.corrcoef(rows[:-1, 0], rows[1:, 0])[0, 1]) < 4.5 / np.sqrt(len(rows))


def test_the_null_distribution_is_that_of_the_method():
    from scipy.stats import ks_2samp

    y_prob = predictions(4, 0.3, 100)
    data = Predictions(np.zeros(100, int), y_prob)
    found = consistency_errors(y_prob, 1000, seed=1)
    for error, null in zip(ERRORS, found, strict=True):
        setting = Setting(np.random.default_rng(2))
        expected = Consistency(1000).test(data, error, setting).null_distribution
        assert ks_2samp(null, expected).pvalue > 1e-4


def test_seeds_and_numbers_name_the_resamples(core):
    y_prob = predictions(3, 1.0, 30)
    some = consistency_errors(y_prob, 20, seed=1 << 62)
    np.testing.assert_array_equal(some[:, :7], consistency_errors(y_prob, 7, seed=1 << 62))
    assert not np.any(some == consistency_errors(y_prob, 20, seed=(1 << 62) + 1))
