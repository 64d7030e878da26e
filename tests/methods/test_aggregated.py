"""The default test: what it combines, its level, its answers, and that they are reproducible."""

import itertools
import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
from tests.samples import make_sample

from calibrant import ECE, SKCE, Predictions
from calibrant._engine import two_sided_tail
from calibrant._engine._label_sets import LabelSets
from calibrant._engine._resampling import LabelResampler
from calibrant._execution._parallel import Parallel
from calibrant.kernels import Laplacian, Median
from calibrant.methods import Aggregated, Setting
from calibrant.methods._base import monte_carlo_pvalue
from calibrant.methods._combination import combine, harmonic_mean, pooled_tails
from calibrant.methods._components import Components
from calibrant.methods._families import full_families
from calibrant.methods._family_tails import WEIGHTS
from calibrant.methods._pearson import pearson3_sf
from calibrant.models import M1, TemperatureModel


def run(predictions, n_resamples=99, seed=0, log_score=False, **how):
    setting = Setting(np.random.default_rng(seed), Parallel(**how))
    return Aggregated(n_resamples, log_score).test(predictions, SKCE(), setting)


def sample(n=20, m=3, weighted=False, seed=0):
    y, P, w = make_sample(seed, n, m)
    return Predictions(y, P, sample_weight=w if weighted else None)


@pytest.fixture
def features(limit):
    """Every number of rows takes the linear way."""
    limit(full_rows=0)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("log_score", [False, True])
@pytest.mark.parametrize("m", [2, 3])
def test_statistic_is_the_combination_of_the_families(core, m, log_score, weighted):
    predictions = sample(m=m, weighted=weighted)
    evidence = run(predictions, 29, log_score=log_score)
    resampler = LabelResampler.from_rng(np.random.default_rng(0))
    label_sets = LabelSets.label_sets(predictions, resampler, range(30))
    h = Median().resolve(predictions.y_prob, "tv")
    components = Components() if log_score else Components(log_floor=None)
    families = full_families(predictions, h, label_sets, components, Parallel(1))
    waves = np.array([2.0, 1.0, 1.0] * (2 if m == 2 else 1))
    tails = {
        "kernel": harmonic_mean(pooled_tails(families.kernel)),
        "classwise": harmonic_mean(pooled_tails(families.classwise)),
        "confidence": harmonic_mean(pooled_tails(families.confidence), waves),
        "scaling": pooled_tails(families.scaling)[0],
        "bias": harmonic_mean(pooled_tails(families.bias, centered=False)),
    } | {name: two_sided_tail(z) for name, z in families.directions.items()}
    M = combine(tails, WEIGHTS)
    assert evidence.statistic == pytest.approx(M[0], rel=1e-9)
    np.testing.assert_allclose(evidence.null_distribution, M[1:], rtol=1e-9)
    assert evidence.pvalue == monte_carlo_pvalue(M[0], M[1:])
    for name, tail in tails.items():
        assert evidence.details["components"][name] == pytest.approx(tail[0], rel=1e-9)
    spoke = min(tails, key=lambda name: tails[name][0] / WEIGHTS[name])
    assert evidence.details["component"] == spoke
    assert set(evidence.details["components"]) == set(tails)
    assert len(evidence.details["approximate_tails"]) == (13 if m == 2 else 10)
    assert evidence.details["seed"] == resampler.seed


@pytest.mark.parametrize("weighted", [False, True])
def test_null_estimates_are_those_of_the_reported_skce(core, weighted):
    predictions = sample(weighted=weighted)
    evidence = run(predictions, 9)
    labels = LabelResampler(evidence.details["seed"]).labels(predictions.y_prob, range(9))
    skce = SKCE(Laplacian(Median()))
    expected = [skce.estimate(predictions.with_labels(y.astype(int))) for y in labels]
    np.testing.assert_allclose(evidence.null_estimates, expected, rtol=1e-10, atol=1e-13)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["full", "lines", "features"])
def test_calibrated_models_are_rejected_no_more_often_than_promised(way, limit):
    # B = 19: four standard errors of a share
    count = 150 if way == "features" else 500
    if way == "features":
        limit(full_rows=0, frequencies=8)
    m = 2 if way == "lines" else 3
    P = np.random.default_rng(7).dirichlet(np.ones(m), 8)
    truth = LabelResampler(99).labels(P, range(count)).astype(int)
    found = [run(Predictions(y, P), 19, seed, n_jobs=1) for seed, y in enumerate(truth)]
    assert {one.details["variant"] for one in found} == {way}
    pvalues = np.array([one.pvalue for one in found])
    for level in (0.05, 0.1, 0.25, 0.5):
        assert np.mean(pvalues <= level) <= level + 4 * np.sqrt(level * (1 - level) / count)
    assert np.mean(pvalues <= 0.5) > 0.3  # and the level is used


