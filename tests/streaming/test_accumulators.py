"""A pass in parts equals a pass over all rows, in any order and with any merging."""

import copy
import pickle

import numpy as np
import pytest

from calibrant import ECE, MCE, SKCE, Predictions
from calibrant.binning import Quantile, Uniform
from calibrant.effects import accuracy, brier, direction, log_loss
from calibrant.estimators._feature_skce import feature_row_sums
from calibrant.kernels import Gaussian, Laplacian
from calibrant.streaming import (
    StreamingBlockSKCE,
    StreamingClasswiseECE,
    StreamingECE,
    StreamingScores,
    StreamingSKCE,
)

BLOCKS = SKCE(Laplacian(0.3), block_size=3)
KINDS = {
    "ece": StreamingECE,
    "mce": lambda: StreamingECE(MCE(Uniform(4))),
    "classwise": StreamingClasswiseECE,
    "scores": StreamingScores,
    "features": lambda: StreamingSKCE(0.4, n_frequencies=32),
    "blocks": lambda: StreamingBlockSKCE(BLOCKS),
}
SYMMETRIC = [name for name in KINDS if name != "blocks"]
each_kind = pytest.mark.parametrize("kind", KINDS)
symmetric_kinds = pytest.mark.parametrize("kind", SYMMETRIC)


def rows(n, m=4, weighted=False, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(m, 0.7), n)
    weight = rng.random(n) if weighted else None
    return Predictions(rng.integers(m, size=n), p, sample_weight=weight)


@pytest.fixture(params=[False, True], ids=["plain", "weighted"])
def data(request):
    return rows(500, weighted=request.param)


def numbers(accumulator):
    result = accumulator.result()
    if isinstance(result, float):
        return [result]
    effects = [result.accuracy, result.brier, result.log_loss]
    return [
        *(number for e in effects for number in (e.estimate, e.interval.low, e.interval.high)),
        result.brier_direction.z,
        result.log_direction.z,
    ]


def whole(kind, data):
    accumulator = KINDS[kind]()
    accumulator.update(data)
    return numbers(accumulator)


@pytest.mark.slow
@each_kind
@pytest.mark.parametrize("size", [1, 7, 499, 500])
def test_parts_of_any_size_give_the_same(kind, size, data):
    accumulator = KINDS[kind]()
    for start in range(0, 500, size):
        accumulator.update(data.take(slice(start, start + size)))
    assert accumulator.n_samples == 500
    np.testing.assert_allclose(numbers(accumulator), whole(kind, data), rtol=1e-9)


@symmetric_kinds
def test_merging_is_adding_in_any_order(kind, data):
    parts = []
    for start in (300, 0, 100):
        accumulator = KINDS[kind]()
        accumulator.update(data.take(slice(start, {300: 500, 0: 100, 100: 300}[start])))
        parts.append(accumulator)
    empty = KINDS[kind]()
    for part in parts:
        empty.merge(part)
    empty.merge(KINDS[kind]())  # nothing more
    assert empty.n_samples == 500
    np.testing.assert_allclose(numbers(empty), whole(kind, data), rtol=1e-9)


@symmetric_kinds
def test_the_order_of_the_rows_does_not_matter(kind, data):
    order = np.random.default_rng(1).permutation(500)
    np.testing.assert_allclose(whole(kind, data.take(order)), whole(kind, data), rtol=1e-9)


@each_kind
def test_merging_leaves_the_other_one_alone(kind, data):
    one, other = KINDS[kind](), KINDS[kind]()
    one.update(data.take(slice(0, 90)))
    other.update(data.take(slice(90, 200)))
    before = numbers(copy.deepcopy(other))
    one.merge(other)
    one.update(data.take(slice(200, 400)))
    assert numbers(other) == before


@each_kind
def test_accumulators_travel_by_pickle(kind, data):
    accumulator = KINDS[kind]()
    accumulator.update(data)
    there = pickle.loads(pickle.dumps(accumulator))
    there.update(data)
    accumulator.update(data)
    assert numbers(there) == numbers(accumulator)


@each_kind
def test_nothing_has_no_result(kind):
    with pytest.raises(ValueError, match="there is no result before the first"):
        KINDS[kind]().result()


@each_kind
def test_other_classes_are_refused(kind, data):
    accumulator = KINDS[kind]()
    accumulator.update(data)
    with pytest.raises(ValueError, match="all parts must have the same classes; got"):
        accumulator.update(rows(20, m=3))
    other = KINDS[kind]()
    other.update(rows(20, m=3))
    with pytest.raises(ValueError, match="all parts must have the same classes; got"):
        accumulator.merge(other)


def test_only_equal_configurations_add_up():
    with pytest.raises(ValueError, match="the same kind and configuration"):
        StreamingSKCE(0.4).merge(StreamingSKCE(0.4, seed=1))
    with pytest.raises(ValueError, match="the same kind and configuration"):
        StreamingECE(ECE()).merge(StreamingECE(ECE(Uniform(3))))
    with pytest.raises(ValueError, match="the same kind and configuration"):
        StreamingScores().merge(StreamingClasswiseECE())


