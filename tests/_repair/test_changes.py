import numpy as np
import pytest

from calibrant._repair._changes import Rows, choose


def test_mean_and_standard_error_in_closed_form():
    assert Rows(np.ones(4)).mean(np.array([1.0, 2.0, 3.0, 6.0])) == (
        3.0,
        pytest.approx(np.std([1, 2, 3, 6], ddof=1) / 2),
    )


def test_a_single_row_has_no_standard_error():
    mean, error = Rows(np.ones(1)).mean(np.array([2.0]))
    assert mean == 2.0
    assert np.isnan(error)


def test_clusters_of_single_rows_change_nothing():
    values, weight = np.random.default_rng(0).random((2, 50))
    assert Rows(weight).mean(values) == pytest.approx(
        Rows(weight, np.arange(50)[::-1]).mean(values)
    )


def test_the_simplest_within_one_standard_error_is_chosen():
    rng = np.random.default_rng(0)
    base = rng.random(100)
    noise = rng.normal(size=100)
    noise -= noise.mean()
    noise /= noise.std(ddof=1)  # a mean of it has the standard error .1
    rows = Rows(np.ones(100))
    best = base - 0.5
    for behind, expected in ((0.099, 0), (0.101, 1)):
        assert choose([best + behind + noise, best], rows) == expected


def test_a_certain_difference_decides_however_small():
    base = np.arange(5.0)
    assert choose([base + 1e-9, base, base], Rows(np.ones(5))) == 1
