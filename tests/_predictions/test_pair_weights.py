"""One huge weight among tiny ones: every number that is divided by Σ_{i≠j} w_i w_j."""

import itertools
import math

import numpy as np
import pytest

import calibrant as cal
from calibrant import SKCE, Predictions
from calibrant._predictions import (
    effective_count,
    join_weight_sums,
    pair_weights,
    sums_of_others,
    weight_sums,
)
from calibrant.effects import null_variance, skce_interval
from calibrant.kernels import Laplacian
from calibrant.streaming import StreamingSKCE

HUGE = np.array([1e12, *[1e-6] * 5])
P = np.random.default_rng(0).dirichlet(np.ones(3), 6)
Y = np.array([0, 1, 2, 0, 1, 2])
KERNEL = Laplacian(0.5)


def exact(weights):
    return math.fsum(a * b for a, b in itertools.permutations(weights.tolist(), 2))


@pytest.mark.parametrize("weights", [np.ones(7), HUGE, HUGE[::-1], np.array([2.0]), np.zeros(3)])
def test_pair_weights_are_the_literal_sum(weights):
    assert float(pair_weights(weights)) == pytest.approx(exact(weights), rel=1e-15)
    others = [math.fsum(np.delete(weights, i)) for i in range(len(weights))]
    np.testing.assert_allclose(sums_of_others(weights), others, rtol=1e-15)


def test_sums_of_parts_join_to_those_of_all_rows():
    joined = join_weight_sums(weight_sums(HUGE[:2]), weight_sums(HUGE[2:]))
    np.testing.assert_allclose(joined, weight_sums(HUGE), rtol=1e-15)
    assert joined[3] == pytest.approx(exact(HUGE), rel=1e-15)


def test_predictions_know_the_weight_of_their_pairs():
    assert Predictions(Y, P).pair_weight == 30.0
    assert Predictions(Y, P, sample_weight=HUGE).pair_weight == pytest.approx(exact(HUGE))


@pytest.mark.parametrize("method", [cal.methods.Aggregated(19), cal.methods.Moments()], ids=repr)
def test_tests_stand_one_huge_weight(method):
    result = cal.calibration_test(Y, P, sample_weight=HUGE, method=method, rng=0)
    assert result.estimate == pytest.approx(SKCE()(Y, P, sample_weight=HUGE), rel=1e-9)
    if result.noise_floor is not None:
        assert math.isfinite(result.noise_floor.sd)


def test_blocks_stand_one_huge_weight():
    blocks = SKCE(KERNEL, block_size=3)
    predictions = Predictions(Y, P, sample_weight=HUGE)
    expected = blocks.estimate(predictions)
    assert skce_interval(predictions, blocks).estimate == pytest.approx(expected, rel=1e-12)
    result = cal.calibration_test(
        predictions, estimator=blocks, method=cal.methods.AsymptoticBlock()
    )
    assert result.estimate == pytest.approx(expected, rel=1e-12)


def test_the_variance_of_a_calibrated_model_stands_one_huge_weight():
    predictions = Predictions(Y, P, sample_weight=HUGE)
    kernel, covariance = KERNEL(P, P), [np.diag(p) - np.outer(p, p) for p in P]
    parts = (
        (HUGE[i] * HUGE[j] * kernel[i, j]) ** 2 * np.trace(covariance[i] @ covariance[j])
        for i, j in itertools.permutations(range(6), 2)
    )
    expected = 2.0 * math.fsum(parts) / exact(HUGE) ** 2
    assert null_variance(predictions, KERNEL) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_the_number_of_equal_weights_has_no_unit(scale):
    assert effective_count(scale * np.array([1.0, 1.0, 2.0])) == pytest.approx(16 / 6)


def test_accumulators_stand_one_huge_weight():
    error = StreamingSKCE(0.5, n_frequencies=20_000)
    for part in (slice(0, 1), slice(1, 4), slice(4, 6)):
        error.update(Y[part], P[part], sample_weight=HUGE[part])
    assert math.isfinite(error.result())


def test_tensors_and_losses_stand_one_huge_weight():
    torch = pytest.importorskip("torch")
    from calibrant.torch import SKCELoss

    assert float(pair_weights(torch.tensor(HUGE.copy()))) == pytest.approx(exact(HUGE))
    loss = SKCELoss(KERNEL, inputs="probabilities", block_size=3)
    assert math.isfinite(loss(*map(torch.tensor, (P, Y, HUGE))).item())
