"""The test from conditional moments: closed forms, rigorous bounds, and what it refuses."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from tests import oracles
from tests.samples import make_sample

from calibrant import ECE, SKCE, UCME, Predictions
from calibrant._execution._parallel import Parallel
from calibrant.kernels import Classwise, Gaussian, Laplacian
from calibrant.methods import Exact, Moments, Setting
from calibrant.methods._conditional import conditional_moments
from calibrant.models import M1, TemperatureModel

K = oracles.times_identity(oracles.laplacian(0.4))
LAPLACE = SKCE(Laplacian(0.4))


def run(predictions, estimator=LAPLACE, skewness_rows=1000, **how):
    setting = Setting(np.random.default_rng(0), Parallel(**how))
    return Moments(skewness_rows).test(predictions, estimator, setting)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("m", [2, 3])
def test_pvalue_is_the_pearson_tail_of_the_standardized_estimate(core, m, weighted):
    y, P, w = make_sample(1, 30, m)
    predictions = Predictions(y, P, sample_weight=w if weighted else None)
    moments = conditional_moments(predictions, Laplacian(0.4), 1000, Parallel(1))
    n_pairs = sum(
        predictions.weights[i] * predictions.weights[j]
        for i in range(30)
        for j in range(30)
        if i != j
    )
    estimate = SKCE(Laplacian(0.4)).estimate(predictions)
    z = estimate * n_pairs / math.sqrt(moments.variance)
    evidence = run(predictions)
    assert evidence.details["z"] == pytest.approx(z, rel=1e-10)
    assert evidence.pvalue == pytest.approx(stats.pearson3.sf(z, moments.skewness), rel=1e-9)
    assert evidence.estimate == evidence.statistic == pytest.approx(estimate, rel=1e-12)
    sd = math.sqrt(moments.variance) / n_pairs
    assert evidence.details["null_sd"] == pytest.approx(sd, rel=1e-10)
    assert evidence.null_distribution is None


def literal_sums(P, y, w):
    n = range(len(y))
    h = np.array([[w[i] * w[j] * oracles.h(K, P, y, i, j) for j in n] for i in n])
    return h.sum() - np.trace(h), h.sum()


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_bounds_hold_for_the_tail_over_all_label_sets(seed, weighted):
    y, P, w = make_sample(seed, 4, 3)
    w = w if weighted else np.ones(4)
    evidence = run(Predictions(y, P, sample_weight=w if weighted else None))
    T, V = literal_sums(P, y, w)
    tail_t = tail_v = 0.0
    for other in itertools.product(range(3), repeat=4):
        probability = np.prod([P[i, other[i]] for i in range(4)])
        t, v = literal_sums(P, other, w)
        tail_t += probability * (t >= T - 1e-12)
        tail_v += probability * (v >= V - 1e-12)
    assert evidence.details["cantelli"] >= tail_t - 1e-12
    assert evidence.details["mcdiarmid"] >= tail_v - 1e-12


def test_bounds_are_their_formulas():
    y, P, _ = make_sample(2, 12, 3)
    evidence = run(Predictions(np.zeros(12, int), P))
    T, V = literal_sums(P, np.zeros(12, int), np.ones(12))
    variance = conditional_moments(Predictions(y, P), Laplacian(0.4), 1000, Parallel(1)).variance
    expected = sum(1 - np.sum(p**2) for p in P)
    assert evidence.details["cantelli"] == pytest.approx(variance / (variance + T**2), rel=1e-10)
    gap = max(0.0, math.sqrt(V) - math.sqrt(expected))
    assert evidence.details["mcdiarmid"] == pytest.approx(math.exp(-(gap**2) / 12), rel=1e-10)
    assert evidence.details["cantelli"] < 0.5
    assert evidence.details["mcdiarmid"] < 1


def test_pvalue_agrees_with_the_exact_test():
    # within 5 % in simulations; three standard errors of B = 20 000 are .011
    for seed in range(4):
        model = M1(3, 1.0) if seed < 2 else TemperatureModel(1.0, 3, temperature=1.5)
        predictions = Predictions(*model.sample(60, rng=seed))
        setting = Setting(np.random.default_rng(0))
        exact = Exact(20_000).test(predictions, SKCE(Laplacian(0.4)), setting).pvalue
        assert run(predictions).pvalue == pytest.approx(exact, rel=0.05, abs=0.011)


def test_pvalues_go_far_below_any_resampling():
    P = np.random.default_rng(0).dirichlet(np.ones(3), 200)
    evidence = run(Predictions(P.argmin(axis=1), P))
    assert 0 < evidence.pvalue < 1e-30


def test_threads_change_no_bit(core):
    predictions = Predictions(*M1(3, 1.0).sample(700, rng=0))
    one, two = (run(predictions, skewness_rows=50, n_jobs=jobs) for jobs in (1, 2))
    assert (one.pvalue, one.statistic, one.details) == (two.pvalue, two.statistic, two.details)


@pytest.mark.parametrize("m", [2, 3])
def test_certain_predictions_that_came_true_are_no_evidence(core, m):
    y = np.arange(12) % m
    evidence = run(Predictions(y, np.eye(m)[y]))
    assert evidence.pvalue == 1.0
    assert evidence.details["cantelli"] == evidence.details["mcdiarmid"] == 1.0


@pytest.mark.parametrize("m", [2, 3])
def test_certain_predictions_that_did_not_have_no_moments(m):
    y = np.arange(12) % m
    with pytest.raises(ValueError, match=r"no variance.*use `Exact\(\)`"):
        run(Predictions((y + 1) % m, np.eye(m)[y]))


@pytest.mark.parametrize("delta", [1e-6, 1e-9, 1e-13])
def test_nearly_certain_predictions_that_came_true_are_no_evidence(delta):
    # the observed labels have nearly all the probability, and so has their tail
    p = np.array([1 - 2 * delta, delta, delta])
    y = np.arange(12) % 3
    P = np.array([np.roll(p, shift) for shift in y])
    assert run(Predictions(y, P)).pvalue > 0.99


def test_pvalue_is_at_least_the_probability_of_the_labels():
    P = np.array([[0.9, 0.05, 0.05], [0.8, 0.1, 0.1], [0.7, 0.2, 0.1]])
    for y in itertools.product(range(3), repeat=3):
        expected = np.prod([P[i, y[i]] for i in range(3)])
        assert run(Predictions(list(y), P)).pvalue >= expected * (1 - 1e-12)
    # a row without weight has any label
    weights = [1.0, 1.0, 0.0]
    found = run(Predictions([0, 0, 1], P, sample_weight=weights)).pvalue
    assert found >= 0.9 * 0.8 * (1 - 1e-12)


@pytest.mark.parametrize("n", [2, 3])
def test_two_and_three_rows_have_a_pvalue(n):
    y, P, _ = make_sample(0, n, 3)
    assert 0 < run(Predictions(y, P)).pvalue <= 1


def test_one_row_is_too_few():
    with pytest.raises(ValueError, match="Moments needs at least 2 rows"):
        run(Predictions([0], [[0.5, 0.5]]))


@pytest.mark.parametrize(
    "estimator",
    [
        ECE(),
        SKCE(unbiased=False),
        SKCE(block_size=2),
        SKCE(Classwise(Laplacian(0.4))),
        SKCE(Laplacian(0.4) * np.diag([1.0, 2.0, 0.5])),
        UCME(Gaussian(0.5), [([0.5, 0.5], 0)]),
    ],
    ids=repr,
)
def test_what_has_no_moments_is_refused(estimator):
    with pytest.raises(ValueError, match=r"(?s)Moments works with the unbiased SKCE.*Exact\(\)"):
        Moments().check(estimator)


def test_skewness_needs_three_rows():
    with pytest.raises(ValueError, match="`skewness_rows` must be at least 3; got 2"):
        Moments(2)