@pytest.mark.slow
def test_pvalue_approaches_the_tail_over_all_label_sets():
    # in the limit the pooled moments are those of all label sets, weighted by probability
    predictions = sample(4, 3, seed=1)
    P = predictions.y_prob
    every = np.array(list(itertools.product(range(3), repeat=4)))
    q = np.array([np.prod([P[i, y[i]] for i in range(4)]) for y in every])
    h = Median().resolve(P, "tv")
    components = Components(log_floor=None)
    families = full_families(predictions, h, LabelSets.of(every, 3), components, Parallel(1))

    def tails(statistics, mean=0.0, weights=None):
        sd = np.sqrt((statistics - mean) ** 2 @ q)[:, None]
        z = (statistics - mean) / sd
        return harmonic_mean(pearson3_sf(z, (z**3 @ q)[:, None]), weights)

    M = combine(
        {
            "kernel": tails(families.kernel),
            "classwise": tails(families.classwise),
            "confidence": tails(families.confidence, weights=np.array([2.0, 1.0, 1.0])),
            "scaling": tails(families.scaling),
            "bias": tails(families.bias, (families.bias @ q)[:, None]),
            "brier": two_sided_tail(families.directions["brier"]),
        },
        WEIGHTS,
    )
    for k in (0, 13, 40, 77):
        exact = q[M[k] - 1e-12 <= M].sum()
        found = run(predictions.with_labels(every[k]), 4000).pvalue
        # four standard errors, and as much again for label sets that pooling swaps
        assert found == pytest.approx(exact, abs=8 * np.sqrt(exact * (1 - exact) / 4000) + 0.01)


def test_over_and_under_confidence_are_told_apart():
    over = TemperatureModel(0.5, 5, temperature=3.0).sample(300, rng=0)
    under = TemperatureModel(0.5, 5, temperature=1 / 3).sample(300, rng=0)
    for data, direction, sign in ((over, "over-confident", -1), (under, "under-confident", 1)):
        evidence = run(Predictions(*data))
        assert evidence.pvalue == 0.01
        assert evidence.details["direction"] == direction
        assert np.sign(evidence.details["brier_z"]) == sign


def test_the_log_score_may_speak():
    data = TemperatureModel(0.1, 10, temperature=1.6).sample(250, rng=3)
    evidence = run(Predictions(*data), log_score=True)
    assert "log" in evidence.details["components"]
    assert evidence.pvalue == 0.01


@pytest.mark.parametrize("m", [2, 3, pytest.param(300, marks=pytest.mark.slow)])
def test_threads_change_no_bit(core, m):
    one, two = (
        run(sample(300 if m < 300 else 60, m, weighted=True), n_jobs=jobs) for jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.null_distribution, two.null_distribution)
    assert (one.statistic, one.pvalue, one.details) == (two.statistic, two.pvalue, two.details)


def test_threads_change_no_bit_with_features(core, features):
    one, two = (run(sample(300), n_jobs=jobs) for jobs in (1, 2))
    np.testing.assert_array_equal(one.null_distribution, two.null_distribution)
    assert one.details["variant"] == "features"
    assert one.details == two.details


@pytest.mark.slow
def test_executors_change_no_bit(core):
    one = run(sample(300), n_jobs=1)
    context = multiprocessing.get_context("spawn")
    for executor in (ThreadPoolExecutor(2), ProcessPoolExecutor(1, mp_context=context)):
        with executor:
            there = run(sample(300), executor=executor)
        np.testing.assert_array_equal(there.null_distribution, one.null_distribution)
        assert there.pvalue == one.pvalue


@pytest.mark.parametrize("tile", [7, 64, 1000])
def test_tiles_do_not_change_the_pvalue(core, tile):
    assert run(sample(70), tile=tile).pvalue == run(sample(70)).pvalue


@pytest.mark.parametrize("changes", [{"chunk_rows": 7}, {"kept_bytes": 0}, {"state_size": 1}])
def test_chunks_do_not_change_the_pvalue(core, features, limit, changes):
    expected = run(sample(70)).pvalue
    limit(**changes)
    assert run(sample(70)).pvalue == expected


def test_label_sets_at_a_time_do_not_change_the_pvalue(core, limit):
    expected = run(sample(70, 2)).pvalue
    limit(line_sets=5)
    assert run(sample(70, 2)).pvalue == expected


