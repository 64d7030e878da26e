"""The p-values of the kernel tests are the library's, but for the published conventions."""

from functools import partial

import numpy as np
import pytest

from calibrant import SKCE, Predictions
from calibrant._execution._parallel import Parallel
from calibrant.kernels import Laplacian, median_bandwidth
from calibrant.methods import Asymptotic, AsymptoticBlock, DistributionFree
from calibrant.methods._asymptotic import _Pairs, bootstrap_statistics, resample_counts
from calibrant.methods._base import Setting
from calibrant.methods._pair_matrix import pair_matrix
from calibrant.methods._quadratic_forms import line_weighted_sums
from calibrant.paper._grid import draw
from calibrant.paper._tests import TEST_MIXTURES
from calibrant.paper._tests_kernel import (
    KERNEL_TESTS,
    _bootstrap,
    _count_forms,
    biased_bound,
    kernel_pvalues,
    unbiased_bound,
)

B = 60


def case(m, n=51, alpha=0.5):
    data = draw(m, alpha, TEST_MIXTURES, n, np.random.default_rng(m))
    return data, median_bandwidth(data.y_prob, diagonal=True)


def run(predictions, kernel, method, **options):
    setting = Setting(np.random.default_rng(7))  # the same resamples
    return method.test(predictions, SKCE(kernel, **options), setting)


@pytest.mark.parametrize("m", [2, 3, 10])
def test_pvalues_are_those_of_the_methods(core, m):
    data, bandwidth = case(m)
    counts = resample_counts(51, B, np.random.default_rng(7)).astype(float)
    found = dict(zip(KERNEL_TESTS, kernel_pvalues(data, bandwidth, counts), strict=True))
    for k, labels in enumerate(data.labels):
        evidence = partial(run, Predictions(labels, data.y_prob), Laplacian(bandwidth))
        biased = evidence(DistributionFree(), unbiased=False)
        assert found["SKCEb", "distribution_free"][k] == pytest.approx(biased.pvalue, rel=1e-12)
        for name, options in (("SKCEuq", {}), ("SKCEul", {"block_size": 2})):
            bound = evidence(DistributionFree(), **options)
            if bound.estimate > 0:
                expected = bound.pvalue
            else:  # published with t² all the same
                assert bound.pvalue == 1.0
                expected = np.exp(-25 * bound.estimate**2 / 8)
            assert found[name, "distribution_free"][k] == pytest.approx(expected, rel=1e-12)
        linear = evidence(AsymptoticBlock(ddof=0), block_size=2)
        assert found["SKCEul", "asymptotic"][k] == pytest.approx(linear.pvalue, rel=1e-10)
        bootstrap = evidence(Asymptotic(B))
        count = round(bootstrap.pvalue * (B + 1)) - 1
        assert found["SKCEuq", "asymptotic"][k] == count / B


@pytest.mark.parametrize("m", [2, 3, 10])
def test_bootstrap_statistics_are_those_of_the_method(core, m):
    data, bandwidth = case(m, n=33)
    counts = resample_counts(33, B, np.random.default_rng(0))
    forms = _count_forms(data, bandwidth, counts.astype(float))
    for labels in data.labels:
        predictions = Predictions(labels, data.y_prob)
        pairs = _Pairs(predictions, Laplacian(bandwidth), Parallel(1))
        residuals = predictions.residuals
        matrix = pair_matrix(pairs.forms)
        np.fill_diagonal(matrix, pairs.diagonal)
        expected = bootstrap_statistics(pairs, counts)
        found = _bootstrap(counts.astype(float), matrix, forms(matrix, residuals))
        np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-15)


def test_both_signs_of_the_estimates_occur():
    # or the test above would not have seen the convention
    data, bandwidth = case(3)
    kernel = Laplacian(bandwidth)
    signs = {SKCE(kernel, block_size=2)(y, data.y_prob) > 0 for y in data.labels}
    signs |= {SKCE(kernel)(y, data.y_prob) > 0 for y in data.labels}
    assert signs == {True, False}


def test_bounds_in_closed_form():
    # √(250·t/2) − 1 = 2 for t = 0.072, ⌊251/2⌋·0.2²/8 = 0.625
    assert biased_bound(0.072, 250) == pytest.approx(np.exp(-2.0), rel=1e-12)
    assert biased_bound(0.001, 250) == 1.0
    assert unbiased_bound(-0.2, 251) == unbiased_bound(0.2, 251)
    assert unbiased_bound(0.2, 251) == pytest.approx(np.exp(-0.625), rel=1e-12)


@pytest.mark.parametrize("n", [1, 2, 70])
def test_weighted_sums_on_a_line(core, n):
    rng = np.random.default_rng(n)
    x, v, w = np.sort(rng.random(n)), rng.normal(size=n), rng.random((n, 5))
    expected = [
        sum(
            np.exp(-3.0 * (x[j] - x[i])) * v[i] * w[i, b] * v[j] * w[j, b]
            for j in range(n)
            for i in range(j)
        )
        for b in range(5)
    ]
    np.testing.assert_allclose(line_weighted_sums(x, v, w, 3.0), expected, rtol=1e-12, atol=1e-15)


def test_bootstrap_resamples_are_drawn_one_after_the_other():
    rng = np.random.default_rng(4)
    expected = [np.bincount(rng.integers(900, size=900), minlength=900) for _ in range(301)]
    found = resample_counts(900, 301, np.random.default_rng(4))
    np.testing.assert_array_equal(found, np.array(expected).T)
