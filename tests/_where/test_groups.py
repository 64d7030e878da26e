"""Parting rows by confidence and by the user's groups."""

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from calibrant._where._groups import confidence_regions, kept_rows, read_groups

LABELS = ["a", None, "b", "a", "b", "a"]
TABLE = {"x": LABELS, "y": [1, 1, 2, 2, 2, 1]}


def sizes(partition):
    return {group.name: len(group.rows) for group in partition.groups}


def test_regions_have_equally_many_rows_in_order_of_confidence():
    confidence = np.random.default_rng(0).permutation(np.linspace(0.5, 1.0, 100))
    partition = confidence_regions(confidence, 4, 20)
    assert [len(group.rows) for group in partition.groups] == [25] * 4
    ends = [confidence[group.rows] for group in partition.groups]
    assert all(a.max() < b.min() for a, b in itertools.pairwise(ends))
    assert sorted(np.concatenate([group.rows for group in partition.groups])) == list(range(100))


def test_equal_confidences_stay_together():
    confidence = np.r_[np.full(70, 0.6), np.full(30, 0.9)]
    partition = confidence_regions(confidence, 5, 10)
    assert [(group.name, len(group.rows)) for group in partition.groups] == [
        ("0.6", 70),
        ("0.9", 30),
    ]


def test_ties_go_where_their_middle_is():
    confidence = np.repeat([0.6, 0.7, 0.8], [44, 12, 44])
    partition = confidence_regions(confidence, 2, 10)
    assert [len(group.rows) for group in partition.groups] == [44, 56]


def test_small_data_have_fewer_regions():
    confidence = np.linspace(0.5, 1.0, 45)
    assert len(confidence_regions(confidence, 5, 20).groups) == 2
    (only,) = confidence_regions(confidence[:10], 5, 20).groups
    assert not only.tested
    assert only.note == "not tested: 10 rows, fewer than 20"


@pytest.mark.parametrize(
    "groups",
    [
        LABELS,
        [label and np.str_(label) for label in LABELS],
        np.array(LABELS, dtype=object),
        pd.Series(LABELS),
        pd.Series(LABELS, dtype="category"),
        pd.Series(LABELS, dtype="string"),
        pl.Series(LABELS),
        pa.array(LABELS),
        pa.chunked_array([LABELS]),
    ],
    ids=lambda groups: type(groups).__name__,
)
def test_every_container_is_read_alike(groups):
    (partition,) = read_groups(groups, 6, 2)
    assert sizes(partition) == {"a": 3, "b": 2, "missing": 1}
    assert {type(group.name) for group in partition.groups} == {str}
    last = partition.groups[-1]
    assert last.note == "1 row without a value; not tested: 1 row, fewer than 2"
    assert [group.tested for group in partition.groups] == [True, True, False]


@pytest.mark.parametrize("frame", [dict, pd.DataFrame, pl.DataFrame, pa.table])
def test_several_groupings_by_name(frame):
    first, second = read_groups(frame(TABLE), 6, 2)
    assert (first.grouping, second.grouping) == ("x", "y")
    assert sizes(second) == {1: 3, 2: 3}


def test_series_bring_their_name():
    assert read_groups(pd.Series([1, 1], name="site"), 2, 2)[0].grouping == "site"
    assert read_groups([1, 1], 2, 2)[0].grouping == "group"


def test_missing_numbers_and_a_group_of_that_name():
    (partition,) = read_groups(np.array([1.0, np.nan, 1.0, np.nan]), 4, 2)
    assert sizes(partition) == {1.0: 2, "missing": 2}
    (partition,) = read_groups(["missing", None, "missing"], 3, 2)
    assert sizes(partition) == {"missing": 2, "missing values": 1}
    (partition,) = read_groups(pd.Series(pd.to_datetime(["2020-01-01", None, None])), 3, 2)
    assert sizes(partition)["missing"] == 2


def test_rows_left_aside_are_renumbered():
    (partition,) = read_groups(["a", "b", "a", "b", None], 5, 2)
    kept = kept_rows(partition, np.array([True, False, True, True, True]), 2)
    assert [group.rows.tolist() for group in kept.groups] == [[0, 1], [2], [3]]
    assert kept.groups[1].note == "not tested: 1 row, fewer than 2"
    assert kept.groups[2].note == "1 row without a value; not tested: 1 row, fewer than 2"


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ([1, 2], r"`groups` must have one value for each of the 6 rows; got 2"),
        ({"site": [1]}, r"`groups\['site'\]` must have one value"),
        ({}, "at least one grouping"),
        ("site", "must hold one value per row; got str"),
        (3, "must hold one value per row; got int"),
        (np.zeros((6, 2)), r"must have shape \(n_samples,\); got \(6, 2\)"),
        ([[1], [2], [1], [2], [1], [2]], r"hashable labels; got \[1\] at row 0"),
        ([1, 2, 3, 4, 5, 6], "6 different values in 6 rows. If it is a measurement"),
    ],
)
def test_refusals(groups, message):
    with pytest.raises(ValueError, match=message):
        read_groups(groups, 6, 2)


def test_regions_of_nearly_sure_predictions_have_names_of_their_own():
    top = np.array([0.6] * 20 + [0.99991] * 20 + [0.99992] * 20 + [0.999931, 0.999932] * 10)
    found = confidence_regions(top, 4, 20)
    names = [group.name for group in found.groups]
    assert names == ["0.6", "0.9999", "0.99992", "0.999931 to 0.999932"]