def test_both_ways_find_the_same_model_wrong(features):
    P = np.random.default_rng(0).dirichlet(np.ones(3), 400)
    wrong = Predictions(np.random.default_rng(1).integers(3, size=400), P)
    assert run(wrong).pvalue == 0.01
    calibrated = Predictions(*M1(3, 1.0).sample(400, rng=1))
    assert run(calibrated).pvalue > 0.01


@pytest.mark.parametrize("log_score", [False, True])
@pytest.mark.parametrize("m", [2, 3])
def test_all_ties_are_no_evidence(core, m, log_score):
    y = np.arange(12) % m
    evidence = run(Predictions(y, np.eye(m)[y]), log_score=log_score)
    assert evidence.pvalue == 1.0
    assert set(evidence.details["components"].values()) == {1.0}
    assert evidence.details["direction"] is None


@pytest.mark.parametrize("m", [2, 3])
def test_certain_and_always_wrong_is_the_smallest_pvalue(core, m):
    y = np.arange(12) % m
    assert run(Predictions((y + 1) % m, np.eye(m)[y])).pvalue == 0.01


@pytest.mark.parametrize("m", [2, 3, 5])
@pytest.mark.parametrize("linear", [False, True])
def test_one_impossible_label_among_certain_ones_does_not_decide(core, limit, m, linear):
    if linear:
        limit(full_rows=0)
    y = np.random.default_rng(0).integers(m, size=30)
    wrong = y.copy()
    wrong[3] = (wrong[3] + 1) % m
    assert run(Predictions(wrong, np.eye(m)[y])).pvalue == 1.0


def test_errors_that_are_neither_over_nor_under_confident_have_no_direction():
    # the truth is the prediction, turned about the center of the simplex: e + 0.8·(e turned by 90°)
    rng = np.random.default_rng(0)
    p = rng.dirichlet([4.0, 4.0, 4.0], 1500)
    error = p - 1 / 3
    truth = p + 0.8 * (np.roll(error, 1, axis=1) - np.roll(error, -1, axis=1)) / np.sqrt(3)
    possible = (truth >= 0).all(axis=1)
    p, truth = p[possible], truth[possible]
    y = np.array([rng.choice(3, p=row) for row in truth / truth.sum(axis=1, keepdims=True)])
    evidence = run(Predictions(y, p), log_score=True)
    assert evidence.pvalue == 0.01
    assert abs(evidence.details["brier_z"]) > 0
    assert evidence.details["direction"] is None


def test_uniform_predictions_have_no_direction(core):
    evidence = run(Predictions(np.arange(12) % 3, np.full((12, 3), 1 / 3)), log_score=True)
    assert evidence.details["brier_z"] == 0
    assert evidence.details["direction"] is None
    assert evidence.details["components"]["log"] == 1
    one_class = run(Predictions(np.zeros(12, int), np.full((12, 3), 1 / 3)))
    assert one_class.pvalue == 0.01


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("m", [2, 3])
def test_tiny_samples_have_a_pvalue(core, n, m):
    y, P, _ = make_sample(0, n, m)
    assert 0 < run(Predictions(y, P)).pvalue <= 1
    assert 0 < run(Predictions(y, P[[0] * n])).pvalue <= 1


@pytest.mark.parametrize("m", [2, 3])
def test_one_row_is_too_few(m):
    with pytest.raises(ValueError, match="the aggregated test needs at least 2 rows; got 1"):
        run(sample(1, m))
    weights = [1.0, 0.0, 0.0]
    y, P, _ = make_sample(0, 3, m)
    with pytest.raises(ValueError, match="at least 2 rows with positive weight"):
        run(Predictions(y, P, sample_weight=weights))


def test_rows_without_weight_say_nothing():
    predictions = sample(30, weighted=True)
    weights = predictions.weights.copy()
    weights[20:] = 0.0
    other = predictions.y_true.copy()
    other[20:] = (other[20:] + 1) % 3
    one, two = (
        run(Predictions(y, predictions.y_prob, sample_weight=weights))
        for y in (predictions.y_true, other)
    )
    assert one.pvalue == two.pvalue
    assert one.statistic == pytest.approx(two.statistic, rel=1e-9)


@pytest.mark.parametrize("m", [2, 3])
def test_progress_is_told_until_the_end(m):
    told = []
    run(sample(m=m), progress=lambda done, total: told.append((done, total)))
    assert told
    assert told[-1][0] == told[-1][1]


@pytest.mark.parametrize("estimator", [ECE(), SKCE(Laplacian(0.2)), SKCE(unbiased=False)], ids=repr)
def test_other_estimators_are_refused(estimator):
    with pytest.raises(ValueError, match=r"Aggregated works with the default.*Exact\(\)"):
        Aggregated().check(estimator)
    Aggregated().check(SKCE())
