import copy
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.svm import LinearSVC

from calibrant._predictions import Predictions, as_predictions

P = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.125, 0.25, 0.625], [0.125, 0.25, 0.625]])
Y = np.array([0, 1, 2, 1])
W = np.array([1.0, 0.5, 2.0, 4.0])


def test_a_contiguous_float64_array_is_not_copied():
    predictions = Predictions(Y, P, sample_weight=W)
    assert np.shares_memory(predictions.y_prob, P)
    assert np.shares_memory(predictions.y_true, Y)
    assert np.shares_memory(predictions.sample_weight, W)


def test_what_is_stored_is_read_only_and_the_users_arrays_are_not():
    predictions = Predictions(Y, P, sample_weight=W)
    for stored in (predictions.y_true, predictions.y_prob, predictions.sample_weight):
        with pytest.raises(ValueError, match="read-only"):
            stored[0] = 0
    assert P.flags.writeable
    assert Y.flags.writeable
    assert W.flags.writeable


def test_read_only_input_is_accepted():
    table = P.copy()
    table.flags.writeable = False
    assert np.shares_memory(Predictions(Y, table).y_prob, table)


def test_predictions_are_frozen():
    predictions = Predictions(Y, P)
    with pytest.raises(FrozenInstanceError):
        predictions.y_true = Y


def test_sizes():
    predictions = Predictions(Y, P)
    assert (predictions.n_samples, predictions.n_classes, len(predictions)) == (4, 3, 4)


def test_residuals_are_one_hot_minus_probabilities():
    predictions = Predictions(Y, P)
    assert np.array_equal(predictions.residuals, np.eye(3)[Y] - P)
    predictions.residuals[:] = 0
    assert np.array_equal(predictions.residuals, np.eye(3)[Y] - P)


def test_weights_multiply_the_residuals():
    predictions = Predictions(Y, P, sample_weight=W)
    assert np.array_equal(predictions.weighted_residuals, (np.eye(3)[Y] - P) * W[:, None])
    assert np.array_equal(predictions.weights, W)


def test_no_weights_are_unit_weights():
    predictions = Predictions(Y, P)
    assert predictions.sample_weight is None
    assert np.array_equal(predictions.weighted_residuals, predictions.residuals)
    assert predictions.weights.tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("classes", "kind"),
    [(("a", "b", "c"), "U"), ((1, 2, 3), "i"), (("a", 1, 2.5), "O"), (((1, 2), (3, 4), "c"), "O")],
)
def test_labels_are_names_of_classes(classes, kind):
    labels = Predictions(np.eye(3)[Y], P, classes=classes).labels
    assert labels.tolist() == [classes[i] for i in Y]
    assert labels.dtype.kind == kind


def test_with_labels_shares_everything_else():
    predictions = Predictions(Y, P, sample_weight=W, classes=["a", "b", "c"])
    other = predictions.with_labels(np.array([2, 2, 2, 2]))
    assert other.y_true.tolist() == [2, 2, 2, 2]
    assert np.shares_memory(other.y_prob, P)
    assert np.shares_memory(other.weights, W)
    assert other.classes == ("a", "b", "c")
    assert predictions.y_true.tolist() == Y.tolist()


@pytest.mark.parametrize(
    "rows", [[3, 0, 0], np.array([3, 0, 0]), slice(1, 3), Y == 1, slice(None, None, -1)]
)
def test_take_selects_rows(rows):
    taken = Predictions(Y, P, sample_weight=W, classes=["a", "b", "c"]).take(rows)
    assert np.array_equal(taken.y_true, Y[rows])
    assert np.array_equal(taken.y_prob, P[rows])
    assert np.array_equal(taken.sample_weight, W[rows])
    assert taken.classes == ("a", "b", "c")
    assert taken.y_prob.flags.c_contiguous
    assert not taken.y_prob.flags.writeable


def test_take_refuses_a_single_number_and_nothing():
    with pytest.raises(ValueError, match=r"a slice or a vector of row numbers; got shape \(\)"):
        Predictions(Y, P).take(1)
    with pytest.raises(ValueError, match="`rows` must select at least one row; got none"):
        Predictions(Y, P).take(slice(0, 0))
    with pytest.raises(ValueError, match="`rows` must select at least one row; got none"):
        Predictions(Y, P).take([])


