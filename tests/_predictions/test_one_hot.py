import numpy as np
import pytest

from calibrant._predictions import Predictions

P = np.full((3, 3), 1 / 3)


def one_hot(row):
    rows = np.eye(3)
    rows[1] = row
    return rows


@pytest.mark.parametrize("row", [[0, 0, 0], [1, 1, 0], [2, 0, 0], [-1, 1, 1], [0, np.nan, 1]])
def test_rows_without_exactly_one_1_are_refused(row):
    with pytest.raises(
        ValueError, match=r"`y_true` must have one 1 .* got 1 other row, .* the first at row 1"
    ):
        Predictions(one_hot(row), P)


def test_soft_labels_are_sent_to_from_soft_labels():
    message = (
        r"such as \[0.5 0.5 0. \].* row 1. .*`Predictions\.from_soft_labels` if they are shares"
    )
    with pytest.raises(ValueError, match=message):
        Predictions(one_hot([0.5, 0.5, 0]), P)


@pytest.mark.parametrize("row", [[2, 1, 0], [1, 1, 0], [0, 0, 7]])
def test_counts_of_votes_are_sent_to_from_votes(row):
    with pytest.raises(ValueError, match=r"use `Predictions\.from_votes` if rows count votes"):
        Predictions(one_hot(row), P)


def test_another_number_of_columns_is_refused():
    with pytest.raises(ValueError, match="one one-hot column per class, 3 in all; got 4"):
        Predictions(np.eye(4)[:3], P)


def test_text_is_refused():
    with pytest.raises(ValueError, match="must be numbers where it is one-hot; got dtype <U1"):
        Predictions(np.eye(3).astype("U1"), P)


def test_one_hot_labels_go_with_one_column():
    predictions = Predictions([[1, 0], [0, 1]], [0.25, 0.75])
    assert predictions.y_true.tolist() == [0, 1]


def test_one_hot_labels_take_the_names_of_the_classes():
    assert Predictions(np.eye(3), P, classes=["a", "b", "c"]).labels.tolist() == ["a", "b", "c"]
