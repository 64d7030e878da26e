"""Selecting and splitting rows and replicates by number."""

import numpy as np
import pytest

from calibrant._engine import sizes
from calibrant._execution import Limits


@pytest.mark.parametrize("m", [3, 10, 11, 100, 1000])
def test_all_pairs_of_many_classes_cost_no_more_than_those_of_ten(m):
    n = sizes.exact_rows(m)
    assert n**2 * max(m, 10) <= Limits.exact_rows**2 * 10 < (n + 1) ** 2 * max(m, 10)
    assert not sizes.uses_features(n, m)
    assert sizes.uses_features(n + 1, m)


def test_evenly_spaced_rows_reach_from_the_first_to_the_last():
    np.testing.assert_array_equal(sizes.evenly_spaced(4, 9), [0, 1, 2, 3])
    np.testing.assert_array_equal(sizes.evenly_spaced(1001, 11), np.arange(0, 1001, 100))


@pytest.mark.parametrize("n", [11, 12, 100, 999])
def test_evenly_spaced_rows_are_all_different(n):
    assert len(np.unique(sizes.evenly_spaced(n, 10))) == 10


@pytest.mark.parametrize(("multiple", "size"), [(1, 7), (2, 6), (64, 64)])
def test_batches_of_replicates_fit_into_memory(limit, multiple, size):
    limit(label_bytes=75)
    batches = sizes.replicate_batches(100, 10, multiple)
    assert [r for batch in batches for r in batch] == list(range(100))
    assert {len(batch) for batch in batches[:-1]} <= {size}
