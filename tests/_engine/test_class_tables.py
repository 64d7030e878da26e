"""Tables of classes and cells against plain loops, on both cores."""

import numpy as np
import pytest

from calibrant import _native
from calibrant._engine._class_tables import (
    bucket_sums,
    cell_pair_sums,
    own_cell_sums,
    squared_deviations,
)

#: fewer classes than a vector has lanes, more, and many
CLASSES = (1, 3, 9, 130)


def make(m, n=17, n_cells=7, seed=0):
    rng = np.random.default_rng(seed)
    cells = rng.integers(n_cells, size=(n, m)).astype(np.uint16)
    return cells, rng.random((n, m)), rng.random(n) + 0.1


@pytest.mark.parametrize("m", CLASSES)
def test_own_cell_sums_add_every_class_to_its_own_cell(core, m):
    cells, values, w = make(m)
    expected = np.zeros((m, 7))
    for i in range(17):
        for c in range(m):
            expected[c, cells[i, c]] += w[i] * values[i, c]
    np.testing.assert_allclose(own_cell_sums(cells, values, w, 7), expected, rtol=1e-13)


@pytest.mark.parametrize("m", CLASSES)
def test_bucket_sums_add_all_classes_to_the_bucket_of_the_row(core, m):
    cells, values, w = make(m)
    expected = np.zeros((m, 7))
    for i in range(17):
        expected[:, cells[i, 0]] += w[i] * values[i]
    buckets = np.ascontiguousarray(cells[:, 0])
    np.testing.assert_allclose(bucket_sums(buckets, values, w, 7), expected, rtol=1e-13)


@pytest.mark.parametrize("size", [1, 7, 32, 33, 300])
def test_squared_deviations_are_sums_of_squares(core, size):
    rng = np.random.default_rng(1)
    sums, mean = rng.normal(size=(3, 2, size)), rng.normal(size=(2, size))
    expected = [[np.sum((sums[b, s] - mean[s]) ** 2) for s in range(2)] for b in range(3)]
    np.testing.assert_allclose(squared_deviations(sums, mean), expected, rtol=1e-13)


@pytest.mark.parametrize("m", CLASSES)
@pytest.mark.parametrize("n_cells", [1, 2, 70])
def test_cell_pair_sums_are_the_sums_over_pairs_of_cells(core, m, n_cells):
    rng = np.random.default_rng(2)
    sums, mean = rng.normal(size=(3, m, n_cells)), rng.normal(size=(m, n_cells))
    rates = np.array([0.01, 0.3, 2.0])
    places = np.arange(n_cells)
    apart = np.abs(np.subtract.outer(places, places))
    d = sums - mean
    expected = [[sum(x @ np.exp(-r * apart) @ x for x in one) for r in rates] for one in d]
    np.testing.assert_allclose(cell_pair_sums(sums, mean, rates), expected, rtol=1e-11)


def test_cells_out_of_range_are_refused(native):
    cells, values, w = make(3)
    with _native.using("native"):
        with pytest.raises(ValueError, match="cells must be in"):
            own_cell_sums(cells, values, w, 6)
        with pytest.raises(ValueError, match="buckets must be in"):
            bucket_sums(np.ascontiguousarray(cells[:, 0]), values, w, 6)
