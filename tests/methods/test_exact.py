"""The exact test: its p-value, its level, and the same answer however it is computed."""

import itertools
import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest
from tests import oracles
from tests.samples import make_sample

from calibrant import ECE, KCE, MCE, MMCE, SKCE, UCME, Estimator, Predictions
from calibrant._engine._resampling import LabelResampler
from calibrant._execution._parallel import Parallel
from calibrant.binning import Uniform
from calibrant.kernels import Classwise, Gaussian, Laplacian
from calibrant.methods import Exact, Setting


@dataclass(frozen=True)
class Mistakes(Estimator):
    """A user's own estimator: how often the predicted label was wrong."""

    def estimate(self, predictions, parallel=None):
        wrong = predictions.y_prob.argmax(axis=1) != predictions.y_true
        return float(np.average(wrong, weights=predictions.weights))


ESTIMATORS = [
    SKCE(Laplacian(0.4)),
    SKCE(Laplacian(0.4), unbiased=False),
    SKCE(Gaussian(0.4), block_size=2),
    SKCE(Classwise(Laplacian(0.3))),
    KCE(Laplacian(0.4)),
    MMCE(Laplacian(0.4)),
    UCME(Gaussian(0.5), [([0.6, 0.2, 0.2], 0), ([0.2, 0.2, 0.6], 1)]),
    ECE(Uniform(4)),
    MCE(Uniform(4)),
    Mistakes(),
]


def run(predictions, estimator, n_resamples=99, seed=0, **how):
    setting = Setting(np.random.default_rng(seed), Parallel(**how))
    return Exact(n_resamples).test(predictions, estimator, setting)


def sample(n=20, m=3, weighted=False, seed=0):
    y, P, w = make_sample(seed, n, m)
    return Predictions(y, P, sample_weight=w if weighted else None)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_null_estimates_are_those_of_labels_drawn_from_the_predictions(core, estimator, weighted):
    predictions = sample(weighted=weighted)
    evidence = run(predictions, estimator, 19)
    resampler = LabelResampler.from_rng(np.random.default_rng(0))
    labels = resampler.labels(predictions.y_prob, range(19)).astype(int)
    expected = [estimator.estimate(predictions.with_labels(y)) for y in labels]
    np.testing.assert_allclose(evidence.null_distribution, expected, rtol=1e-10, atol=1e-13)
    assert evidence.statistic == pytest.approx(estimator.estimate(predictions), rel=1e-10)
    larger = np.sum(evidence.null_distribution >= evidence.statistic - 1e-10)
    assert evidence.pvalue == (1 + larger) / 20
    assert evidence.estimate == evidence.statistic
    assert evidence.details["seed"] == resampler.seed
    assert evidence.details["n_resamples"] == 19


def enumerated_tail(predictions, literal):
    """P(S ≥ S_observed) over all label sets, and what is tied counts."""
    P = predictions.y_prob
    n, m = P.shape
    observed = literal(P, predictions.y_true)
    total = 0.0
    for y in itertools.product(range(m), repeat=n):
        if literal(P, y) >= observed - 1e-12:
            total += np.prod([P[i, y[i]] for i in range(n)])
    return total


