import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.oracles import as_sets, quantile_bins

from calibrant._predictions import Predictions
from calibrant.binning import Quantile


def binary(values):
    p = np.array(values)
    return np.column_stack([1 - p, p])


def test_counts_are_equal_without_ties():
    p = np.random.default_rng(0).permutation(np.linspace(0, 1, 23))
    ids = Quantile(5).assign(binary(p))
    assert sorted(np.bincount(ids)) == [4, 4, 5, 5, 5]
    assert all(p[ids == b].max() < p[ids == b + 1].min() for b in range(4))


def test_ties_stay_together_and_empty_cells_do_not_exist():
    assert Quantile(4).assign(binary([0.5, 0.2, 0.5, 0.5])).tolist() == [1, 0, 1, 1]
    assert Quantile(4).assign(binary([0.5] * 6)).tolist() == [0] * 6


@given(
    p=st.lists(st.integers(0, 8).map(lambda k: k / 8), min_size=1, max_size=30),
    n=st.integers(1, 12),
)
def test_bins_are_those_of_the_definition(p, n):
    ids = Quantile(n).assign(binary(p))
    assert set(ids.tolist()) == set(range(ids.max() + 1))
    assert as_sets(ids) == quantile_bins(p, n)


def test_edges_tile_the_unit_interval_and_hold_their_rows():
    p = np.random.default_rng(1).random(50)
    bins = Quantile(4).bins(Predictions(np.zeros(50, dtype=int), p))
    assert bins.lower[0] == 0
    assert bins.upper[-1] == 1
    np.testing.assert_array_equal(bins.lower[1:], bins.upper[:-1])
    assert np.all((bins.lower[bins.ids] < p) & (p <= bins.upper[bins.ids]))


def test_more_than_two_columns_are_refused_with_the_remedy():
    with pytest.raises(ValueError, match=r"two columns; got 3\. .*top_label\(\)"):
        Quantile(4).assign([[0.2, 0.3, 0.5]])


def test_number_of_cells_must_be_a_positive_integer():
    with pytest.raises(ValueError, match="`n` of Quantile must be an integer"):
        Quantile(0)
