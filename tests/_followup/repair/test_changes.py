import numpy as np
import pytest

from calibrant._followup.repair._changes import Rows, Scores, choose


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


def scores(losses, surprise=0.0):
    return Scores(np.asarray(losses), np.zeros(len(losses)), surprise)


def test_the_simplest_within_one_standard_error_is_chosen():
    rng = np.random.default_rng(0)
    base = rng.random(99)
    noise = rng.normal(size=100)
    noise -= noise.mean()
    noise /= noise.std(ddof=1)  # a mean of it has the standard error .1
    rows = Rows(np.ones(99))
    for behind, expected in ((0.099, 0), (0.101, 1)):
        # the last of the hundred rows is the surprise
        worse = scores(base + behind + noise[:99], behind + noise[99])
        assert choose([worse, scores(base)], rows) == expected


def test_a_certain_difference_decides_however_small():
    base = np.arange(5.0)
    candidates = [scores(base + 1e-9, 1e-9), scores(base), scores(base)]
    assert choose(candidates, Rows(np.ones(5))) == 1


def test_rows_without_errors_do_not_speak_for_boundless_confidence():
    modest, extreme = scores(np.full(50, 0.05), 3.0), scores(np.full(50, 1e-9), 27.0)
    assert choose([modest, extreme], Rows(np.ones(50))) == 0
    many = [scores(np.full(5000, one.log_loss[0]), one.surprise) for one in (modest, extreme)]
    assert choose(many, Rows(np.ones(5000), np.arange(5000))) == 1
