"""Pair sums of many label sets against plain loops over pairs, on both cores."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from tests.samples import make_label_sets as make

from calibrant import _native
from calibrant._engine._forms import BlockForm, RadialForm, TileForm
from calibrant._engine._label_set_pairs import lifted_pair_sums, residual_pair_sums
from calibrant._engine._label_sets import LabelSets
from calibrant._execution._parallel import Parallel

#: two classes; three; as many as the native core takes at a time, and more; beyond a byte
CLASSES = (2, 3, 5, 11, 300)
#: up to one register of sums, several, one batch of the native core, and a bit more
COUNTS = (1, 5, 9, 20, 33, 63, 64, 65, 130)
RATES, SCALE = (0.7, 1.4, 5.6), 1.5


def forms(P, w, metric="cityblock", profile="laplacian", rates=RATES):
    return [RadialForm(P, w[:, None].copy(), metric, profile, rate, SCALE) for rate in rates]


def loops(P, w, labels, values, lift=None):
    """Σ_{i<j} values_ij <v_i, v_j> with v_i = w_i (e_{y_i} − p_i) lift, pair by pair."""
    n, m = P.shape
    out = np.zeros(len(labels))
    for b, y in enumerate(labels):
        v = w[:, None] * (np.eye(m)[y] - P)
        v = v if lift is None else v @ lift
        for i in range(n):
            for j in range(i + 1, n):
                out[b] += values[i, j] * float(v[i] @ v[j])
    return out


def by_hand(P, metric, profile, rate):
    t = rate * cdist(P, P, metric)
    return SCALE * np.exp(-t if profile == "laplacian" else -(t**2))


@pytest.mark.parametrize("m", CLASSES)
@pytest.mark.parametrize(
    ("metric", "profile"),
    [("cityblock", "laplacian"), ("euclidean", "laplacian"), ("euclidean", "gaussian")],
)
def test_residual_pair_sums_are_the_sums_over_pairs(core, m, metric, profile):
    P, w, labels = make(m, 5, 13)
    found = residual_pair_sums(forms(P, w, metric, profile), P, LabelSets.of(labels, m))
    expected = [loops(P, w, labels, by_hand(P, metric, profile, rate)) for rate in RATES]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("n", [1, 2, 7, 16, 33, 50])
def test_odd_numbers_of_rows_and_label_sets(core, n, count):
    P, w, labels = make(3, count, n)
    found = residual_pair_sums(forms(P, w, rates=(2.0,)), P, LabelSets.of(labels, 3))
    assert found.shape == (1, count)
    ids = sorted({0, count // 3, count // 2, count - 1})
    expected = loops(P, w, labels[ids], by_hand(P, "cityblock", "laplacian", 2.0))
    np.testing.assert_allclose(found[0, ids], expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("m", [3, 300])
@pytest.mark.parametrize("count", COUNTS)
def test_both_cores_agree_for_every_label_set(native, m, count):
    P, w, labels = make(m, count, 150)
    found = {}
    for core in ("native", "numpy"):
        with _native.using(core):
            found[core] = residual_pair_sums(forms(P, w), P, LabelSets.of(labels, m))
    scale = np.abs(found["numpy"]).max()
    np.testing.assert_allclose(found["native"], found["numpy"], rtol=1e-12, atol=1e-12 * scale)


@pytest.mark.parametrize("m", [2, 3, 300])
@pytest.mark.parametrize("count", [1, 20, 65])
@pytest.mark.parametrize("tile", [None, 5])
def test_any_kernel_is_evaluated_once_for_all_label_sets(core, m, count, tile):
    P, w, labels = make(m, count, 12)
    calls = []

    def laplacian(p, q):
        calls.append(len(p) * len(q))
        return np.exp(-2.0 * cdist(p, q, "cityblock"))

    v = w[:, None]
    given = [TileForm(P, v, laplacian), RadialForm(P, v, "euclidean", np.cos, 3.0, 0.5)]
    found = residual_pair_sums(given, P, LabelSets.of(labels, m), Parallel(1, tile=tile))
    assert sum(calls) <= 12 * 12
    by_hand = [np.exp(-2.0 * cdist(P, P, "cityblock")), 0.5 * np.cos(3.0 * cdist(P, P))]
    for sums, kernel in zip(found, by_hand, strict=True):
        expected = loops(P, w, labels, kernel)
        np.testing.assert_allclose(sums, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("tile", [1, 3, 8, 40, 1000])
def test_any_tile_gives_the_same_sums(core, tile):
    P, w, labels = make(3, 6, 61)
    label_sets = LabelSets.of(labels, 3)
    whole = residual_pair_sums(forms(P, w), P, label_sets)
    tiled = residual_pair_sums(forms(P, w), P, label_sets, Parallel(1, tile=tile))
    np.testing.assert_allclose(tiled, whole, rtol=1e-12, atol=1e-13)


def test_equal_label_sets_have_equal_bits_wherever_they_are(core):
    # ties between the observed labels and resampled ones must stay ties
    P, w, labels = make(4, 3, 70)
    many = np.tile(labels, (50, 1))
    found = residual_pair_sums(forms(P, w), P, LabelSets.of(many, 4))
    np.testing.assert_array_equal(found, np.tile(found[:, :3], (1, 50)))


def test_the_same_bits_on_threads_and_executors(core):
    P, w, labels = make(3, 20, 90)
    label_sets = LabelSets.of(labels, 3)
    lift = np.random.default_rng(0).normal(size=(3, 2))
    given = forms(P, w)

    def both(parallel):
        pairs = residual_pair_sums(given, P, label_sets, parallel)
        return pairs, lifted_pair_sums(given[0], lift, (P, w), label_sets, parallel)

    one = both(Parallel(1, tile=32))
    context = multiprocessing.get_context("spawn")
    for executor in (None, ThreadPoolExecutor(2), ProcessPoolExecutor(1, mp_context=context)):
        there = both(Parallel(2, executor=executor, tile=32))
        for a, b in zip(there, one, strict=True):
            np.testing.assert_array_equal(a, b)
        if executor is not None:
            executor.shutdown()


@pytest.mark.parametrize("m", [2, 3, 300])
@pytest.mark.parametrize("count", [1, 20, 65])
@pytest.mark.parametrize("tile", [None, 5])
@pytest.mark.parametrize("columns", [1, 4])
def test_lifted_pair_sums_are_the_sums_over_pairs(core, m, count, tile, columns):
    P, w, labels = make(m, count, 12)
    lift = np.random.default_rng(1).normal(size=(m, columns))
    form = RadialForm(P, w[:, None].copy(), "euclidean", "gaussian", 1.4, SCALE)
    label_sets, parallel = LabelSets.of(labels, m), Parallel(1, tile=tile)
    found = lifted_pair_sums(form, lift, (P, w), label_sets, parallel)
    expected = loops(P, w, labels, by_hand(P, "euclidean", "gaussian", 1.4), lift)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("count", [1, 20, 65])
@pytest.mark.parametrize("tile", [None, 5])
def test_a_matrix_valued_kernel_is_evaluated_once_for_all_label_sets(core, count, tile):
    P, w, labels = make(3, count, 12)
    calls = []

    def outer(p, q):
        calls.append(len(p) * len(q))
        return p[:, None, :, None] * q[None, :, None, :]

    label_sets, parallel = LabelSets.of(labels, 3), Parallel(1, tile=tile)
    form = BlockForm(P, P, outer, 0.5)
    found = lifted_pair_sums(form, np.eye(3), (P, w), label_sets, parallel)
    assert sum(calls) <= 12 * 12
    expected = np.zeros(count)
    for b, y in enumerate(labels):
        r = w[:, None] * (np.eye(3)[y] - P)
        for i in range(12):
            for j in range(i + 1, 12):
                expected[b] += 0.5 * float(r[i] @ P[i]) * float(r[j] @ P[j])
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)
