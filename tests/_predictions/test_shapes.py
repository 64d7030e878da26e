import numpy as np
import pandas as pd
import pytest

from calibrant._predictions import Predictions

P = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.125, 0.25, 0.625], [0.125, 0.25, 0.625]])
Y = [0, 1, 2, 1]


def test_a_transposed_matrix_is_refused():
    with pytest.raises(ValueError, match=r"got shape \(3, 4\). This looks transposed: pass `y_pro"):
        Predictions(Y, P.T)


def test_a_transposed_square_matrix_is_refused():
    square = np.array([[0.5, 0.1, 0.2], [0.25, 0.8, 0.2], [0.25, 0.1, 0.6]])
    with pytest.raises(ValueError, match=r"columns sum to 1, so this looks transposed"):
        Predictions([0, 1, 2], square)


@pytest.mark.parametrize(
    ("y_true", "y_prob"),
    [
        (P, Y),
        (P, np.array(Y)),
        (P, np.eye(3)[Y]),
        (P, ["a", "b", "c", "b"]),
        ([0.25, 0.5, 0.75], [0, 1, 1]),
        ([0.25, 0.5, 0.75], [0.0, 1.0, 1.0]),
        (pd.DataFrame(P), pd.Series(Y)),
    ],
)
def test_swapped_arguments_are_refused(y_true, y_prob):
    with pytest.raises(
        ValueError, match=r"arguments look swapped: pass `\(y_true, y_prob\)`, labe"
    ):
        Predictions(y_true, y_prob)


def test_missing_labels_and_certain_predictions_are_not_taken_for_swapped():
    with pytest.raises(ValueError, match="got 1 missing label, the first at row 1"):
        Predictions([0.0, np.nan, 1.0], [1, 0, 1])


@pytest.mark.parametrize("y_prob", [P[:3], P[:3, 0]])
def test_unequal_lengths_are_refused(y_prob):
    with pytest.raises(ValueError, match="one row per label, 4 in all; got 3"):
        Predictions(Y, y_prob)


@pytest.mark.parametrize(
    ("y_true", "y_prob", "name"),
    [
        ([], np.empty((0, 3)), "y_true"),
        ([0], [], "y_prob"),
        ([0], np.empty((1, 0)), "y_prob"),
        ([], [], "y_true"),
    ],
)
def test_empty_input_is_refused(y_true, y_prob, name):
    with pytest.raises(ValueError, match=f"`{name}` must not be empty; got shape"):
        Predictions(y_true, y_prob)


def test_three_dimensions_are_refused():
    with pytest.raises(ValueError, match=r"`y_prob` must be of shape .* got shape \(1, 4, 3\)"):
        Predictions(Y, P[None])


@pytest.mark.parametrize(("y_true", "y_prob", "name"), [(1, [0.5], "y_true"), ([1], 0.5, "y_prob")])
def test_a_scalar_is_refused(y_true, y_prob, name):
    with pytest.raises(
        ValueError, match=rf"`{name}` must be .* got shape \(\). Put a single value in"
    ):
        Predictions(y_true, y_prob)


def test_a_single_column_means_the_same_as_a_vector():
    column = Predictions([[0], [1]], [[0.25], [0.75]], sample_weight=[[1], [2]])
    vector = Predictions([0, 1], [0.25, 0.75], sample_weight=[1, 2])
    assert np.array_equal(column.y_prob, vector.y_prob)
    assert np.array_equal(column.y_true, vector.y_true)
    assert np.array_equal(column.weights, vector.weights)


@pytest.mark.parametrize("y_prob", [P[:, 0], P[:, :1], pd.Series(P[:, 0]), pd.DataFrame(P[:, :1])])
def test_one_column_with_many_classes_is_refused(y_prob):
    message = r"have one column, P\(positive class\); got 3 classes \(0, 1, 2\)"
    with pytest.raises(ValueError, match=message):
        Predictions(Y, y_prob)


def test_one_column_with_many_names_is_refused():
    with pytest.raises(ValueError, match=r"one column, .* 3 classes \('a', 'b', 'c'\)"):
        Predictions(["a", "b", "c", "b"], P[:, 0])
