import math

import numpy as np
import pytest
from tests.binning.each_core import each_core
from tests.effects import oracles_effects as oracles

from calibrant import SKCE, Predictions, _native
from calibrant._execution._parallel import Parallel
from calibrant.effects import estimate_interval, skce_interval
from calibrant.kernels import Gaussian, Laplacian
from calibrant.models import TemperatureModel, temperature_scale


@each_core
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("unbiased", [False, True])
@pytest.mark.parametrize(("n", "m"), [(3, 2), (4, 3), (9, 2), (12, 4)])
def test_standard_error_is_that_of_explicit_leave_one_out(core, n, m, unbiased, weighted):
    y, p = oracles.sample(n, n, m)
    w = np.random.default_rng(1).random(n) + 0.1 if weighted else None
    predictions = Predictions(y, p, sample_weight=w)
    skce = SKCE(Laplacian(0.3), unbiased)
    with _native.using(core):
        effect = skce_interval(predictions, skce)
        values = oracles.skce_without_each_row(predictions, skce)
        center = SKCE(Laplacian(0.3))(predictions)
        assert effect.estimate == pytest.approx(skce(predictions), rel=1e-12, abs=1e-15)
    error = oracles.jackknife_error(values)
    assert effect.standard_error == pytest.approx(error, rel=1e-10)
    null = oracles.skce_null_variance(predictions, Laplacian(0.3))
    low, high = oracles.score_ends(center, error, null)
    assert effect.interval.low == pytest.approx(min(low, effect.estimate), rel=1e-6, abs=1e-9)
    assert effect.interval.high == pytest.approx(max(high, effect.estimate), rel=1e-6)
    assert effect.estimate in effect.interval


def test_variance_is_the_closed_form_without_weights():
    y, p = oracles.sample(3, 20, 3)
    predictions, skce = Predictions(y, p), SKCE(Gaussian(0.4))
    r, n = predictions.residuals, 20
    h = Gaussian(0.4)(p, p) * (r @ r.T)
    rows = (h.sum(axis=1) - np.diag(h)) / (n - 1)
    variance = 4 * (n - 1) ** 2 / (n * (n - 2) ** 2) * rows.var(ddof=1)
    effect = skce_interval(predictions, skce)
    assert effect.estimate == pytest.approx(rows.mean(), rel=1e-12)
    assert effect.standard_error == pytest.approx(math.sqrt(variance), rel=1e-12)


def test_bandwidth_rule_is_resolved_once_from_all_rows():
    y, p = oracles.sample(5, 15, 3)
    predictions = Predictions(y, p)
    values = oracles.skce_without_each_row(predictions, SKCE())
    effect = skce_interval(predictions, SKCE())
    assert effect.standard_error == pytest.approx(oracles.jackknife_error(values), rel=1e-10)


@pytest.mark.parametrize("block_size", [2, 3, 5])
def test_block_interval_is_mean_and_sd_over_root_blocks(block_size):
    y, p = oracles.sample(7, 31, 3)
    predictions, skce = Predictions(y, p), SKCE(Laplacian(0.3), block_size=block_size)
    each = skce.block_estimates(predictions)
    effect = skce_interval(predictions, skce)
    assert effect.estimate == pytest.approx(skce(predictions), rel=1e-12)
    assert effect.standard_error == pytest.approx(each.std(ddof=1) / len(each) ** 0.5, rel=1e-11)


def test_weighted_blocks_leave_out_one_block_at_a_time():
    y, p = oracles.sample(8, 12, 3)
    w = np.random.default_rng(2).random(12) + 0.1
    w[4:8] = [1.0, 0.0, 0.0, 0.0]  # a block without a pair counts nothing
    skce = SKCE(Laplacian(0.3), block_size=4)
    predictions = Predictions(y, p, sample_weight=w)
    effect = skce_interval(predictions, skce)
    parts = [predictions.take(slice(8, 12)), predictions.take(slice(0, 4))]
    values = [skce(part) for part in parts]
    assert effect.estimate == pytest.approx(skce(predictions), rel=1e-12)
    assert effect.standard_error == pytest.approx(oracles.jackknife_error(values), rel=1e-10)


def test_rows_of_weight_zero_are_absent():
    y, p = oracles.sample(9, 10, 3)
    w = np.array([1.0, 0.0] * 5)
    for skce in (SKCE(Laplacian(0.3)), SKCE(Laplacian(0.3), unbiased=False)):
        left_aside = skce_interval(Predictions(y, p, sample_weight=w), skce)
        absent = skce_interval(Predictions(y[::2], p[::2]), skce)
        assert left_aside.estimate == pytest.approx(absent.estimate, rel=1e-13)
        assert left_aside.standard_error == pytest.approx(absent.standard_error, rel=1e-12)


