from dataclasses import dataclass

import numpy as np
import pytest

from calibrant import ECE, SKCE, Estimator, Predictions
from calibrant._execution._parallel import Parallel
from calibrant.binning import MedianVariance, Uniform
from calibrant.kernels import Laplacian
from calibrant.methods._base import Setting
from calibrant.methods._consistency import Consistency, ConsistencyResampler
from calibrant.models import M1


def run(predictions, estimator, n_resamples=99, seed=0, n_jobs=1):
    setting = Setting(np.random.default_rng(seed), Parallel(n_jobs))
    return Consistency(n_resamples).test(predictions, estimator, setting)


def sample(n=40, m=3, seed=0, **kwargs):
    rng = np.random.default_rng(seed)
    return Predictions(rng.integers(m, size=n), rng.dirichlet(np.ones(m), n), **kwargs)


@dataclass(frozen=True)
class Mistakes(Estimator):
    def estimate(self, predictions, parallel=None):
        wrong = predictions.y_prob.argmax(axis=1) != predictions.y_true
        return float(np.average(wrong, weights=predictions.sample_weight))


def test_resamples_take_whole_rows_with_their_weights():
    predictions = sample(sample_weight=np.arange(1.0, 41.0))
    resample = ConsistencyResampler().sample(predictions, np.random.default_rng(1))
    rows = (resample.sample_weight - 1).astype(int)
    assert resample.n_samples == 40
    assert len(set(rows)) < 40
    np.testing.assert_array_equal(resample.y_prob, predictions.y_prob[rows])


def test_resampled_labels_follow_the_predictions():
    predictions = Predictions(np.zeros(20_000, int), np.tile([0.2, 0.5, 0.3, 0.0], (20_000, 1)))
    resample = ConsistencyResampler().sample(predictions, np.random.default_rng(1))
    shares = np.bincount(resample.y_true, minlength=4) / 20_000
    # standard error below .0036: four of them
    np.testing.assert_allclose(shares, [0.2, 0.5, 0.3, 0.0], atol=0.0145)
    assert shares[3] == 0


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "estimator", [ECE(Uniform(5)), ECE(MedianVariance(5)), SKCE(Laplacian()), Mistakes()]
)
def test_null_estimates_are_those_of_resamples_binned_afresh(estimator, weighted):
    weights = np.random.default_rng(2).random(40) if weighted else None
    predictions = sample(sample_weight=weights)
    evidence = run(predictions, estimator, 7)
    seeds = np.random.default_rng(0).integers(1 << 63, size=(7, 2))
    expected = [
        estimator.estimate(ConsistencyResampler().sample(predictions, np.random.default_rng(seed)))
        for seed in seeds
    ]
    np.testing.assert_allclose(evidence.null_distribution, expected, rtol=1e-12, atol=1e-15)
    assert evidence.statistic == estimator.estimate(predictions)
    assert evidence.pvalue == (1 + np.sum(np.array(expected) >= evidence.statistic)) / 8


@pytest.mark.parametrize("estimator", [ECE(Uniform(5)), SKCE(Laplacian())])
def test_the_same_bits_for_any_number_of_threads(estimator):
    one, two = (run(sample(), estimator, 120, n_jobs=jobs) for jobs in (1, 2))
    np.testing.assert_array_equal(one.null_distribution, two.null_distribution)
    other = run(sample(), estimator, 120, seed=1)
    assert not np.array_equal(one.null_distribution, other.null_distribution)


def test_an_accurate_confident_model_beats_its_resamples():
    # Labels that ignore confident predictions: no resample of a calibrated model errs so often.
    p = np.tile([0.95, 0.05], (100, 1))
    evidence = run(Predictions(np.arange(100) % 2, p), Mistakes())
    assert evidence.pvalue == 0.01
    assert evidence.details["monte_carlo_error"] == pytest.approx(0.00995, abs=1e-5)


def test_uniform_bins_reject_calibrated_models_as_the_warning_says():
    # .814 of Dir(.1) models at n = 50, m = 10; 60 data sets have a standard error of .05.
    y, p = M1(10, 0.1).sample_many(60, 50, 0)
    pvalues = [run(Predictions(*one), ECE(Uniform(10))).pvalue for one in zip(y, p, strict=True)]
    assert 0.6 < np.mean(np.array(pvalues) <= 0.05) < 0.98


@pytest.mark.slow
def test_two_classes_are_rejected_about_as_often_as_promised():
    # .05-.08; 120 data sets have a standard error of .02.
    y, p = M1(2, 1.0).sample_many(120, 50, 0)
    pvalues = [run(Predictions(*one), ECE(Uniform(5))).pvalue for one in zip(y, p, strict=True)]
    assert np.mean(np.array(pvalues) <= 0.05) < 0.15


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="n_resamples"):
        Consistency(0)