@pytest.mark.parametrize("estimator", [ECE(), ECE(Uniform(15), norm=2), MCE(Uniform(3))])
@pytest.mark.parametrize("m", [2, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_binned_errors_are_those_of_all_rows(estimator, m, weighted, core):
    data = rows(300, m, weighted)
    accumulator = StreamingECE(estimator)
    for start in range(0, 300, 100):
        accumulator.update(data.take(slice(start, start + 100)))
    np.testing.assert_allclose(accumulator.result(), estimator(data), rtol=1e-12)


def test_rows_without_weight_say_nothing():
    data = Predictions([0, 1, 1], [0.1, 0.5, 0.9], sample_weight=[1.0, 0.0, 1.0])
    accumulator = StreamingECE(ECE(Uniform(4)))
    accumulator.update(data)
    assert accumulator.result() == ECE(Uniform(4))(data)


def test_the_classwise_error_is_the_mean_over_one_vs_rest(data):
    accumulator = StreamingClasswiseECE(10)
    accumulator.update(data)
    expected = [ECE(Uniform(10))(data.one_vs_rest(c)) for c in range(4)]
    np.testing.assert_allclose(accumulator.by_class(), expected, rtol=1e-12)
    assert accumulator.result() == pytest.approx(np.mean(expected), rel=1e-12)


def test_scores_are_the_effects_of_all_rows(data):
    accumulator = StreamingScores()
    accumulator.update(data)
    found = accumulator.result()
    for ours, effect in (
        (found.accuracy, accuracy),
        (found.brier, brier),
        (found.log_loss, log_loss),
    ):
        theirs = effect(data)
        assert ours.estimate == pytest.approx(theirs.estimate, rel=1e-12)
        assert ours.standard_error == pytest.approx(theirs.standard_error, rel=1e-9)
        assert ours.interval.low == pytest.approx(theirs.interval.low, rel=1e-9)
        assert ours.meaning == theirs.meaning
    assert found.brier_direction.z == pytest.approx(direction(data).z, rel=1e-12)

    def floored(p):
        return np.log(np.maximum(p, 1e-3))

    assert found.log_direction.z == pytest.approx(direction(data, floored).z, rel=1e-12)


def test_an_impossible_label_costs_infinitely_much():
    accumulator = StreamingScores()
    accumulator.update([0, 1], [0.5, 0.5])
    accumulator.update([1, 0], [0.0, 0.5])
    loss = accumulator.result().log_loss
    assert loss.estimate == np.inf
    assert loss.note == "1 labels had predicted probability 0"
    assert accumulator.impossible == 1


def test_equal_scores_have_no_interval():
    accumulator = StreamingScores()
    accumulator.update([0, 1, 1], [0.5, 0.5, 0.5])
    assert not accumulator.result().brier.interval.is_known


def test_features_give_the_sum_over_rows(data):
    accumulator = StreamingSKCE(0.4)
    accumulator.update(data)
    w = data.weights
    expected = feature_row_sums(data, 0.4, 0).sum() / (w.sum() ** 2 - np.sum(w * w))
    assert accumulator.result() == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("size", [2, 3, 20])
@pytest.mark.parametrize("kernel", [Laplacian(0.3), Gaussian(0.4)])
def test_blocks_are_those_of_all_rows(size, kernel, data):
    skce = SKCE(kernel, block_size=size)
    accumulator = StreamingBlockSKCE(skce)
    for start in range(0, 500, 41):
        accumulator.update(data.take(slice(start, start + 41)))
    assert accumulator.result() == pytest.approx(skce(data), rel=1e-10)


def test_the_standard_error_is_that_of_the_blocks():
    data = rows(400)
    skce = SKCE(Laplacian(0.3), block_size=2)
    accumulator = StreamingBlockSKCE(skce)
    accumulator.update(data)
    estimates = skce.block_estimates(data)
    expected = estimates.std(ddof=1) / np.sqrt(len(estimates))
    assert accumulator.standard_error() == pytest.approx(expected, rel=1e-9)
    alone = StreamingBlockSKCE(skce)
    alone.update(data.take(slice(0, 3)))
    assert np.isnan(alone.standard_error())


def test_waiting_rows_of_both_make_up_blocks():
    data = rows(8)
    one, other = StreamingBlockSKCE(BLOCKS), StreamingBlockSKCE(BLOCKS)
    one.update(data.take(slice(0, 4)))
    other.update(data.take(slice(4, 8)))
    one.merge(other)
    regrouped = data.take([0, 1, 2, 4, 5, 6, 3, 7])
    assert one.result() == pytest.approx(BLOCKS(regrouped), rel=1e-12)
    one.update(data.take(slice(0, 1)))  # the third of 3 and 7
    assert one.result() == pytest.approx(BLOCKS(data.take([0, 1, 2, 4, 5, 6, 3, 7, 0])), rel=1e-12)


def test_configurations_that_need_all_rows_are_refused():
    with pytest.raises(ValueError, match=r"uniform bins, .* got ECE\(binning=Quantile"):
        StreamingECE(ECE(Quantile(10)))
    with pytest.raises(ValueError, match=r"must be an SKCE with blocks"):
        StreamingBlockSKCE(SKCE(Laplacian(0.3)))
    with pytest.raises(ValueError, match=r"must have a bandwidth that is a number"):
        StreamingBlockSKCE(SKCE(block_size=2))
    for bandwidth in (0.0, -1.0, np.inf, np.nan):
        with pytest.raises(ValueError, match="`bandwidth` must be a positive number; got"):
            StreamingSKCE(bandwidth)
    one = StreamingSKCE(0.4)
    one.update([1], [0.5])
    with pytest.raises(ValueError, match="needs at least 2 rows with positive weight"):
        one.result()


@each_kind
def test_sums_are_all_that_an_accumulator_saw(kind, data):
    first, second, third = (KINDS[kind]() for _ in range(3))
    first.update(data.take(slice(0, 200)))  # leaves two rows without a block
    second.add_sums(first.sums())
    second.update(data.take(slice(200, 500)))
    third.merge(second)
    assert third.n_samples == second.n_samples == 500
    np.testing.assert_allclose(numbers(third), whole(kind, data), rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("estimator", [SKCE(), ECE(Quantile(5)), 3], ids=repr)
def test_bins_must_be_known_before_the_rows(estimator):
    with pytest.raises(ValueError, match="must be an ECE or MCE with uniform bins"):
        StreamingECE(estimator)
