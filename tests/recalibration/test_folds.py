import numpy as np
import pytest

from calibrant.errors import DataError
from calibrant.recalibration import assign_folds


def test_folds_have_equally_many_rows():
    folds = assign_folds(503)
    assert sorted(np.bincount(folds)) == [50] * 7 + [51] * 3


def test_class_frequencies_of_folds_scatter_as_those_of_new_rows():
    y = np.random.default_rng(0).random(50_000) < 0.1
    counts = np.bincount(assign_folds(len(y), 100)[y])
    # the variance of 100 hypergeometric numbers; its relative standard error is .14
    expected = 500 * 0.1 * 0.9
    assert 0.5 * expected < counts.var() < 1.5 * expected


def test_folds_do_not_depend_on_data_from_the_same_seed():
    p = np.random.default_rng(0).random(1000)
    folds = assign_folds(1000, 2, seed=0)
    # dealt in the order of p, the two folds would alternate
    assert (folds[np.argsort(p)][1:] == folds[np.argsort(p)][:-1]).mean() > 0.4


def test_the_seed_decides():
    np.testing.assert_array_equal(assign_folds(60, seed=5), assign_folds(60, seed=5))
    assert (assign_folds(60, seed=5) != assign_folds(60, seed=6)).any()


def test_clusters_stay_together_and_folds_alike():
    rng = np.random.default_rng(0)
    clusters = np.array([f"user {k}" for k in rng.integers(0, 200, 2000)])
    folds = assign_folds(2000, clusters=clusters)
    for name in np.unique(clusters):
        assert len(set(folds[clusters == name])) == 1
    assert np.bincount(folds).max() <= 1.05 * np.bincount(folds).min()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_samples": 2}, "10 folds need at least 10 rows; got 2.* or more rows"),
        (
            {"n_samples": 20, "clusters": [1, 2] * 10},
            "10 folds need at least 10 clusters.* or more clusters",
        ),
        ({"n_samples": 20, "clusters": [1]}, "`clusters` must have one value per row"),
    ],
)
def test_impossible_folds_are_refused(arguments, message):
    with pytest.raises(DataError, match=message):
        assign_folds(**arguments)


@pytest.mark.parametrize("n_folds", [1, 0, -3, 2.5, "x"])
def test_at_least_two_folds(n_folds):
    with pytest.raises(ValueError, match="`n_folds` must be an integer of 2 or more"):
        assign_folds(3, n_folds)
