import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.binning.each_core import each_core
from tests.oracles import as_sets, uniform_bins

from calibrant import _native
from calibrant._predictions import Predictions
from calibrant.binning import Uniform


def dirichlet(seed, n, m, alpha=0.3):
    return np.random.default_rng(seed).dirichlet(np.full(m, alpha), n)


def binary(values):
    p = np.array(values)
    return np.column_stack([1 - p, p])


@each_core
def test_zero_is_in_the_first_and_one_in_the_last_cell(core):
    with _native.using(core):
        ids = Uniform(10).assign(binary([0.0, 0.05, 0.1, 0.95, 1.0]))
    assert ids.tolist() == [0, 0, 0, 1, 1]


@each_core
def test_cells_are_closed_on_the_right(core):
    with _native.using(core):
        ids = Uniform(4).assign(binary([0.25, np.nextafter(0.25, 1), 0.5, 0.75]))
    assert ids.tolist() == [0, 1, 1, 2]


@each_core
def test_two_columns_are_cut_on_the_last_one_only(core):
    # 1 - 0.7 = 0.30000000000000004 is in the fourth of ten cells, 0.3 in the third.
    P = [[0.7, 0.3], [0.7, 1 - 0.7]]
    with _native.using(core):
        assert Uniform(10).assign(P).tolist() == [0, 1]
        assert Uniform(10).assign([[0.3, 0.7], [1 - 0.7, 0.7]]).tolist() == [0, 0]


@each_core
def test_the_product_is_taken_as_floating_point_gives_it(core):
    # 100 * 0.29 = 28.999999999999996 and 100 * 0.07 = 7.000000000000001.
    with _native.using(core):
        bins = Uniform(100).bins(Predictions([0, 1], [0.29, 0.07]))
    assert bins.upper.tolist() == [0.08, 0.29]


@each_core
def test_two_columns_are_numbered_in_ascending_order(core):
    with _native.using(core):
        assert Uniform(10).assign(binary([0.9, 0.1, 0.5, 0.9])).tolist() == [2, 0, 1, 2]


@each_core
def test_many_columns_are_numbered_by_first_row(core):
    P = [[0.1, 0.1, 0.8], [0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.75, 0.2, 0.05], [0.15, 0.1, 0.75]]
    with _native.using(core):
        assert Uniform(2).assign(P).tolist() == [0, 1, 2, 1, 0]


@each_core
def test_all_classes_are_cut(core):
    # The same top class and confidence, but different second classes.
    with _native.using(core):
        ids = Uniform(3).assign([[0.5, 0.5, 0.0], [0.5, 0.0, 0.5]])
    assert ids.tolist() == [0, 1]


@each_core
def test_cells_with_equal_hashes_are_told_apart(core):
    # With three classes the native hash of cells (a, b, c) is that of (a + 2075490, b + 1845462,
    # c - 131168): a short vector of the lattice of its collisions.
    n = 2**31 - 1
    cells = np.array([[1, 1, 131169], [2075491, 1845463, 1]])
    with _native.using(core):
        assert Uniform(n).assign((cells - 0.5) / n).tolist() == [0, 1]


@each_core
def test_edges_belong_to_the_non_empty_cells_of_two_columns(core):
    with _native.using(core):
        bins = Uniform(4).bins(Predictions([0, 1, 1], [0.9, 0.1, 0.8]))
        assert Uniform(4).bins(Predictions([0], [[0.2, 0.3, 0.5]])).lower is None
    assert bins.lower.tolist() == [0.0, 0.75]
    assert bins.upper.tolist() == [0.25, 1.0]


@pytest.mark.skipif(_native._core is None, reason="the native core is not built")
@pytest.mark.parametrize("m", [1, 2, 3, 4, 5, 7, 10, 130])
@pytest.mark.parametrize("n_bins", [1, 2, 3, 10, 1000, 2**31 - 1])
def test_native_and_numpy_number_alike(m, n_bins):
    P = dirichlet(m, 200, m)
    P[::3] = P[1]
    with _native.using("native"):
        native = Uniform(n_bins).assign(P)
    with _native.using("numpy"):
        twin = Uniform(n_bins).assign(P)
    np.testing.assert_array_equal(native, twin)
    assert native.dtype == twin.dtype == np.int64


@each_core
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**20), n=st.integers(1, 40), m=st.integers(2, 5), k=st.integers(1, 20))
def test_bins_are_those_of_the_definition(core, seed, n, m, k):
    P = np.round(dirichlet(seed, n, m), 2)
    with _native.using(core):
        ids = Uniform(k).assign(P)
    assert set(ids.tolist()) == set(range(ids.max() + 1))
    assert as_sets(ids) == uniform_bins(P, k)


@each_core
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**20), m=st.integers(3, 6))
def test_bins_do_not_depend_on_the_order_of_rows_or_classes(core, seed, m):
    P = dirichlet(seed, 30, m)
    rng = np.random.default_rng(seed)
    rows, classes = rng.permutation(30), rng.permutation(m)
    with _native.using(core):
        moved = Uniform(4).assign(P[rows][:, classes])
        back = np.empty(30, dtype=int)
        back[rows] = moved
        assert as_sets(back) == as_sets(Uniform(4).assign(P))


@each_core
@pytest.mark.parametrize("m", [2, 4])
def test_many_data_sets_are_binned_one_by_one(core, m):
    P = dirichlet(0, 5 * 30, m).reshape(5, 30, m)
    with _native.using(core):
        together = Uniform(3).assign_many(P)
        np.testing.assert_array_equal(together, [Uniform(3).assign(p) for p in P])


@pytest.mark.parametrize("n", [0, -1, 2.5, True, "10", 2**31])
def test_number_of_cells_must_be_a_positive_integer(n):
    with pytest.raises(ValueError, match=r"`n` of Uniform must be an integer in \[1, "):
        Uniform(n)


@pytest.mark.parametrize("y_prob", [[0.5, 0.5], np.empty((0, 2)), np.empty((2, 0))])
def test_predictions_must_be_a_matrix(y_prob):
    with pytest.raises(ValueError, match=r"`y_prob` must have shape \(n_samples, n_classes\)"):
        Uniform(10).assign(y_prob)
