import numpy as np
import pytest

import calibrant as cal
from calibrant._predictions import Predictions

Y = np.array([[1, 0, 1], [0, 0, 1], [1, 1, 1], [0, 0, 0]])
P = np.array([[0.9, 0.25, 0.5], [0.5, 0.0, 1.0], [0.75, 0.5, 0.5], [0.25, 0.5, 0.0]])


def test_every_cell_is_a_row_as_if_stacked_by_hand():
    weights = np.array([1.0, 2.0, 0.0, 4.0])
    found = Predictions.from_multilabel(Y, P, sample_weight=weights)
    cells = [(i, j) for i in range(4) for j in range(3)]
    by_hand = Predictions(
        [Y[cell] for cell in cells],
        [P[cell] for cell in cells],
        sample_weight=[weights[i] for i, _ in cells],
        clusters=[i for i, _ in cells],
    )
    assert found.classes == by_hand.classes
    for part in ("y_true", "y_prob", "sample_weight", "clusters"):
        np.testing.assert_array_equal(getattr(found, part), getattr(by_hand, part))


def test_given_clusters_hold_all_labels_of_their_rows():
    found = Predictions.from_multilabel(Y, P, clusters=["a", "b", "a", "c"])
    np.testing.assert_array_equal(found.cluster_index.reshape(4, 3)[:, 0], found.cluster_index[::3])
    assert found.n_clusters == 3
    assert len(set(found.clusters[[0, 1, 2, 6, 7, 8]])) == 1


def test_groups_name_the_label_of_every_row():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(P, columns=["cat", "dog", "owl"])
    assert Predictions.multilabel_groups(frame)["label"].tolist() == ["cat", "dog", "owl"] * 4
    assert Predictions.multilabel_groups(P)["label"].tolist() == [0, 1, 2] * 4
    with pytest.raises(ValueError, match=r"`Y` must have its columns in the order of `P`"):
        Predictions.from_multilabel(pandas.DataFrame(Y, columns=["dog", "cat", "owl"]), frame)


def changed(matrix, value):
    matrix = matrix.astype(float)
    matrix[2, 1] = value
    return matrix


@pytest.mark.parametrize(
    ("labels", "probs", "options", "message"),
    [
        (Y[:, :2], P, {}, r"`Y` must have the shape of `P`, \(4, 3\); got shape \(4, 2\)"),
        (Y.T, P, {}, r"`Y` must have the shape of `P`"),
        (Y[:, 0], P[:, 0], {}, r"`Y` must be a matrix"),
        (Y[:0], P[:0], {}, r"`Y` must not be empty"),
        (Y, changed(P, 1.5), {}, r"`P` must be in \[0, 1\].*\(1.5\) at row 2, column 1"),
        (Y, changed(P, -3), {}, r"`P` must be in \[0, 1\].*row 2, column 1.*np.exp"),
        (Y, changed(P, np.nan), {}, r"`P` must be finite.*row 2, column 1"),
        (changed(Y, np.nan), P, {}, r"`Y` must be finite.*row 2, column 1"),
        (changed(Y, 2), P, {}, r"`Y` must be 0 or 1; got 1 other value, .*row 2, column 1"),
        (changed(Y, 0.5), P, {}, r"`Y` must be 0 or 1"),
        (Y, P, {"labels": ["a", "b"]}, r"`labels` must name the 3 columns of `P`"),
        (Y, P, {"labels": ["a", "b", "a"]}, r"`labels` must be distinct"),
        (Y, P, {"clusters": [1, 2]}, r"`clusters` must have one id per row, shape \(4,\)"),
        (Y, P, {"sample_weight": [1.0]}, r"`sample_weight` must have one weight per row"),
    ],
)
def test_what_cannot_be_read_is_refused(labels, probs, options, message):
    with pytest.raises(ValueError, match=message):
        Predictions.from_multilabel(labels, probs, **options)


def test_refusals_of_one_label_per_row_name_the_way_out():
    with pytest.raises(ValueError, match=r"sum to 1.*`Predictions.from_multilabel`"):
        Predictions([0, 1, 2, 0], P)
    with pytest.raises(ValueError, match=r"one 1 and otherwise 0.*`Predictions.from_multilabel`"):
        Predictions(Y, np.full((4, 3), 1 / 3))


def test_a_bad_label_is_found():
    rng = np.random.default_rng(0)
    predicted = rng.uniform(0.1, 0.9, (200, 4))
    truth = rng.random((200, 4)) < predicted
    truth[:, 2] = rng.random(200) < predicted[:, 2] / 3
    names = ["a", "b", "bad", "d"]
    predictions = Predictions.from_multilabel(truth, predicted, labels=names)
    groups = Predictions.multilabel_groups(predicted, labels=names)
    found = cal.where(predictions, groups=groups, rng=0, n_resamples=199)
    named = [one.name for one in found.significant if one.grouping == "label"]
    assert named == ["bad"]
