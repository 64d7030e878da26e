"""Classes in increasing order: declared once, kept with the rows, dropped by a lens."""

import pickle

import numpy as np
import pytest

from calibrant import Predictions
from calibrant._predictions import as_predictions, join

P = np.array([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]])
Y = [0, 2, 1, 0]


def ordered(**more):
    return Predictions(Y, P, ordered=True, **more)


def test_classes_have_no_order_unless_it_is_said():
    assert not Predictions(Y, P).ordered
    assert ordered().ordered
    assert "ordered" in repr(ordered())
    assert "ordered" not in repr(Predictions(Y, P))


def test_rows_labels_clusters_and_pickles_keep_the_order():
    rows = ordered(clusters=list("aabb"), sample_weight=[1, 2, 3, 4])
    halves = join(rows.take(slice(0, 2)), rows.take([2, 3]))
    others = rows.with_labels(np.array([1, 1, 1, 1])), rows.without_clusters()
    for same in (rows.take([True, False, True, True]), halves, *others):
        assert same.ordered
    again = pickle.loads(pickle.dumps(rows))
    assert again.ordered
    assert not again.y_prob.flags.writeable


def test_lenses_have_no_order():
    rows = ordered(classes=["low", "mid", "high"])
    questions = [rows.top_label(), rows.top_k(2), rows.one_vs_rest("mid"), rows.at_least("mid")]
    merged = rows.merge_classes({"some": ["low", "mid"]})
    for seen in (*questions, merged, rows.event(), rows.lens(lambda p: np.argsort(p, axis=1))):
        assert not seen.ordered


def test_every_way_to_make_predictions_takes_the_order():
    class Grader:
        classes_ = (1, 2, 3)

        def predict_proba(self, X):
            return P

    for rows in (
        Predictions.from_logits(Y, np.log(P), ordered=True),
        Predictions.from_votes(np.eye(3, dtype=int)[Y], P, ordered=True),
        Predictions.from_estimator(Grader(), P, [1, 3, 2, 1], ordered=True),
        as_predictions(Y, P, ordered=True),
        as_predictions(Predictions(Y, P), ordered=True),
        as_predictions(ordered(), ordered=True),
    ):
        assert rows.ordered
        np.testing.assert_allclose(rows.y_prob, P)


def test_two_classes_have_nothing_but_their_order():
    assert not Predictions([0, 1], [0.2, 0.6], ordered=True).has_order
    assert ordered().has_order


@pytest.mark.parametrize("value", ["low < high", ["low", "high"], 1, None])
def test_an_order_is_said_with_true_or_false(value):
    with pytest.raises(TypeError, match="`ordered` must be True or False"):
        Predictions(Y, P, ordered=value)
