"""The p-values of our own tests in batches are those of the methods, one data set at a time."""

import numpy as np
import pytest

from calibrant import ECE, SKCE, Predictions
from calibrant._engine._resampling import LabelResampler
from calibrant.binning import MedianVariance, Uniform
from calibrant.kernels import Laplacian
from calibrant.methods import Aggregated, Exact
from calibrant.methods._base import Setting
from calibrant.paper._grid import draw
from calibrant.paper._tests import TEST_MIXTURES
from calibrant.paper._tests_exact import EXACT_TESTS, exact_pvalues

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
