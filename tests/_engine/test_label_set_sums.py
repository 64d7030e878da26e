"""Sums over the rows of many label sets against plain loops, on both cores."""

import numpy as np
import pytest
from tests.samples import make_label_sets

from calibrant import _native
from calibrant._engine._label_set_sums import (
    cell_sums,
    class_score_sums,
    feature_sums,
    few_class_sums,
    line_sums,
    score_sums,
)
from calibrant._engine._label_sets import LabelSets

#: two classes; three; more than a byte holds
CLASSES = (2, 3, 300)
#: fewer label sets than a batch of the native core, one batch, and a bit more
COUNTS = (1, 5, 64, 65)


def make(m, count, n=13, seed=0):
    return make_label_sets(m, count, n, seed)


@pytest.mark.parametrize("m", CLASSES)
@pytest.mark.parametrize("count", COUNTS)
def test_line_sums_are_the_sums_over_pairs(core, m, count):
    P, w, labels = make(m, count)
    c, rate = m - 1, 3.0
    x = P[:, c].copy()
    x[3] = x[7]  # a tie
    hit, miss = w * (1 - x), -w * x
    found = line_sums(x, hit, miss, c, rate, LabelSets.of(labels, m))
    assert found.shape == (count,)
    expected = []
    for y in labels:
        r = [hit[i] if y[i] == c else miss[i] for i in range(len(x))]
        pairs = [(i, j) for i in range(len(x)) for j in range(i)]
        expected.append(sum(np.exp(-rate * abs(x[i] - x[j])) * r[i] * r[j] for i, j in pairs))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("m", CLASSES)
@pytest.mark.parametrize("count", COUNTS)
def test_score_sums_pick_the_score_of_the_label(core, m, count):
    _, _, labels = make(m, count)
    scores = np.random.default_rng(1).normal(size=(13, m))
    expected = [sum(scores[i, y[i]] for i in range(13)) for y in labels]
    found = score_sums(scores, LabelSets.of(labels, m))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("m", CLASSES)
@pytest.mark.parametrize("count", COUNTS)
def test_class_score_sums_pick_the_score_of_the_label_in_every_class(core, m, count):
    _, _, labels = make(m, count)
    scores = np.random.default_rng(1).normal(size=(13, m))
    expected = np.zeros((count, m))
    for b, y in enumerate(labels):
        for i in range(13):
            expected[b, y[i]] += scores[i, y[i]]
    found = class_score_sums(scores, LabelSets.of(labels, m))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("m", CLASSES)
@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(("n", "size"), [(13, 10), (13, 64), (140, 139)])
def test_feature_sums_add_the_features_of_every_class(core, m, count, n, size):
    _, _, labels = make(m, count, n)
    features = np.random.default_rng(1).normal(size=(n, size))
    out = np.ones((count, m, size))
    feature_sums(features, LabelSets.of(labels, m), out)
    expected = np.ones((count, m, size))
    for b, y in enumerate(labels):
        for i in range(n):
            expected[b, y[i]] += features[i]
    np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("m", [2, 3, 5])
@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(("n", "size"), [(1, 1), (6, 16), (13, 10), (200, 37)])
def test_few_class_sums_add_the_features_of_every_class_but_the_first(core, m, count, n, size):
    _, _, labels = make(m, count, n)
    features = np.random.default_rng(1).normal(size=(m - 1, n, size))
    out = np.ones((count, m - 1, size))
    few_class_sums(features, LabelSets.of(labels, m), out)
    expected = np.ones((count, m - 1, size))
    for b, y in enumerate(labels):
        for i in range(n):
            if y[i] > 0:
                expected[b, y[i] - 1] += features[y[i] - 1, i]
    np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("m", CLASSES)
def test_features_in_slices_have_the_sums_of_all_together(core, m):
    _, _, labels = make(m, 5, 140)
    features = np.random.default_rng(1).normal(size=(3, 140, 70))
    together, sliced = np.ones((5, m, 210)), np.ones((5, 3, m, 70))
    feature_sums(np.concatenate(list(features), axis=1), LabelSets.of(labels, m), together)
    feature_sums(features, LabelSets.of(labels, m), sliced)
    expected = together.reshape(5, m, 3, 70).swapaxes(1, 2)
    np.testing.assert_allclose(sliced, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("m", CLASSES)
@pytest.mark.parametrize("count", COUNTS)
def test_cells_of_a_row_may_be_those_of_all_classes(core, m, count):
    _, w, labels = make(m, count)
    cells = np.random.default_rng(1).integers(16, size=(13, 1)).astype(np.uint16)
    one, all_alike = np.ones((2, count, m, 16))
    cell_sums(cells, w, LabelSets.of(labels, m), one)
    alike = np.ascontiguousarray(np.broadcast_to(cells, (13, m)))
    cell_sums(alike, w, LabelSets.of(labels, m), all_alike)
    np.testing.assert_array_equal(one, all_alike)
    assert one.sum() == pytest.approx(one.size + count * w.sum())


@pytest.mark.parametrize("m", CLASSES)
@pytest.mark.parametrize("count", COUNTS)
def test_cell_sums_add_the_weights_of_every_class_and_cell(core, m, count):
    P, w, labels = make(m, count)
    cells = np.minimum(P * 16, 15).astype(np.uint16)
    out = np.ones((count, m, 16))
    cell_sums(cells, w, LabelSets.of(labels, m), out)
    expected = np.ones((count, m, 16))
    for b, y in enumerate(labels):
        for i in range(13):
            expected[b, y[i], cells[i, y[i]]] += w[i]
    np.testing.assert_allclose(out, expected, rtol=1e-12)


def test_labels_too_many_for_the_native_core_fall_back_to_numpy():
    m = 70_000
    labels = np.array([[0, m - 1, 5], [m - 1, m - 1, 2]])
    scores = np.zeros((3, m))
    scores[:, m - 1] = [1.0, 2.0, 4.0]
    np.testing.assert_array_equal(score_sums(scores, LabelSets.of(labels, m)), [2.0, 3.0])


@pytest.mark.parametrize("m", CLASSES)
def test_both_cores_agree(native, m):
    P, w, labels = make(m, 70, 150)
    label_sets = LabelSets.of(labels, m)
    found = {}
    for core in ("native", "numpy"):
        with _native.using(core):
            line = line_sums(P[:, 0].copy(), w * (1 - P[:, 0]), -w * P[:, 0], 0, 4.0, label_sets)
            found[core] = line, score_sums(P, label_sets)
    for one, other in zip(found["native"], found["numpy"], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12 * np.abs(other).max())
