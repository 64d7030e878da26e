"""Random grids: the probability of sharing a cell is the Laplacian kernel."""

import numpy as np
import pytest

from calibrant._engine import RandomGrids


@pytest.mark.parametrize("m", [2, 3])
def test_rows_share_a_bucket_as_often_as_the_kernel_says(m):
    # 20 000 grids: four standard errors of a share, and one in 65 521 by the hash
    rows = np.random.default_rng(m).dirichlet(np.ones(m), 6)
    grids = RandomGrids.draw(m, 0.3, 20_000, 65_521, seed=1)
    buckets = grids.buckets(rows)
    for i in range(6):
        for j in range(i):
            share = np.mean(buckets[:, i] == buckets[:, j])
            kernel = np.exp(-0.5 * np.abs(rows[i] - rows[j]).sum() / 0.3)
            assert share == pytest.approx(kernel, abs=0.0145)


def test_buckets_are_in_range_and_equal_for_equal_rows():
    rows = np.random.default_rng(0).dirichlet(np.ones(4), 50)
    grids = RandomGrids.draw(4, 0.1, 3, 127, seed=2)
    buckets = grids.buckets(np.vstack([rows, rows]))
    assert buckets.shape == (3, 100)
    assert buckets.max() < 127
    np.testing.assert_array_equal(buckets[:, :50], buckets[:, 50:])
    np.testing.assert_array_equal(grids.buckets(rows[7:9]), buckets[:, 7:9])
