"""Splitting rows by the user's groups."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from calibrant._followup.where._groups import kept_rows, read_groups

LABELS = ["a", None, "b", "a", "b", "a"]
TABLE = {"x": LABELS, "y": [1, 1, 2, 2, 2, 1]}


def sizes(partition):
    return {group.name: len(group.rows) for group in partition.groups}


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
        ({1: [1] * 6, "1": [2] * 6}, "must have names that differ as strings; got '1' twice"),
        ("site", "must have one value per row; got str"),
        (3, "must have one value per row; got int"),
        (np.zeros((6, 2)), r"must have shape \(n_samples,\); got \(6, 2\)"),
        ([[1], [2], [1], [2], [1], [2]], r"hashable labels; got \[1\] at row 0"),
        ([1, 2, 3, 4, 5, 6], "6 different values in 6 rows. If it is a measurement"),
    ],
)
def test_refusals(groups, message):
    with pytest.raises(ValueError, match=message):
        read_groups(groups, 6, 2)
