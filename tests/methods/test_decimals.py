"""Decimals of a file are found, and what rounding moves is left out of the default test."""

import numpy as np
import pytest

import calibrant as cal
from calibrant import SKCE, Predictions
from calibrant._engine import LOG_FLOOR
from calibrant._execution._parallel import Parallel
from calibrant.kernels import Laplacian, median_bandwidth
from calibrant.methods import Aggregated, Setting
from calibrant.methods._components import Components, choose_components
from calibrant.methods._decimals import find_decimals, rounding_error
from calibrant.methods._scales import classwise_drifts, kernel_drifts
from calibrant.models import M1


def rounded(n=500, m=10, decimals=None, seed=0, alpha=0.1):
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet(np.full(m, alpha), n)
    file = truth if decimals is None else np.round(truth, decimals)
    file = file / file.sum(axis=1, keepdims=True)
    return truth, file, rng


@pytest.mark.parametrize("m", [2, 3, 10])
@pytest.mark.parametrize("decimals", [1, 2, 3, 4])
def test_decimals_are_found_after_rows_were_divided_by_their_sums(m, decimals):
    _, file, _ = rounded(100, m, decimals, alpha=1.0)
    assert find_decimals(file) == decimals


@pytest.mark.parametrize("m", [2, 3, 10, 100])
def test_unrounded_probabilities_have_no_decimals(m):
    assert find_decimals(rounded(100, m)[1]) is None
    assert find_decimals(rounded(100, m)[1].astype(np.float32).astype(float)) is None


@pytest.mark.parametrize("decimals", [2, 3])
def test_errors_of_rounding_are_right_on_average(decimals):
    # Beta(.1, .9) margins have the assumed density near 0; 40 000 numbers, error of the mean 2 %
    truth, file, _ = rounded(4000, 10, decimals)
    error = rounding_error(file, decimals)
    np.testing.assert_allclose(error.sum(axis=1), 0.0, atol=1e-15)
    zeros = file < 0.5 * 10.0**-decimals
    assert error[zeros].mean() == pytest.approx((truth - file)[zeros].mean(), rel=0.1)


def test_few_decimals_of_many_rows_leave_out_the_log_score():
    _, file, rng = rounded(10_000, 10, 2)
    predictions = Predictions(rng.integers(10, size=10_000), file)
    chosen = choose_components(predictions, log_score=True)
    assert chosen.decimals == 2
    assert chosen.log_floor is None or chosen.log_floor > LOG_FLOOR
    assert "the probabilities have 2 decimals" in chosen.note
    assert choose_components(predictions.take(slice(20)), log_score=True) == Components()


def test_the_choice_does_not_look_at_labels():
    _, file, rng = rounded(5000, 5, 2)
    one, other = (Predictions(rng.integers(5, size=5000), file) for _ in range(2))
    assert choose_components(one, True) == choose_components(other, True)


def test_files_with_all_digits_use_every_component():
    predictions = Predictions(np.zeros(500, int), rounded()[1])
    assert choose_components(predictions, True) == Components()
    assert choose_components(predictions, False) == Components(log_floor=None)


@pytest.mark.slow
def test_two_decimals_keep_the_level():
    # 40 calibrated models of 10 000 rows; more than 7 rejections of 40 have probability .003
    rejected = 0
    for seed in range(40):
        truth, file, rng = rounded(10_000, 10, 2, seed)
        y = (truth.cumsum(axis=1)[:, :-1] <= rng.random(10_000)[:, None]).sum(axis=1)
        evidence = Aggregated(19).test(Predictions(y, file), SKCE(), Setting(rng, Parallel(2)))
        rejected += evidence.pvalue <= 0.05
        assert "rounding_note" in evidence.details
    assert rejected <= 7


def test_shares_of_votes_are_not_taken_for_rounded():
    rng = np.random.default_rng(0)
    truth = rng.dirichlet(np.full(5, 0.5), 200)
    votes = np.stack([rng.multinomial(100, q) for q in truth]) / 100
    assert find_decimals(votes) is None
    assert find_decimals(np.round(truth, 2)) == 2
    divided = np.round(truth, 2)
    assert find_decimals(divided / divided.sum(axis=1, keepdims=True)) == 2


def literal_drift(p, error, kernel, spread):
    off = kernel * (1.0 - np.eye(len(p)))
    return np.sum(off * (error @ error.T)) / np.sqrt(2.0 * np.sum(off**2 * spread))


def test_drifts_of_the_pair_families_are_the_literal_ones():
    rng = np.random.default_rng(0)
    p = np.round(rng.dirichlet(np.full(4, 0.3), 60), 2)
    p /= p.sum(axis=1, keepdims=True)
    rows, error = Predictions(np.zeros(60, int), p), rounding_error(p, 2)
    variance = [np.diag(row) - np.outer(row, row) for row in p]
    spread = np.array([[np.trace(a @ b) for b in variance] for a in variance])
    median = median_bandwidth(p)
    found = kernel_drifts(rows, error)
    for fraction, drift in found.items():
        kernel = Laplacian(fraction * median)(p, p)
        assert drift == pytest.approx(literal_drift(p, error, kernel, spread), rel=1e-9)
    assert list(found) == [1 / 16, 1 / 4, 1 / 2, 1.0]
    for width, drift in classwise_drifts(rows.distributions, rows.weights, error).items():
        kernels = [np.exp(-np.abs(np.subtract.outer(x, x)) / width) for x in p.T]
        off = 1.0 - np.eye(60)
        total = sum(e @ (off * k) @ e for k, e in zip(kernels, error.T, strict=True))
        v = (p * (1 - p)).T
        noise = 2.0 * sum(x @ (k * k) @ x for k, x in zip(kernels, v, strict=True))
        assert drift == pytest.approx(total / np.sqrt(noise), rel=0.02)  # cells of a thousandth


@pytest.mark.slow
def test_bandwidths_that_rounding_moves_are_left_out():
    y, p = M1(10, 0.1).sample(40_000, rng=0)
    file = np.round(np.asarray(p), 2)
    few = Predictions(y, file / file.sum(axis=1, keepdims=True))
    components = choose_components(few, log_score=True)
    assert 0.05 not in components.widths
    assert 1.0 in components.fractions
    assert "small bandwidths" in components.note
    result = cal.calibration_test(few, method=Aggregated(19), rng=0, effects=False)
    assert "class-wise, width 0.05" not in result.details["approximate_tails"]
    full = choose_components(Predictions(y, p), log_score=True)
    assert full.widths == (0.05, 0.25, 1.0)
