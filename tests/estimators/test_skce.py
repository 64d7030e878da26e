import math
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from tests import oracles
from tests.estimators.kernel_pairs import ANY, THREE

from calibrant import Parallel, Predictions
from calibrant.estimators import SKCE
from calibrant.kernels import FunctionKernel, Gaussian, Laplacian, Mean, Median, median_bandwidth

three_classes = pytest.mark.parametrize(("kernel", "k"), THREE.values(), ids=THREE)
two_classes = pytest.mark.parametrize(("kernel", "k"), ANY.values(), ids=ANY)
weighting = pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
E_1 = math.exp(-1)


def check_all_forms(kernel, k, sample, weighted):
    y, P = sample.y.tolist(), sample.P.tolist()
    w = sample.w.tolist() if weighted else None
    for estimator, expected in [
        (SKCE(kernel), oracles.skce_unbiased(k, P, y, w)),
        (SKCE(kernel, unbiased=False), oracles.skce_biased(k, P, y, w)),
        (SKCE(kernel, block_size=2), oracles.skce_block(k, P, y, 2, w)),
        (SKCE(kernel, block_size=5), oracles.skce_block(k, P, y, 5, w)),
    ]:
        value = estimator(sample.y, sample.P, sample_weight=w)
        assert type(value) is float
        assert value == pytest.approx(expected, rel=1e-12, abs=1e-14), estimator


@weighting
@three_classes
def test_estimates_are_the_sums_of_the_paper(core, ternary, kernel, k, weighted):
    check_all_forms(kernel, k, ternary, weighted)


@weighting
@two_classes
def test_estimates_of_two_classes_are_the_sums_of_the_paper(core, binary, kernel, k, weighted):
    check_all_forms(kernel, k, binary, weighted)


@three_classes
def test_blocks_of_two_are_the_linear_estimator(core, ternary, kernel, k):
    y, P = ternary.y.tolist(), ternary.P.tolist()
    linear = oracles.skce_linear(k, P, y)
    assert SKCE(kernel, block_size=2)(ternary.y, ternary.P) == pytest.approx(linear, rel=1e-12)


@three_classes
@pytest.mark.parametrize("size", [2, 7])
def test_block_estimates_are_those_of_the_blocks(core, ternary, kernel, k, size):
    skce = SKCE(kernel, block_size=size)
    predictions = Predictions(ternary.y, ternary.P)
    blocks = skce.block_estimates(predictions)
    expected = oracles.skce_blocks(k, ternary.P.tolist(), ternary.y.tolist(), size)
    assert len(expected) == 23 // size
    np.testing.assert_allclose(blocks, expected, rtol=1e-12, atol=1e-15)
    assert skce(predictions) == pytest.approx(blocks.mean(), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 3, 15, 16, 17, 33])
@pytest.mark.parametrize("m", [2, 3, 9])
def test_odd_shapes(core, n, m):
    rng = np.random.default_rng(n * m)
    y, P = rng.integers(m, size=n), rng.dirichlet(np.ones(m), n)
    for kernel, k in [ANY["laplacian-tv"], ANY["gaussian"]]:
        expected = oracles.skce_unbiased(k, P.tolist(), y.tolist())
        assert SKCE(kernel)(y, P) == pytest.approx(expected, rel=1e-12, abs=1e-15)
        expected = oracles.skce_biased(k, P.tolist(), y.tolist())
        assert SKCE(kernel, unbiased=False)(y, P) == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_biased_error_of_one_sample_is_the_square_of_its_residual(core):
    value = SKCE(Laplacian(0.3), unbiased=False)([1], [[0.2, 0.5, 0.3]])
    assert value == pytest.approx(0.2**2 + 0.5**2 + 0.3**2, rel=1e-14)


@pytest.mark.parametrize("repeats", [1, 10])
@pytest.mark.parametrize(
    ("labels", "unbiased", "biased"),
    [([0, 1], 0, 0), ([0, 0], 0, 1 / 2), ([1, 0], -2 * E_1, 1 - E_1), ([1, 1], 0, 1 / 2)],
    ids=str,
)
def test_closed_forms_on_two_points(core, labels, unbiased, biased, repeats):
    # CalibrationErrors.jl, test/skce.jl: kernel exp(−‖p−q‖²/2) on the vertices of two classes.
    kernel, P = Gaussian(1.0), np.tile(np.eye(2), (repeats, 1))
    y = np.tile(labels, repeats)
    assert SKCE(kernel, block_size=2)(y, P) == pytest.approx(unbiased, rel=1e-14, abs=1e-16)
    assert SKCE(kernel, unbiased=False)(y, P) == pytest.approx(biased, rel=1e-14, abs=1e-16)
    if repeats == 1:
        assert SKCE(kernel)(y, P) == pytest.approx(unbiased, rel=1e-14, abs=1e-16)


def test_rules_take_the_bandwidth_from_the_predictions(core, ternary):
    y, P, _ = ternary
    h = median_bandwidth(P)
    assert SKCE()(y, P) == SKCE(Laplacian(h))(y, P)
    assert SKCE(Laplacian(Median(diagonal=True)))(y, P) == SKCE(
        Laplacian(median_bandwidth(P, diagonal=True))
    )(y, P)
    mean = Laplacian(Mean(), metric="euclidean").resolve(P)
    assert SKCE(Laplacian(Mean(), metric="euclidean"))(y, P) == SKCE(mean)(y, P)
    assert SKCE(block_size=2)(y, P) == SKCE(Laplacian(h), block_size=2)(y, P)


