"""P-values of the calibration tests on the paper's data sets."""

from __future__ import annotations

import numpy as np

from calibrant._engine import LabelResampler
from calibrant._execution import Parallel, limits
from calibrant._native import FloatArray
from calibrant._predictions import Predictions
from calibrant.kernels import median_bandwidth
from calibrant.methods import resample_counts
from calibrant.paper._errors import BANDWIDTHS, DYNAMIC, UNIFORM
from calibrant.paper._grid import Draw, Mixture
from calibrant.paper._simulation import Simulation
from calibrant.paper._tests_kernel import KERNEL_TESTS, kernel_pvalues
from calibrant.paper._tests_resampling import EXACT_TESTS, consistency_errors, exact_pvalues

#: labels from the predictions (without β), from both equally, and from β
TEST_MIXTURES = (
    Mixture("uniform", 0.0),
    Mixture("uniform", 0.5),
    Mixture("uniform", 1.0),
    Mixture("first", 0.5),
    Mixture("first", 1.0),
)
#: the paper's tests, with their names in the published table
PAPER_TESTS = (
    "ECE_uniform",
    "ECE_dynamic",
    *(f"{error}_{rule}_{kind}" for rule in BANDWIDTHS for error, kind in KERNEL_TESTS),
)
#: the columns of a batch's results
TESTS = (*PAPER_TESTS, *EXACT_TESTS)


def dataset_pvalues(data: Draw, mean_distance: float, rng: np.random.Generator) -> FloatArray:
    """Return the p-values of one data set, shape (mixtures, tests).

    Everything independent of labels is computed once for all mixtures: the consistency resamples
    and the label sets of the exact tests. The mixtures and both bandwidths also share the bootstrap
    resamples. This makes their p-values dependent, but not those of different data sets.
    """
    seed, resampler = int(rng.integers(1 << 63)), LabelResampler.from_rng(rng)
    predictions = Predictions(data.labels[0], data.y_prob)
    n_resamples = limits().paper_resamples
    null = consistency_errors(data.y_prob, n_resamples, seed)
    rows = [
        _shares(error.over_labels(predictions, data.labels, Parallel(1)), values)
        for error, values in zip((UNIFORM, DYNAMIC), null, strict=True)
    ]
    counts = resample_counts(len(data.y_prob), n_resamples, rng).astype(np.float64)
    for bandwidth in (median_bandwidth(data.y_prob, diagonal=True), mean_distance):
        rows.extend(kernel_pvalues(data, bandwidth, counts))
    # the p-value of the exact tests counts the data too
    rows.extend(exact_pvalues(data, mean_distance, n_resamples - 1, resampler))
    return np.array(rows).T


def _shares(estimates: FloatArray, null: FloatArray) -> FloatArray:
    # the published p-value is count/B, which may be 0
    return np.asarray(np.count_nonzero(null >= estimates[:, None], axis=1) / len(null))


TEST_RUNS = Simulation(
    TEST_MIXTURES,
    dataset_pvalues,
    lambda: {"experiment": "tests", "n_resamples": limits().paper_resamples, "tests": list(TESTS)},
)