def test_require_rows_counts():
    Predictions(Y, P).require_rows(4, "the test")
    with pytest.raises(ValueError, match=r"^the unbiased SKCE needs at least 5 rows; got 4\.$"):
        Predictions(Y, P).require_rows(5, "the unbiased SKCE")


def test_the_representation_is_short():
    assert repr(Predictions(Y, P)) == "Predictions(n_samples=4, n_classes=3, classes=(0, 1, 2))"
    many = Predictions([0], np.full((1, 1000), 0.001), sample_weight=[2])
    assert repr(many) == (
        "Predictions(n_samples=1, n_classes=1000, classes=(0, 1, 2, 3, 4, 5, …), weighted)"
    )


@pytest.mark.parametrize("again", [copy.copy, lambda p: pickle.loads(pickle.dumps(p))])
def test_copies_are_read_only_too(again):
    predictions = again(Predictions(Y, P, sample_weight=W, classes=["a", "b", "c"]))
    assert np.array_equal(predictions.y_prob, P)
    assert np.array_equal(predictions.y_true, Y)
    assert np.array_equal(predictions.weights, W)
    assert predictions.classes == ("a", "b", "c")
    assert not predictions.y_prob.flags.writeable


def test_predictions_in_the_place_of_an_array_are_refused():
    predictions = Predictions(Y, P)
    with pytest.raises(TypeError, match="`y_true` must be an array; got a Predictions"):
        Predictions(predictions, P)
    with pytest.raises(TypeError, match="`y_prob` must be an array; got a Predictions"):
        Predictions(Y, predictions)


X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])


@pytest.mark.parametrize("y", [["a", "b", "c"] * 2, [3, 7, 5] * 2, [True, False] * 3])
def test_an_estimator_names_the_classes(y):
    model = LogisticRegression().fit(X, y)
    predictions = Predictions.from_estimator(model, X, y, sample_weight=np.arange(6))
    assert predictions.labels.tolist() == y
    assert np.array_equal(predictions.y_prob, model.predict_proba(X))
    assert predictions.classes == tuple(model.classes_.tolist())
    assert predictions.weights.tolist() == list(range(6))


def test_a_label_the_estimator_does_not_know_is_refused():
    model = LogisticRegression().fit(X, ["a", "b", "c"] * 2)
    with pytest.raises(ValueError, match=r"classes 'a', 'b', 'c'; got 1 label .* \('d'\) at row 1"):
        Predictions.from_estimator(model, X[:2], ["a", "d"])


@pytest.mark.parametrize(
    ("model", "attribute"),
    [(LinearSVC(), "predict_proba"), (LogisticRegression(), "classes_"), (3, "predict_proba")],
)
def test_an_estimator_without_probabilities_is_refused(model, attribute):
    with pytest.raises(TypeError, match=f"{type(model).__name__} has no {attribute}. Fit it first"):
        Predictions.from_estimator(model, X, [0, 1, 0, 1, 0, 1])


def test_an_estimator_of_several_outputs_is_refused():
    model = RandomForestClassifier(2, random_state=0).fit(X, [[0, 1], [1, 0]] * 3)
    with pytest.raises(ValueError, match=r"`y_prob` must be of shape .* got shape \(2, 6, 2\)"):
        Predictions.from_estimator(model, X, [0, 1] * 3)


@pytest.mark.parametrize(
    ("y", "options"),
    [([0, 1] * 3, {}), ([0, 1, 2] * 2, {}), (["no", "yes"] * 3, {"pos_label": "yes"})],
)
def test_scores_of_scikit_learn_come_through_the_door(y, options):
    def brier(y_true, y_prob, *, pos_label=None):
        return float((as_predictions(y_true, y_prob, pos_label=pos_label).residuals ** 2).mean())

    model = LogisticRegression().fit(X, y)
    score = make_scorer(brier, response_method="predict_proba", **options)(model, X, np.array(y))
    expected = Predictions.from_estimator(model, X, y).residuals
    assert score == pytest.approx((expected**2).mean(), rel=1e-14)
