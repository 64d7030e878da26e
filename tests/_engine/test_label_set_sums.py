"""Statistics of many label sets against plain loops over rows and pairs, on both cores."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from calibrant import _native
from calibrant._engine._forms import RadialForm, TileForm
from calibrant._engine._label_set_sums import (
    cell_sums,
    feature_sums,
    line_sums,
    same_label_sums,
    score_sums,
)
from calibrant._engine._label_sets import LabelSets
from calibrant._execution._parallel import Parallel

#: two classes; three; more than a byte holds
CLASSES = (2, 3, 300)
#: fewer label sets than a batch of the native core, one batch, and a bit more
COUNTS = (1, 5, 64, 65)


def make(m, count, n=13, seed=0):
    rng = np.random.default_rng(seed)
    # with 300 classes few labels would agree: most rows take one of four
    labels = rng.integers(m, size=(count, n))
    few = rng.random((count, n)) < 0.8
    labels[few] = (m - 1 - rng.integers(min(m, 4), size=(count, n)))[few]
    return rng.dirichlet(np.full(m, 0.5), n), rng.random(n) + 0.1, labels


def forms(P, w, metric, profile, rates=(0.7, 1.4, 5.6), scale=1.5):
    return [
        RadialForm(P, np.ascontiguousarray(w[:, None]), metric, profile, rate, scale)
        for rate in rates
    ]


def same_label_loops(P, w, labels, metric, profile, rates, scale):
    d = cdist(P, P, metric)
    out = np.zeros((len(rates), len(labels)))
    for k, rate in enumerate(rates):
        for b, y in enumerate(labels):
            for i in range(len(P)):
                for j in range(i + 1, len(P)):
                    if y[i] == y[j]:
                        t = rate * d[i, j]
                        kernel = np.exp(-t if profile == "laplacian" else -(t**2))
                        out[k, b] += scale * w[i] * w[j] * kernel
    return out


@pytest.mark.parametrize("m", CLASSES)
@pytest.mark.parametrize(
    ("metric", "profile"),
    [("cityblock", "laplacian"), ("euclidean", "laplacian"), ("euclidean", "gaussian")],
)
def test_same_label_sums_are_the_sums_over_agreeing_pairs(core, m, metric, profile):
    P, w, labels = make(m, 5)
    rates, scale = (0.7, 1.4, 5.6), 1.5
    found = same_label_sums(forms(P, w, metric, profile, rates, scale), LabelSets.of(labels, m))
    expected = same_label_loops(P, w, labels, metric, profile, rates, scale)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("m", CLASSES)
@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("tile", [None, 5])
def test_any_kernel_is_computed_once_for_all_label_sets(core, m, count, tile):
    P, w, labels = make(m, count, n=12)
    calls = []

    def laplacian(p, q):
        calls.append(len(p) * len(q))
        return np.exp(-2.0 * cdist(p, q, "cityblock"))

    v = w[:, None]
    given = [TileForm(P, v, laplacian), RadialForm(P, v, "euclidean", np.cos, 3.0, 0.5)]
    found = same_label_sums(given, LabelSets.of(labels, m), Parallel(1, tile=tile))
    assert sum(calls) <= 12 * 12
    by_hand = [np.exp(-2.0 * cdist(P, P, "cityblock")), 0.5 * np.cos(3.0 * cdist(P, P))]
    for sums, kernel in zip(found, by_hand, strict=True):
        above = np.triu(kernel * np.outer(w, w), 1)
        expected = [np.sum(above * (y[:, None] == y)) for y in labels]
        np.testing.assert_allclose(sums, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("n", [1, 2, 7, 16, 33])
def test_same_label_sums_of_odd_shapes(core, n, count):
    P, w, labels = make(3, count, n)
    found = same_label_sums(forms(P, w, "cityblock", "laplacian", (2.0,)), LabelSets.of(labels, 3))
    assert found.shape == (1, count)
    ids = [0, count // 2, count - 1]
    expected = same_label_loops(P, w, labels[ids], "cityblock", "laplacian", (2.0,), 1.5)
    np.testing.assert_allclose(found[:, ids], expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("tile", [1, 3, 8, 40, 1000])
def test_same_label_sums_are_the_same_for_any_tile(core, tile):
    P, w, labels = make(3, 6, 61)
    given, label_sets = forms(P, w, "cityblock", "laplacian"), LabelSets.of(labels, 3)
    whole = same_label_sums(given, label_sets)
    tiled = same_label_sums(given, label_sets, Parallel(1, tile=tile))
    np.testing.assert_allclose(tiled, whole, rtol=1e-12)


def test_the_same_bits_on_threads_and_executors(core):
    P, w, labels = make(3, 20, 90)
    given, label_sets = forms(P, w, "cityblock", "laplacian"), LabelSets.of(labels, 3)
    one = same_label_sums(given, label_sets, Parallel(1, tile=32))
    np.testing.assert_array_equal(same_label_sums(given, label_sets, Parallel(2, tile=32)), one)
    context = multiprocessing.get_context("spawn")
    for executor in (ThreadPoolExecutor(2), ProcessPoolExecutor(1, mp_context=context)):
        with executor:
            there = same_label_sums(given, label_sets, Parallel(executor=executor, tile=32))
        np.testing.assert_array_equal(there, one)


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
            pairs = same_label_sums(forms(P, w, "cityblock", "laplacian"), label_sets)
            line = line_sums(P[:, 0].copy(), w * (1 - P[:, 0]), -w * P[:, 0], 0, 4.0, label_sets)
            found[core] = pairs, line, score_sums(P, label_sets)
    for one, other in zip(found["native"], found["numpy"], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12 * np.abs(other).max())
