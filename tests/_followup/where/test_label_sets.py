"""Sums over label sets against plain loops, and exactness against all label sets."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from tests._followup.where import literal_sums as literal

from calibrant import Predictions, _native, kernels
from calibrant._engine._label_sets import LabelSets
from calibrant._engine._resampling import LabelResampler
from calibrant._execution._parallel import Parallel
from calibrant._followup.where import _label_sets
from calibrant._followup.where._features import PairFeatures, shifted_root
from calibrant._followup.where._groups import Group, Partition
from calibrant._followup.where._label_sets import View, many_class_statistics
from calibrant._followup.where._pvalues import adjusted_pvalues, evidence
from calibrant._followup.where._regions import probability_regions
from calibrant._followup.where._view_sums import label_set_sums

KERNEL = kernels.Laplacian(0.4)


def parted(*groups):
    return Partition("group", "g", tuple(Group(k, np.array(rows)) for k, rows in enumerate(groups)))


def regions(P, n_regions):
    return probability_regions(P.max(axis=1), n_regions, 5)


def view_of(predictions, *partitions, features=None):
    """Return a view, with other features if there are any."""
    view = View.make(predictions, KERNEL, partitions)
    if features is None:
        return view
    expected = _label_sets._all_expected(predictions, features, partitions)
    return replace(view, features=features, expected=expected)


def sums_over(view, seed, n_resamples):
    (sums,) = label_set_sums([view], [LabelResampler(seed)], n_resamples, Parallel(1))
    return sums


def data(ternary, weighted):
    weights = 0.5 + ternary.w if weighted else None
    return Predictions(ternary.y, ternary.P, sample_weight=weights)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("two", [False, True])
def test_sums_equal_plain_loops(ternary, weighted, two, core):
    predictions = data(ternary, weighted)
    predictions = predictions.one_vs_rest(1) if two else predictions
    P, w, m = predictions.y_prob, predictions.weights, predictions.n_classes
    partitions = [regions(P, 2), parted([0, 3, 7, 8, 20], [1, 2, 4, 5])]
    sums = sums_over(view_of(predictions, *partitions), 7, 70)
    K, every = KERNEL(P, P), range(len(P))
    groups = [group.rows for partition in partitions for group in partition.groups]
    labels = [predictions.y_true, *LabelResampler(7).labels(P, range(70))]
    event = np.ones(len(P), int) if two else P.argmax(axis=1)
    close = {"rtol": 1e-9, "atol": 1e-10}
    for b in (0, 1, 63, 64, 70):
        R = np.eye(m)[labels[b]] - P
        for k, c in enumerate([1] if two else range(3)):
            expected = literal.pairs(K, R, w, every, [c])
            np.testing.assert_allclose(sums.class_pairs[k, b], expected, **close)
            expected = literal.frequency(P, R, w, [c] * len(P), every)
            np.testing.assert_allclose(sums.class_frequency[k, b], expected, **close)
            expected = literal.spread(P, R, w, c, every)
            np.testing.assert_allclose(sums.class_confidence[k, b], expected, **close)
        for g, rows in enumerate(groups):
            expected = literal.pairs(K, R, w, rows, range(m))
            np.testing.assert_allclose(sums.group_pairs[g, b], expected, **close)
            expected = literal.frequency(P, R, w, event[rows], rows)
            np.testing.assert_allclose(sums.group_frequency[g, b], expected, **close)
            brier = literal.brier(P, labels[b], w, rows)
            expected = literal.spread(P, R, w, 1, rows) if two else brier
            np.testing.assert_allclose(sums.group_confidence[g, b], expected, **close)
            expected = literal.surprise(P, R, w, rows)
            np.testing.assert_allclose(sums.group_surprise[g, b], expected, **close)


def test_several_views_are_computed_each_by_itself(ternary):
    predictions = data(ternary, weighted=True)
    views = [
        view_of(one, regions(one.y_prob, 2)) for one in (predictions, predictions.one_vs_rest(0))
    ]
    together = label_set_sums(views, [LabelResampler(1)] * len(views), 99, Parallel(2))
    for view, sums in zip(views, together, strict=True):
        alone = sums_over(view, 1, 99)
        for name in _label_sets.LabelSetSums.__dataclass_fields__:
            np.testing.assert_array_equal(getattr(sums, name), getattr(alone, name))


def test_landmark_sums_are_those_of_their_kernel(ternary, limit):
    limit(landmarks=6)
    predictions = data(ternary, weighted=True)
    features = PairFeatures.make(predictions.y_prob, KERNEL, full_rows=5)
    assert features.variant == "landmarks"
    view = view_of(predictions, regions(predictions.y_prob, 1), features=features)
    sums = sums_over(view, 1, 3)
    vectors = features.rows(np.arange(23))
    np.testing.assert_allclose(np.sum(vectors**2, axis=1), features.squares, rtol=1e-12)
    R = predictions.residuals
    expected = literal.pairs(vectors @ vectors.T, R, predictions.weights, range(23), range(3))
    np.testing.assert_allclose(sums.group_pairs[0, 0], expected, rtol=1e-9)
    np.testing.assert_allclose(sums.class_pairs[:, 0].sum(), expected, rtol=1e-9)


def test_rows_in_parts_and_features_computed_again_change_nothing(ternary, limit):
    predictions = data(ternary, weighted=False)

    def run():
        features = PairFeatures.make(predictions.y_prob, KERNEL, full_rows=5)
        groups = regions(predictions.y_prob, 2), parted([5, 1, 9, 11])
        return sums_over(view_of(predictions, *groups, features=features), 1, 20)

    whole = run()
    limit(where_kept=0, chunk_rows=4, where_bytes=1, where_sets=8)
    parts = run()
    for name in _label_sets.LabelSetSums.__dataclass_fields__:
        np.testing.assert_allclose(getattr(parts, name), getattr(whole, name), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("two", [False, True])
def test_one_pass_for_few_classes_has_the_sums_of_label_sets_in_parts(ternary, weighted, two, core):
    predictions = data(ternary, weighted)
    predictions = predictions.one_vs_rest(1) if two else predictions
    view = view_of(predictions, regions(predictions.y_prob, 2), parted([0, 3, 7], [1, 2, 4, 5]))
    few = sums_over(view, 7, 70)
    parts = [many_class_statistics(view, LabelResampler(7), sets, Parallel(1))
             for sets in (range(30), range(30, 71))]  # fmt: skip
    many = _label_sets.LabelSetSums.join(parts)
    for name in _label_sets.LabelSetSums.__dataclass_fields__:
        one, other = getattr(few, name), getattr(many, name)
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-10)


def test_few_classes_have_the_same_bits_on_threads_and_executors(ternary):
    view = view_of(data(ternary, weighted=True), regions(ternary.P, 2), parted([0, 3, 7]))
    runs = [Parallel(1), Parallel(2)]
    with ThreadPoolExecutor(2) as pool:
        found = [
            label_set_sums([view], [LabelResampler(1)], 70, parallel)[0]
            for parallel in (*runs, Parallel(executor=pool))
        ]
    for name in _label_sets.LabelSetSums.__dataclass_fields__:
        for one in found[1:]:
            np.testing.assert_array_equal(getattr(one, name), getattr(found[0], name))


def test_untested_groups_are_zero_and_regions_still_add_up(ternary):
    predictions = data(ternary, weighted=False)
    untested = Partition("group", "g", (Group("a", np.arange(4), tested=False),))
    partition = regions(predictions.y_prob, 2)
    sums = sums_over(view_of(predictions, partition, untested), 1, 9)
    assert not sums.group_pairs[-1].any()
    assert sums.group_pairs[:-1].all()
    small = Partition("region", None, tuple(replace(g, tested=False) for g in partition.groups))
    again = sums_over(view_of(predictions, small), 1, 9)
    np.testing.assert_array_equal(again.class_pairs, sums.class_pairs)


@pytest.mark.parametrize(
    "gram",
    [
        np.exp(-np.abs(np.subtract.outer([0.0, 0, 1, 2], [0.0, 0, 1, 2]))),  # equal rows
        np.array([[1.0, 2.0], [2.0, 1.0]]),  # not positive semi-definite
        np.zeros((3, 3)),
    ],
)
def test_a_shifted_root_keeps_all_pairs(gram):
    root = shifted_root(gram)
    off = ~np.eye(len(gram), dtype=bool)
    np.testing.assert_allclose((root @ root.T)[off], gram[off], rtol=1e-12, atol=1e-14)


def test_certain_predictions_say_nothing():
    P = np.tile([[1.0, 0.0], [0.0, 1.0]], (30, 1))
    weights = np.random.default_rng(0).random(60)  # sums in another order differ by rounding
    predictions = Predictions(np.tile([0, 1], 30), P, sample_weight=weights)
    sums = sums_over(view_of(predictions, regions(P, 1)), 1, 9)
    for name in _label_sets.LabelSetSums.__dataclass_fields__:
        assert not getattr(sums, name).any()


def test_equal_probabilities_have_no_direction():
    predictions = Predictions(np.arange(30) % 10, np.full((30, 10), 0.1))
    sums = sums_over(view_of(predictions, regions(predictions.y_prob, 1)), 1, 9)
    assert not sums.group_confidence.any()
    assert not sums.class_confidence.any()
    assert sums.class_frequency.any()


def test_landmarks_at_all_rows_give_the_kernel(ternary, limit):
    limit(landmarks=23)
    vectors = PairFeatures.make(ternary.P, KERNEL, full_rows=5).rows(np.arange(23))
    np.testing.assert_allclose(vectors @ vectors.T, KERNEL(ternary.P, ternary.P), atol=1e-8)


class Enumerated:
    """All label sets as often as they are likely, for probabilities in quarters."""

    P = np.array([[0.25, 0.75], [0.5, 0.5], [0.75, 0.25], [0.25, 0.75]])
    groups = (np.array([0, 1]), np.array([2, 3]))

    def __init__(self):
        quarters = [[0] * round(4 * p[0]) + [1] * round(4 * p[1]) for p in self.P]
        self.labels = np.array(list(itertools.product(*quarters)))

    def sums(self):
        view = view_of(Predictions(self.labels[0], self.P), parted(*self.groups))
        return _label_sets.sums_of(view, LabelSets.of(self.labels, 2))


def test_statistics_of_all_label_sets_have_their_moments(core):
    every = Enumerated()
    sums = every.sums()
    P, K = every.P, KERNEL(every.P, every.P)
    v = P * (1 - P)
    off = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose(sums.class_pairs.mean(axis=1), 0.0, atol=1e-12)
    np.testing.assert_allclose(sums.group_pairs.mean(axis=1), 0.0, atol=1e-12)
    expected = [2 * np.sum((K**2 * np.outer(v[:, 1], v[:, 1]))[off])]
    np.testing.assert_allclose(np.mean(sums.class_pairs**2, axis=1), expected, rtol=1e-9)
    product = sums.class_frequency * sums.class_confidence
    np.testing.assert_allclose(product.mean(), 0.0, atol=1e-12)
    directions = sums.class_frequency, sums.class_confidence
    for z in (*directions, sums.group_frequency, sums.group_confidence, sums.group_surprise):
        np.testing.assert_allclose(z.mean(axis=1), 0.0, atol=1e-12)
        np.testing.assert_allclose(np.mean(z**2, axis=1), 1.0, rtol=1e-9)


def test_pvalues_over_all_label_sets_are_exact():
    sums = Enumerated().sums()
    statistics = np.concatenate(
        [
            evidence(sums.class_pairs, sums.class_frequency, sums.class_confidence),
            evidence(sums.group_pairs, sums.group_frequency, sums.group_confidence),
        ]
    )
    smallest = []
    for b in range(statistics.shape[1]):
        observed = np.concatenate([statistics[:, b : b + 1], np.delete(statistics, b, 1)], axis=1)
        smallest.append(adjusted_pvalues(observed).min())
    smallest = np.array(smallest)
    for alpha in np.unique(smallest):
        assert np.mean(smallest <= alpha) <= alpha * (1 + 1e-12)


def test_a_calibrated_group_is_safe_beside_a_wrong_one():
    # rows 0 and 1 always have the wrong labels; rows 2 and 3 follow their probabilities
    sums = Enumerated().sums()
    labels = Enumerated().labels
    wrong = np.flatnonzero((labels[:, 0] == 0) & (labels[:, 1] == 1))
    statistics = evidence(sums.group_pairs, sums.group_frequency, sums.group_confidence)
    found = np.array(
        [
            adjusted_pvalues(np.concatenate([statistics[:, b : b + 1], statistics], axis=1))[1]
            for b in wrong
        ]
    )
    for alpha in np.unique(found):
        assert np.mean(found <= alpha) <= alpha * (1 + 1e-12)


def test_cores_agree(ternary, native):
    predictions = data(ternary, weighted=True)
    view = view_of(predictions, regions(predictions.y_prob, 2))

    def run(name):
        with _native.using(name):
            return sums_over(view, 3, 99)

    one, other = run("native"), run("numpy")
    for name in _label_sets.LabelSetSums.__dataclass_fields__:
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-12)
