"""The Monte Carlo error of p-values whose label sets also supply the scale."""

import numpy as np
import pytest

import calibrant as cal
from calibrant.methods._pooling_error import GROUPS, grouped_jackknife_error


def test_error_of_a_rank_is_that_of_a_proportion():
    rng = np.random.default_rng(0)
    errors = []
    for _ in range(200):
        exceeds = np.r_[True, rng.random(999) < 0.3]
        errors.append(grouped_jackknife_error(lambda sets, e=exceeds: np.mean(e[sets]), 999))
    assert np.mean(errors) == pytest.approx(np.sqrt(0.3 * 0.7 / 1000), rel=0.05)


def test_error_is_the_literal_jackknife_over_groups():
    values = np.random.default_rng(1).random(101)
    left_out = [
        np.mean([v for i, v in enumerate(values) if i == 0 or i % GROUPS != g])
        for g in range(GROUPS)
    ]
    mean = sum(left_out) / GROUPS
    expected = ((GROUPS - 1) / GROUPS * sum((p - mean) ** 2 for p in left_out)) ** 0.5
    got = grouped_jackknife_error(lambda sets: float(np.mean(values[sets])), 100)
    assert got == pytest.approx(expected, rel=1e-12)


def test_few_label_sets_have_no_grouped_error():
    assert grouped_jackknife_error(lambda sets: float(len(sets)), 2 * GROUPS - 1) == 0.0


@pytest.mark.slow
def test_stated_error_of_the_default_test_is_about_the_spread_over_seeds():
    # the scaling score of these predictions has a heavy tail, which the label sets must estimate
    predictions = cal.demo.load_digits_predictions()["logistic_regression"]
    results = [cal.calibration_test(predictions, rng=seed) for seed in range(16)]
    spread = np.std([result.pvalue for result in results], ddof=1)
    stated = np.median([result.details["monte_carlo_error"] for result in results])
    # the spread of 16 seeds has a relative error of 18 %; the rank alone states a fourth
    assert 0.5 * spread < stated < 2.0 * spread
