"""Methods whose approximation fails for rare events correct themselves, or warn."""

import numpy as np
import pytest

from calibrant import SKCE, Parallel, Predictions, calibration_test
from calibrant.kernels import Laplacian, Median
from calibrant.methods import Asymptotic, AsymptoticBlock, Moments, Setting


def rare(seed, n=100, a=0.05, b=3.0):
    rng = np.random.default_rng(seed)
    p = rng.beta(a, b, n)
    return Predictions((rng.random(n) < p).astype(int), p)


def common(seed, n=300):
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return Predictions((rng.random(n) < p).astype(int), p)


def run(method, predictions, estimator=None):
    setting = Setting(np.random.default_rng(0), Parallel(1))
    return method.test(predictions, estimator or method.default_estimator(), setting)


@pytest.mark.slow
def test_moments_hold_their_level_on_rare_events():
    # 200 calibrated data sets; a level of 5 % gives 20 or fewer with probability .9992
    median = SKCE(Laplacian(Median()))
    rejected = sum(run(Moments(), rare(seed), median).pvalue <= 0.05 for seed in range(200))
    assert rejected <= 20


def test_a_skewed_sum_gets_the_bound_of_cantelli():
    skewed = run(Moments(), rare(3), SKCE(Laplacian(Median())))
    assert skewed.details["skewness"] > 10.0
    assert skewed.pvalue == skewed.details["cantelli"]
    assert "too skewed" in skewed.details["caution"]
    ordinary = run(Moments(), common(0))
    assert "caution" not in ordinary.details
    assert ordinary.pvalue != ordinary.details["cantelli"]


@pytest.mark.parametrize(
    ("method", "estimator"),
    [
        (Asymptotic(19), SKCE()),
        (Asymptotic(null="pearson"), SKCE()),
        (AsymptoticBlock(), SKCE(block_size=2)),
    ],
)
def test_a_limit_law_that_does_not_hold_is_said_so(method, estimator):
    result = calibration_test(rare(1, 80, 0.2, 20.0), method=method, estimator=estimator, rng=0)
    assert any("use `Exact()`" in note for note in result.notes)
    assert "use `Exact()`" in result.summary()
    ordinary = calibration_test(common(1), method=method, estimator=estimator, rng=0)
    assert ordinary.notes == ()


@pytest.mark.parametrize("seed", range(5))
def test_few_expected_events_are_said(seed):
    # .14 to .17 of such calibrated models are rejected at 5 %, though the skewness is moderate
    found = run(Asymptotic(null="pearson"), rare(seed, 200, 0.2, 20.0))
    assert "labels are expected to differ" in found.details["caution"]
    assert "caution" not in run(Asymptotic(null="spectrum"), rare(seed, 200, 0.2, 20.0)).details
    assert "caution" not in run(Asymptotic(null="pearson"), common(seed)).details


def test_effective_blocks_count_equal_blocks_fully():
    # predictions .5 throughout: every block has the same size of deviation from 0
    y = np.tile([0, 0, 0, 1], 10)
    evidence = run(AsymptoticBlock(), Predictions(y, np.full(40, 0.5)), SKCE(block_size=2))
    assert evidence.details["effective_blocks"] == pytest.approx(20.0)
