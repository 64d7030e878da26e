import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.binning.each_core import each_core
from tests.oracles import as_sets, median_variance_bins

from calibrant import _native
from calibrant.binning import MedianVariance

# CalibrationErrors.jl, test suite of its median-variance binning.
FIVE = [[0.4, 0.1, 0.5], [0.5, 0.3, 0.2], [0.3, 0.7, 0], [0.1, 0, 0.9], [0.8, 0.1, 0.1]]


def dirichlet(seed, n, m, alpha=0.3):
    return np.random.default_rng(seed).dirichlet(np.full(m, alpha), n)


def dyadic(seed, n, m):
    """Rows of 64ths, so that variances and ties are exact in floating point."""
    return np.random.default_rng(seed).multinomial(64, np.full(m, 1 / m), n) / 64


@each_core
def test_bins_of_the_reference_implementation(core):
    with _native.using(core):
        assert as_sets(MedianVariance(2).assign(FIVE)) == {frozenset({2, 4}), frozenset({0, 1, 3})}
        assert MedianVariance(3).assign(FIVE).tolist() == [0] * 5


@each_core
def test_bins_are_numbered_by_first_row(core):
    with _native.using(core):
        ids = MedianVariance(5).assign(dirichlet(0, 200, 4))
    _, first = np.unique(ids, return_index=True)
    assert np.all(np.diff(first) > 0)
    assert first[0] == 0


@each_core
def test_the_upper_median_belongs_to_the_upper_bin(core):
    p = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    with _native.using(core):
        # Both columns vary equally: the first one is split, and its median 0.5 goes up.
        ids = MedianVariance(2).assign(np.column_stack([p, 1 - p]))
    assert ids.tolist() == [0, 0, 1, 1, 1]


@each_core
def test_a_bin_stays_whole_if_a_side_is_too_small(core):
    # The first component varies most but has only one row off its median; the second,
    # which could be split, is not tried.
    P = np.array([[0, 0.5, 0.5], [0.75, 0.25, 0], [0.75, 0.25, 0], [0.75, 0, 0.25]])
    with _native.using(core):
        assert MedianVariance(2).assign(P).tolist() == [0, 0, 0, 0]
        assert MedianVariance(1).assign(P)[0] != MedianVariance(1).assign(P)[1]


@each_core
def test_equal_rows_are_never_separated(core):
    with _native.using(core):
        assert MedianVariance(1).assign([[0.1, 0.2, 0.7]] * 9).tolist() == [0] * 9


@each_core
def test_variances_that_differ_by_rounding_are_tied(core):
    p = np.random.default_rng(3).random(101)
    two, turned = np.column_stack([1 - p, p]), np.column_stack([p, 1 - p])
    with _native.using(core):
        ids = MedianVariance(5).assign(two)
        shuffled = np.random.default_rng(0).permutation(101)
        again = np.empty(101, dtype=int)
        again[shuffled] = MedianVariance(5).assign(two[shuffled])
        assert as_sets(again) == as_sets(ids)
        # The first column decides: of 101 values the lower 50 go below.
        first = MedianVariance(50).assign(turned)
    below = first == first[np.argmin(p)]
    assert below.sum() == 50
    assert p[below].max() < p[~below].min()


@pytest.mark.slow
@each_core
@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**20),
    n=st.integers(1, 50),
    m=st.integers(2, 5),
    min_size=st.integers(1, 8),
    max_bins=st.none() | st.integers(1, 9),
)
def test_bins_are_those_of_the_definition(core, seed, n, m, min_size, max_bins):
    for P in (dyadic(seed, n, m), dirichlet(seed, n, max(m, 3))):
        with _native.using(core):
            ids = MedianVariance(min_size, max_bins).assign(P)
        assert set(ids.tolist()) == set(range(ids.max() + 1))
        assert len(set(ids.tolist())) == 1 or np.bincount(ids).min() >= min_size
        assert max_bins is None or ids.max() < max_bins
        assert as_sets(ids) == median_variance_bins(P, min_size, max_bins)


@each_core
def test_the_bin_of_largest_variance_is_split_first(core):
    # Halves: first component around 0 (spread .4) and around 1 (spread .1).
    first = np.array([0, 0.1, 0.3, 0.4, 0.9, 0.95, 0.97, 1.0])
    P = np.column_stack([first, (1 - first) / 2, (1 - first) / 2])
    with _native.using(core):
        ids = MedianVariance(2, max_bins=3).assign(P)
    assert ids.tolist() == [0, 0, 1, 1, 2, 2, 2, 2]


@pytest.mark.skipif(_native._core is None, reason="the native core is not built")
@pytest.mark.parametrize("n", [1, 2, 37, 1000])
@pytest.mark.parametrize("m", [1, 2, 3, 10, 200])
@pytest.mark.parametrize("max_bins", [None, 7])
def test_native_and_numpy_number_alike(n, m, max_bins):
    P = dirichlet(n, n, m)
    binning = MedianVariance(4, max_bins)
    with _native.using("native"):
        native = binning.assign(P)
    with _native.using("numpy"):
        twin = binning.assign(P)
    np.testing.assert_array_equal(native, twin)


@pytest.mark.skipif(_native._core is None, reason="the native core is not built")
def test_native_and_numpy_agree_on_nearly_equal_values():
    rng = np.random.default_rng(0)
    P = np.full((60, 4), 0.25)
    P[:, 1] += rng.integers(0, 3, 60) * 2**-53
    P[:, 2] += rng.integers(0, 8, 60) * 2**-53
    with _native.using("native"):
        native = MedianVariance(3).assign(P)
    with _native.using("numpy"):
        np.testing.assert_array_equal(native, MedianVariance(3).assign(P))
    assert as_sets(native) == median_variance_bins(P, 3)


@each_core
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**20), m=st.integers(2, 6))
def test_bins_do_not_depend_on_the_order_of_rows(core, seed, m):
    P = dirichlet(seed, 60, m)
    rows = np.random.default_rng(seed).permutation(60)
    back = np.empty(60, dtype=int)
    with _native.using(core):
        back[rows] = MedianVariance(4).assign(P[rows])
        assert as_sets(back) == as_sets(MedianVariance(4).assign(P))


@each_core
def test_many_data_sets_are_binned_one_by_one(core):
    P = dirichlet(0, 5 * 40, 4).reshape(5, 40, 4)
    with _native.using(core):
        together = MedianVariance(4).assign_many(P)
        np.testing.assert_array_equal(together, [MedianVariance(4).assign(p) for p in P])


@pytest.mark.parametrize("arguments", [{"min_size": 0}, {"min_size": 1.5}, {"max_bins": 0}])
def test_parameters_must_be_positive_integers(arguments):
    with pytest.raises(ValueError, match=f"`{next(iter(arguments))}` of MedianVariance must be"):
        MedianVariance(**arguments)
