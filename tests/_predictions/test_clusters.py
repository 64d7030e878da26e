"""Cluster ids: read in any form, and kept by everything that keeps rows."""

import pickle

import numpy as np
import pytest

from calibrant import Predictions
from calibrant._predictions import code_clusters, join
from calibrant.errors import DataError, Problem

P = [[0.7, 0.3], [0.4, 0.6], [0.2, 0.8], [0.5, 0.5]]
Y = [0, 1, 1, 0]


def clustered(ids):
    return Predictions(Y, P, clusters=ids)


@pytest.mark.parametrize(
    "ids",
    [
        np.array([1, 1, 2, 3]),
        ["1", "1", "2", "3"],
        [1.0, 1.0, 2.0, 3.0],
        ["1.0", "1", " 2", "3.00"],
        np.array([1, 1, 2, 3], dtype=np.uint8),
        [b"1", b"1", b"2", b"3"],
    ],
)
def test_an_id_is_the_same_cluster_in_any_type(ids):
    np.testing.assert_array_equal(clustered(ids).clusters, clustered([1, 1, 2, 3]).clusters)


def test_other_ids_are_other_clusters():
    rows = clustered(["a", "a", 2, "b"])
    assert rows.n_clusters == 3
    assert rows.cluster_index[0] == rows.cluster_index[1]
    assert len(set(rows.cluster_index.tolist())) == 3


def test_frames_bring_their_ids():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"patient": ["x", "x", "y", "z"]})
    np.testing.assert_array_equal(
        clustered(frame["patient"]).clusters, clustered(["x", "x", "y", "z"]).clusters
    )


def test_an_index_that_names_other_rows_is_refused():
    pandas = pytest.importorskip("pandas")
    y = pandas.Series(Y, index=list("abcd"))
    ids = pandas.Series([1, 1, 2, 2], index=list("dcba"))
    with pytest.raises(DataError, match="must have the index of `y_true`"):
        Predictions(y, P, clusters=ids)


def test_lenses_subsets_labels_and_pickles_keep_clusters():
    rows = Predictions([0, 1, 2, 0], np.full((4, 3), 1 / 3), clusters=list("aabc"))
    for seen in (rows.top_label(), rows.one_vs_rest(1), rows.top_k(2), rows.event()):
        np.testing.assert_array_equal(seen.clusters, rows.clusters)
    np.testing.assert_array_equal(rows.take([3, 0]).clusters, rows.clusters[[3, 0]])
    np.testing.assert_array_equal(rows.with_labels(rows.y_true).clusters, rows.clusters)
    again = pickle.loads(pickle.dumps(rows))
    np.testing.assert_array_equal(again.clusters, rows.clusters)
    assert not again.clusters.flags.writeable
    halves = join(rows.take(slice(0, 2)), rows.take(slice(2, 4)))
    np.testing.assert_array_equal(halves.clusters, rows.clusters)
    assert rows.without_clusters().clusters is None
    assert "n_clusters=3" in repr(rows)


@pytest.mark.parametrize(
    ("ids", "problem", "message"),
    [
        ([1, 1, 2], Problem.SHAPE, "must have one id per row"),
        ([1, None, 2, 2], Problem.MISSING, "got 1 missing id, the first at row 1"),
        ([1.0, np.nan, 2.0, 2.0], Problem.MISSING, "must have an id in every row"),
        (["a", " ", "b", "b"], Problem.MISSING, "must have an id in every row"),
        (np.array(["a", "", "b", "b"]), Problem.MISSING, "got 1 missing id"),
        ([7, 7, 7, 7], Problem.CLUSTERS, "at least 2 clusters"),
    ],
)
def test_unusable_ids_are_refused(ids, problem, message):
    with pytest.raises(DataError, match=message) as refused:
        clustered(ids)
    assert refused.value.problem is problem


def test_a_part_of_the_rows_may_lie_in_one_cluster():
    assert len(set(code_clusters([7, 7], 2).tolist())) == 1
    assert clustered([1, 1, 2, 2]).take([0, 1]).n_clusters == 1


def test_clusters_may_come_beside_predictions_that_have_none():
    from calibrant._predictions import as_predictions

    rows = as_predictions(Predictions(Y, P), clusters=[1, 1, 2, 2])
    assert rows.n_clusters == 2
    with pytest.raises(DataError, match="comes alone"):
        as_predictions(rows, clusters=[1, 1, 2, 2])
