"""The tests are themselves calibrated: levels and powers by simulation.

Seeds are fixed, so a result is the same every time. Every bound is a quantile of the binomial
distribution: a test whose true rejection rate is the named one would miss it in one of 10 000
seeds. `python -m benchmarks.levels` measures the same in full.
"""

import warnings
from zlib import crc32

import numpy as np
import pytest
from scipy.stats import binom

from calibrant import ECE, SKCE, Predictions, calibration_test
from calibrant._engine import LOG_FLOOR, direction_terms
from calibrant._execution._parallel import Parallel
from calibrant.binning import Uniform
from calibrant.errors import RowSumWarning
from calibrant.methods import Aggregated, Asymptotic, Consistency, Exact, Setting
from calibrant.models import M1, TemperatureModel

pytestmark = pytest.mark.slow

LEVEL = 0.05
FALSE_ALARM = 1e-4
#: 60 label sets: three of them make 5 %, and the core computes 64 at once
RESAMPLES = 59
RUNS = 150
SIZES = [(n, m) for n in (20, 50, 250) for m in (2, 10, 100)]

EXACT_TESTS = {
    "exact": Exact(RESAMPLES),
    "default": Aggregated(RESAMPLES),
    "without log score": Aggregated(RESAMPLES, log_score=False),
}


def largest_count(runs, rate):
    return binom.isf(FALSE_ALARM, runs, rate)


def smallest_count(runs, rate):
    return binom.ppf(FALSE_ALARM, runs, rate)


def samples(model, n, runs, digits=None):
    """Yield data sets with a seed of their own."""
    key = crc32(f"{model} {n} {digits}".encode())
    for run in range(runs):
        rng = np.random.default_rng([key, run])
        y_true, y_prob = model.sample(n, rng=rng)
        if digits is None:
            yield Predictions(y_true, y_prob), rng
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RowSumWarning)
            yield Predictions(y_true, np.round(y_prob, digits)), rng


def count_rejections(method, data, estimator=None):
    error = SKCE() if estimator is None else estimator
    return sum(
        method.test(predictions, error, Setting(rng, Parallel(1))).pvalue <= LEVEL
        for predictions, rng in data
    )


@pytest.fixture(scope="module")
def calibrated_counts():
    """Rejections of calibrated models by (test, n, m)."""
    return {
        (name, n, m): count_rejections(method, samples(M1(m), n, RUNS))
        for name, method in EXACT_TESTS.items()
        for n, m in SIZES
    }


@pytest.mark.parametrize("name", EXACT_TESTS)
@pytest.mark.parametrize(("n", "m"), SIZES)
def test_exact_tests_hold_their_level_at_every_size(calibrated_counts, name, n, m):
    assert calibrated_counts[name, n, m] <= largest_count(RUNS, LEVEL)  # 19 of 150


@pytest.mark.parametrize("name", EXACT_TESTS)
def test_exact_tests_hold_their_level_on_the_whole_and_use_it(calibrated_counts, name):
    total = sum(calibrated_counts[name, n, m] for n, m in SIZES)
    runs = RUNS * len(SIZES)
    assert total <= largest_count(runs, LEVEL)  # 99 of 1350: .073
    # ties at n = 20, m = 2 and the atoms of few labels take a little of the level
    assert total >= smallest_count(runs, 0.04)  # 29 of 1350: .021


@pytest.mark.parametrize(("n", "m", "runs"), [(250, 10, 150), (250, 100, 100), (1000, 10, 60)])
@pytest.mark.parametrize("name", EXACT_TESTS)
def test_four_digits_in_a_file_are_not_evidence(name, n, m, runs):
    count = count_rejections(EXACT_TESTS[name], samples(M1(m), n, runs, digits=4))
    assert count <= largest_count(runs, LEVEL)


@pytest.mark.parametrize("m", [10, 100])
def test_rounding_to_four_digits_moves_the_directions_by_less_than_a_tenth_deviation(m):
    # A mean of .1 deviations makes a two-sided level of 5 % one of 5.1 %. No labels are drawn:
    # their law is known, so 10 000 predictions tell the mean to a few percent of itself.
    _, p = M1(m).sample(10_000, rng=0)
    q = np.round(p, 4)
    q /= q.sum(axis=1, keepdims=True)
    for f in (q, np.log(np.maximum(q, LOG_FLOOR))):
        scores, variance = direction_terms(q, f, np.ones(len(q)))
        assert abs(np.sum(p * scores)) < 0.1 * np.sqrt(variance)


def test_a_label_of_probability_zero_is_reported_and_does_not_decide_alone():
    y_true, y_prob = M1(10).sample(250, rng=4)
    y_prob = np.round(y_prob, 4)
    y_prob /= y_prob.sum(axis=1, keepdims=True)
    before = calibration_test(y_true, y_prob, rng=0, effects=False)
    row = int(np.argmax((y_prob == 0).any(axis=1)))
    y_true[row] = int(np.argmin(y_prob[row]))
    after = calibration_test(y_true, y_prob, rng=0, effects=False)
    assert before.details["impossible_labels"] == 0
    assert after.details["impossible_labels"] == 1
    assert after.pvalue > LEVEL


def test_the_default_sees_over_confidence_where_the_papers_test_does_not():
    model, n, runs = TemperatureModel(0.1, 10, temperature=1.3), 250, 200
    # The rates are .88 and .10 in the full study; .75 and .20 are more than 4 deviations off.
    assert count_rejections(Aggregated(199), samples(model, n, runs)) >= 0.75 * runs
    assert count_rejections(Asymptotic(199), samples(model, n, runs)) <= 0.20 * runs


def test_the_log_score_direction_raises_the_power():
    model, n, runs = TemperatureModel(0.1, 10, temperature=1.3), 250, 150
    with_it = count_rejections(EXACT_TESTS["default"], samples(model, n, runs))
    without = count_rejections(EXACT_TESTS["without log score"], samples(model, n, runs))
    assert with_it > without


def test_the_papers_bootstrap_hardly_ever_rejects_with_many_classes():
    runs = 100
    count = count_rejections(Asymptotic(199), samples(M1(100), 250, runs))
    assert count <= largest_count(runs, 0.01)  # 6 of 100


def test_consistency_resampling_with_uniform_bins_rejects_nearly_every_calibrated_model():
    runs = 30
    count = count_rejections(Consistency(RESAMPLES), samples(M1(10), 250, runs), ECE(Uniform(10)))
    assert count >= smallest_count(runs, 0.95)  # 23 of 30