def test_scale_of_the_weights_means_nothing():
    y, p = oracles.sample(10, 10, 3)
    w = np.random.default_rng(0).random(10)
    one = skce_interval(Predictions(y, p, sample_weight=w), SKCE())
    other = skce_interval(Predictions(y, p, sample_weight=1000 * w), SKCE())
    assert other.standard_error == pytest.approx(one.standard_error, rel=1e-12)


def test_threads_and_tiles_change_nothing():
    predictions = Predictions(*oracles.sample(11, 300, 4))
    one = skce_interval(predictions, SKCE(), parallel=Parallel(n_jobs=1))
    two = skce_interval(predictions, SKCE(), parallel=Parallel(n_jobs=2, tile=32))
    assert two.standard_error == pytest.approx(one.standard_error, rel=1e-12)


@pytest.mark.parametrize("skce", [SKCE(), SKCE(unbiased=False), SKCE(block_size=2)], ids=repr)
@pytest.mark.parametrize("name", oracles.DEGENERATE)
def test_degenerate_data_give_an_answer_with_a_reason(name, skce):
    effect = skce_interval(oracles.DEGENERATE[name], skce)
    assert effect.interval.is_known != bool(effect.note)
    assert effect.interval.is_known == math.isfinite(effect.standard_error)


def test_reasons_say_what_is_missing():
    def note(name, skce):
        return skce_interval(oracles.DEGENERATE[name], skce).note

    assert "at least three rows with positive weight; got 2" in note("two rows", SKCE())
    assert "blocks of 2 rows need at least 2 rows; got 1" in note("one row", SKCE(block_size=2))
    assert "at least two blocks that count; got 1" in note("two rows", SKCE(block_size=2))
    assert "no variation" in note("certain and right", SKCE())
    assert "nearly all the weight" in note("nearly all weight on one row", SKCE())


def test_interval_covers_the_error_of_a_miscalibrated_model():
    # Binary, three distinct predictions, truth at temperature 3: the true SKCE is the finite sum
    # Σ_ab π_a π_b k(p_a, p_b)⟨q_a − p_a, q_b − p_b⟩. 400 data sets of 150 rows: the Monte-Carlo
    # standard error at .95 is .011; seen coverage is .92 to .98, so [.89, 1].
    points = np.array([[0.02, 0.98], [0.6, 0.4], [0.9, 0.1]])
    truth, kernel = temperature_scale(points, 3.0), Laplacian(0.5)
    r = truth - points
    true = float(np.mean(kernel(points, points) * (r @ r.T)))
    rng = np.random.default_rng(0)
    covered = {SKCE(kernel): 0, SKCE(kernel, unbiased=False): 0}
    for _ in range(400):
        a = rng.integers(3, size=150)
        y = (rng.random(150) < truth[a, 1]).astype(int)
        for skce in covered:
            covered[skce] += true in skce_interval(Predictions(y, points[a]), skce).interval
    assert min(covered.values()) >= 0.89 * 400


def test_interval_of_a_calibrated_model_reaches_zero():
    # conservative at 0: at least 95 % less three Monte-Carlo errors of 200 runs, .015 each
    model, hits = TemperatureModel(0.5, 3), 0
    for seed in range(200):
        y, p = model.sample(60, rng=seed)
        hits += 0.0 in skce_interval(Predictions(y, p), SKCE(Laplacian(0.5))).interval
    assert hits / 200 >= 0.95 - 3 * 0.015


@pytest.mark.parametrize("weighted", [False, True])
def test_the_error_of_a_known_estimate_of_many_rows_is_close_to_the_exact_one(limit, weighted):
    y_true, y_prob = TemperatureModel(0.3, 5, temperature=1.5).sample(3000, rng=0)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, 3000) if weighted else None
    rows, skce = Predictions(y_true, y_prob, sample_weight=weight), SKCE(Laplacian(0.3))
    known = skce.estimate(rows)
    exact = estimate_interval(skce, rows, Parallel(1), known=known)
    limit(pair_rows=2999)
    found = estimate_interval(skce, rows, Parallel(1), known=known)
    assert found.estimate == pytest.approx(known, rel=1e-9)
    assert found.standard_error != exact.standard_error
    assert found.standard_error == pytest.approx(exact.standard_error, rel=0.15)
    euclidean = SKCE(Laplacian(0.3, metric="euclidean"))
    known = euclidean.estimate(rows)
    found = estimate_interval(euclidean, rows, Parallel(1), known=known)
    assert found.estimate == pytest.approx(known, rel=1e-9)