def test_rows_without_weight_count_for_nothing(core, ternary):
    y, P, _ = ternary
    w = np.r_[np.ones(15), np.zeros(8)]
    for unbiased in (True, False):
        skce = SKCE(Laplacian(0.3), unbiased=unbiased)
        assert skce(y, P, sample_weight=w) == pytest.approx(skce(y[:15], P[:15]), rel=1e-12)
        assert skce(y, P, sample_weight=7.0 * w) == pytest.approx(skce(y[:15], P[:15]), rel=1e-12)


def test_weights_of_very_different_size_keep_their_digits(core):
    # (Σw)² − Σw² would lose all digits of 2·w_1·w_2.
    value = SKCE(Laplacian(0.3))([0, 1], [[0.7, 0.3], [0.7, 0.3]], sample_weight=[1.0, 1e-12])
    assert value == pytest.approx(2 * 0.3 * -0.7, rel=1e-14)


def test_biased_error_that_cancels_is_zero_not_negative(core):
    P, y = np.full((10, 3), [0.1, 0.3, 0.6]), [0, 1, 1, 1, 2, 2, 2, 2, 2, 2]
    assert 0 <= SKCE(Laplacian(0.3), unbiased=False)(y, P) < 1e-16
    assert 0 <= SKCE(Laplacian(0.3), unbiased=False).many([y], [P])[0] < 1e-16


def test_a_function_that_is_no_kernel_shows_itself(core):
    negative = FunctionKernel(lambda p, q: -p @ q.T)
    assert SKCE(negative, unbiased=False)([0, 1], [0.3, 0.8]) < -1e-3


def test_tiny_bandwidths_leave_equal_predictions_only(native):
    P = np.array([[0.2, 0.8, 0.0]] * 2 + [[0.5, 0.5, 0.0]])
    for kernel in (Gaussian(1e-200), Gaussian(1e-3), Laplacian(1e-200), Laplacian(1e-3)):
        value = SKCE(kernel)([0, 1, 2], P)
        assert value == pytest.approx(2 * (-0.2 * 0.8 - 0.8 * 0.2) / 6, rel=1e-14)


def test_executor_and_progress_reach_the_engine(core, ternary):
    calls = []
    predictions = Predictions(ternary.y, ternary.P)
    value = SKCE(Gaussian(0.4)).estimate(
        predictions, Parallel(progress=lambda *done: calls.append(done))
    )
    assert calls == [(1, 1)]
    assert value == SKCE(Gaussian(0.4))(predictions)


def test_too_few_rows_are_refused(core):
    with pytest.raises(ValueError, match="the unbiased SKCE needs at least 2 rows; got 1"):
        SKCE(Laplacian(1.0))([0], [0.5])
    with pytest.raises(ValueError, match="block_size=3 needs at least 3 rows; got 2"):
        SKCE(Laplacian(1.0), block_size=3)([0, 1], [0.5, 0.5])
    with pytest.raises(ValueError, match="the unbiased SKCE needs at least 2 rows with positive"):
        SKCE(Laplacian(1.0))([0, 1], [0.5, 0.5], sample_weight=[1, 0])
    blocks = SKCE(Laplacian(1.0), block_size=2)
    weights = [1, 1, 0, 1]
    assert blocks([0, 1, 0, 1], np.full(4, 0.5), sample_weight=weights) == -0.5
    with pytest.raises(ValueError, match="at least 2 rows with positive weight in a block"):
        blocks.block_estimates(Predictions([0, 1, 0, 1], np.full(4, 0.5), sample_weight=weights))


@pytest.mark.parametrize("size", [0, 1, -2, 2.0, 2.5, "2", True])
def test_wrong_block_sizes_are_refused(size):
    with pytest.raises(ValueError, match="`block_size` must be an integer of 2 or more; got"):
        SKCE(block_size=size)


def test_wrong_configurations_are_refused(ternary):
    with pytest.raises(ValueError, match="block estimators are unbiased"):
        SKCE(block_size=2, unbiased=False)
    with pytest.raises(TypeError, match=r"`kernel` must be a calibrant kernel.*FunctionKernel"):
        SKCE(lambda p, q: 1.0)
    with pytest.raises(ValueError, match="no blocks; pass `block_size`"):
        SKCE().block_estimates(Predictions(ternary.y, ternary.P))
    with pytest.raises(ValueError, match="made for 2 classes; got 3"):
        SKCE(Laplacian(0.3) * np.eye(2))(ternary.y, ternary.P)


def test_estimators_are_frozen_values():
    skce = SKCE(Laplacian(0.3), block_size=4)
    assert skce == SKCE(Laplacian(0.3), block_size=4) != SKCE(Laplacian(0.3))
    assert pickle.loads(pickle.dumps(skce)) == skce
    assert eval(repr(skce), {"SKCE": SKCE, "Laplacian": Laplacian}) == skce
    with pytest.raises(FrozenInstanceError):
        skce.block_size = 2