LITERAL = {
    "skce": (
        SKCE(Laplacian(0.4)),
        lambda P, y: oracles.skce_unbiased(oracles.times_identity(oracles.laplacian(0.4)), P, y),
    ),
    "ece": (
        ECE(Uniform(4)),
        lambda P, y: oracles.ece(P, y, [1.0] * len(y), oracles.uniform_bins(P, 4)),
    ),
    "mistakes": (
        Mistakes(),
        lambda P, y: np.mean([int(np.argmax(p)) != c for p, c in zip(P, y, strict=True)]),
    ),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", LITERAL)
def test_pvalue_approaches_the_tail_over_all_label_sets(name, seed):
    estimator, literal = LITERAL[name]
    predictions = sample(4, 3, seed=seed)
    exact = enumerated_tail(predictions, literal)
    n_resamples = 1500 if name == "mistakes" else 10_000
    found = run(predictions, estimator, n_resamples, seed=seed).pvalue
    # four standard errors of a share, and the 1 that is added
    assert found == pytest.approx(
        exact, abs=4 * np.sqrt(exact * (1 - exact) / n_resamples) + 1 / n_resamples
    )


@pytest.mark.parametrize("name", ["skce", "ece"])
def test_the_enumerated_tail_is_a_valid_pvalue(name):
    # the limit of the p-value: P(tail(Y) ≤ a) ≤ a, summed over all 27 label vectors
    _, literal = LITERAL[name]
    P = make_sample(5, 3, 3).P
    label_sets = list(itertools.product(range(3), repeat=3))
    q = np.array([np.prod([P[i, y[i]] for i in range(3)]) for y in label_sets])
    tails = np.array([enumerated_tail(Predictions(list(y), P), literal) for y in label_sets])
    for level in tails:
        assert q[tails <= level + 1e-12].sum() <= level + 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("estimator", [SKCE(Laplacian(0.4)), ECE(Uniform(4))], ids=repr)
@pytest.mark.parametrize("n", [2, 8])
def test_calibrated_models_are_rejected_no_more_often_than_promised(estimator, n):
    # 1000 data sets, B = 19: four standard errors of a share
    rng = np.random.default_rng(7)
    P = rng.dirichlet(np.ones(3), n)
    truth = LabelResampler(99).labels(P, range(1000)).astype(int)
    pvalues = np.array(
        [
            run(Predictions(y, P), estimator, 19, seed, n_jobs=1).pvalue
            for seed, y in enumerate(truth)
        ]
    )
    for level in (0.05, 0.1, 0.25, 0.5):
        assert np.mean(pvalues <= level) <= level + 4 * np.sqrt(level * (1 - level) / 1000)
    if n == 8 and isinstance(estimator, SKCE):  # hardly any ties: the level is used up
        assert np.mean(pvalues <= 0.25) > 0.25 - 0.06


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_all_ties_are_no_evidence(core, estimator):
    y = np.arange(12) % 3
    evidence = run(Predictions(y, np.eye(3)[y]), estimator)
    assert evidence.pvalue == 1.0
    assert evidence.details["monte_carlo_error"] == 0.0


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_certain_and_always_wrong_is_the_smallest_pvalue(core, estimator):
    y = np.arange(12) % 3
    pvalue = run(Predictions((y + 1) % 3, np.eye(3)[y]), estimator).pvalue
    # consecutive rows are wrong in different ways, so blocks of two see no agreement
    assert pvalue == (1.0 if getattr(estimator, "block_size", None) else 0.01)


def test_identical_rows_are_judged_by_their_counts(core):
    # all rows alike: T is a function of the class counts; observed ones as expected are common
    P = np.tile([0.5, 0.25, 0.25], (8, 1))
    even = Predictions([0, 0, 0, 0, 1, 1, 2, 2], P)
    odd = Predictions([2] * 8, P)
    assert run(even, SKCE(Laplacian(0.4))).pvalue == 1.0
    assert run(odd, SKCE(Laplacian(0.4))).pvalue == 0.01


@pytest.mark.slow
def test_the_same_bits_on_any_threads_and_executors(core):
    predictions = sample(300)
    estimator = SKCE(Laplacian(0.4))
    one = run(predictions, estimator, n_jobs=1)
    others = [run(predictions, estimator, n_jobs=2)]
    context = multiprocessing.get_context("spawn")
    for executor in (ThreadPoolExecutor(2), ProcessPoolExecutor(1, mp_context=context)):
        with executor:
            others.append(run(predictions, estimator, executor=executor))
    for other in others:
        np.testing.assert_array_equal(other.null_distribution, one.null_distribution)
        assert (other.statistic, other.pvalue) == (one.statistic, one.pvalue)


@pytest.mark.parametrize("estimator", [ECE(Uniform(4)), SKCE(Laplacian(0.4)), MCE()], ids=repr)
@pytest.mark.parametrize("m", [2, 3, 300])
def test_threads_change_no_bit(core, estimator, m):
    one, two = (run(sample(60, m), estimator, n_jobs=jobs) for jobs in (1, 2))
    np.testing.assert_array_equal(one.null_distribution, two.null_distribution)
    assert one.pvalue == two.pvalue


@pytest.mark.parametrize("tile", [5, 32, 1000])
def test_tiles_do_not_change_the_pvalue(core, tile):
    expected = run(sample(70), SKCE(Laplacian(0.4)))
    found = run(sample(70), SKCE(Laplacian(0.4)), tile=tile)
    assert found.pvalue == expected.pvalue
    np.testing.assert_allclose(
        found.null_distribution, expected.null_distribution, rtol=1e-9, atol=1e-14
    )


@pytest.mark.parametrize("estimator", [ECE(Uniform(4)), SKCE(Laplacian(0.4)), Mistakes()], ids=repr)
def test_labels_in_parts_change_no_bit(core, limit, estimator):
    whole = run(sample(), estimator, 200)
    limit(label_bytes=1)  # 64 label sets at a time
    parts = run(sample(), estimator, 200)
    np.testing.assert_array_equal(parts.null_distribution, whole.null_distribution)


def test_seeds_matter():
    one, two = (run(sample(), ECE(Uniform(4)), seed=seed) for seed in (0, 1))
    assert not np.array_equal(one.null_distribution, two.null_distribution)


@pytest.mark.parametrize("estimator", [ECE(Uniform(4)), SKCE(Laplacian(0.4)), Mistakes()], ids=repr)
def test_progress_is_told_until_the_end(estimator):
    told = []
    run(sample(), estimator, progress=lambda done, total: told.append((done, total)))
    assert told
    assert told[-1][0] == told[-1][1]


def test_a_class_of_probability_zero_is_never_drawn():
    P = np.tile([0.5, 0.5, 0.0], (6, 1))
    evidence = run(Predictions([0, 1, 0, 1, 0, 2], P), Mistakes())
    assert evidence.null_distribution.max() <= 1.0
    labels = LabelResampler(evidence.details["seed"]).labels(P, range(99))
    assert labels.max() == 1


@pytest.mark.parametrize("stop_after", [0, 3])
@pytest.mark.parametrize("estimator", [ECE(Uniform(4)), SKCE(Laplacian(0.4)), Mistakes()], ids=repr)
def test_progress_never_goes_back(core, limit, estimator, stop_after):
    limit(label_bytes=1)  # 64 label sets at a time
    told = []
    parallel = Parallel(1, progress=lambda done, total: told.append(done / total), tile=32)
    setting = Setting(np.random.default_rng(0), parallel)
    Exact(200, stop_after=stop_after).test(sample(), estimator, setting)
    assert told == sorted(told)
    assert len(set(told)) >= (2 if stop_after else 4)
