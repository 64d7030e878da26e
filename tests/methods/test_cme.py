import numpy as np
import pytest
from scipy import stats

from calibrant import SKCE, UCME, Predictions
from calibrant.kernels import Gaussian
from calibrant.methods._base import Setting
from calibrant.methods._cme import CME

LOCATIONS = [([0.6, 0.2, 0.2], 0), ([0.2, 0.6, 0.2], 1), ([0.2, 0.2, 0.6], 0)]
UCME3 = UCME(Gaussian(0.5), LOCATIONS)


def run(predictions, estimator=UCME3):
    CME().check(estimator)
    return CME().test(predictions, estimator, Setting(np.random.default_rng(0)))


def sample(n=80, seed=0, **kwargs):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(3), n)
    return Predictions((rng.random(n)[:, None] > p.cumsum(axis=1)).sum(axis=1), p, **kwargs)


def literal_terms(predictions):
    z = np.empty((predictions.n_samples, 3))
    for i, (y, p) in enumerate(zip(predictions.y_true, predictions.y_prob, strict=True)):
        for j, (point, c) in enumerate(LOCATIONS):
            z[i, j] = np.exp(-np.sum((p - point) ** 2) / (2 * 0.5**2)) * ((y == c) - p[c])
    return z


def test_statistic_is_the_literal_one():
    predictions = sample()
    z = literal_terms(predictions)
    mean = z.mean(axis=0)
    statistic = 80 * mean @ np.linalg.inv(np.cov(z.T)) @ mean
    evidence = run(predictions)
    assert evidence.statistic == pytest.approx(statistic, rel=1e-9)
    assert evidence.pvalue == pytest.approx(stats.chi2.sf(statistic, 3), rel=1e-9)
    assert evidence.estimate == pytest.approx(UCME3.estimate(predictions), rel=1e-12)
    f = statistic * (80 - 3) / (79 * 3)
    assert evidence.details["hotelling_pvalue"] == pytest.approx(stats.f.sf(f, 3, 77), rel=1e-9)


def test_a_repeated_location_is_counted_once():
    predictions = sample()
    repeated = run(predictions, UCME(Gaussian(0.5), [*LOCATIONS, LOCATIONS[1]]))
    assert repeated.details["degrees_of_freedom"] == 3
    assert repeated.pvalue == pytest.approx(run(predictions).pvalue, rel=1e-6)


def test_equal_weights_change_nothing():
    evidence = run(sample(sample_weight=np.full(80, 3.0)))
    assert evidence.pvalue == pytest.approx(run(sample()).pvalue, rel=1e-10)
    weighted = sample(sample_weight=np.random.default_rng(3).random(80))
    assert run(weighted).estimate == pytest.approx(UCME3.estimate(weighted), rel=1e-12)


def test_deviations_without_variance_have_pvalue_one_or_no_answer():
    certain = np.tile([1.0, 0.0, 0.0], (9, 1))
    assert run(Predictions(np.zeros(9, int), certain)).pvalue == 1
    with pytest.raises(ValueError, match=r"no variance.*Exact"):
        run(Predictions(np.ones(9, int), certain))


def test_one_location_works():
    evidence = run(sample(), UCME(Gaussian(0.5), LOCATIONS[:1]))
    z = literal_terms(sample())[:, 0]
    assert evidence.statistic == pytest.approx(80 * z.mean() ** 2 / z.var(ddof=1), rel=1e-11)


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="works with UCME"):
        CME().check(SKCE())
    with pytest.raises(ValueError, match=r"test locations.*UCME"):
        CME().default_estimator()
    with pytest.raises(ValueError, match="CME with 3 locations needs at least 4 rows"):
        run(sample(3))


def test_level_is_near_the_nominal_one_for_many_samples():
    # 300 data sets of 1000: standard error .013 at 5 %, and a little more for the limit.
    rejected = np.mean([run(sample(1000, seed)).pvalue <= 0.05 for seed in range(300)])
    assert 0.01 < rejected < 0.11
