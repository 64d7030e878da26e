import numpy as np
import pytest

from calibrant.errors import DataError
from calibrant.recalibration import assign_folds


def test_folds_have_equally_many_rows_of_every_class():
    y = np.random.default_rng(0).choice(4, 503, p=[0.6, 0.3, 0.08, 0.02])
    folds = assign_folds(y)
    assert np.ptp(np.bincount(folds)) <= 1
    for c in range(4):
        assert np.ptp(np.bincount(folds[y == c], minlength=10)) <= 1


def test_folds_do_not_depend_on_data_from_the_same_seed():
    p = np.random.default_rng(0).random(1000)
    folds = assign_folds(np.zeros(1000, dtype=int), 2, seed=0)
    # dealt in the order of p, the two folds would alternate
    assert (folds[np.argsort(p)][1:] == folds[np.argsort(p)][:-1]).mean() > 0.4


def test_the_seed_decides():
    y = np.arange(60) % 3
    np.testing.assert_array_equal(assign_folds(y, seed=5), assign_folds(y, seed=5))
    assert (assign_folds(y, seed=5) != assign_folds(y, seed=6)).any()


def test_clusters_stay_together_and_folds_alike():
    rng = np.random.default_rng(0)
    clusters = np.array([f"user {k}" for k in rng.integers(0, 200, 2000)])
    y = (rng.random(2000) < 0.3).astype(int)
    folds = assign_folds(y, clusters=clusters)
    for name in np.unique(clusters):
        assert len(set(folds[clusters == name])) == 1
    assert np.bincount(folds).max() <= 1.25 * np.bincount(folds).min()
    rates = np.bincount(folds, weights=y) / np.bincount(folds)
    assert np.ptp(rates) < 0.1


def test_clusters_of_one_row_are_stratified():
    y = np.arange(100) % 4 == 0
    folds = assign_folds(y, clusters=np.arange(100))
    assert np.ptp(np.bincount(folds[y], minlength=10)) <= 1


def test_folds_without_stratification_do_not_look_at_the_classes():
    y = np.random.default_rng(0).choice(3, 503)
    folds = assign_folds(y, stratified=False)
    np.testing.assert_array_equal(folds, assign_folds(np.zeros(503, int), stratified=False))
    assert np.ptp(np.bincount(folds)) <= 1
    clusters = np.arange(503) // 2
    together = assign_folds(y, clusters=clusters, stratified=False)
    np.testing.assert_array_equal(
        together, assign_folds(y[::-1], clusters=clusters, stratified=False)
    )
    assert np.ptp(np.bincount(together)) <= 2
    assert all(len(set(together[clusters == k])) == 1 for k in range(252))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y_true": [0, 1]}, "10 folds need at least 10 rows; got 2.* or more rows"),
        (
            {"y_true": [0] * 20, "clusters": [1, 2] * 10},
            "10 folds need at least 10 clusters.* or more clusters",
        ),
        ({"y_true": [0] * 20, "clusters": [1]}, "`clusters` must have one value per row"),
    ],
)
def test_impossible_folds_are_refused(arguments, message):
    with pytest.raises(DataError, match=message):
        assign_folds(**arguments)


@pytest.mark.parametrize("n_folds", [1, 0, -3, 2.5, "x"])
def test_at_least_two_folds(n_folds):
    with pytest.raises(ValueError, match="`n_folds` must be an integer of 2 or more"):
        assign_folds([0, 1, 0], n_folds)
