"""Votes of several annotators: one row per vote, items as clusters, exact where votes are draws."""

import itertools
from math import prod, sqrt

import numpy as np
import pytest
from tests.samples import make_sample

import calibrant as cal
from calibrant import SKCE, Predictions
from calibrant.errors import DataError, Problem
from calibrant.kernels import Laplacian
from calibrant.methods import Aggregated, Exact

P = [[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]]
VOTES = [[2, 0, 1], [0, 1, 0], [1, 0, 3]]
ITEMS = [0, 0, 0, 1, 2, 2, 2, 2]


def parts(rows):
    return rows.y_true, rows.y_prob, rows.sample_weight, rows.clusters


def same(rows, others):
    for one, other in zip(parts(rows), parts(others), strict=True):
        np.testing.assert_array_equal(one, other)
    assert rows.classes == others.classes


def test_every_vote_is_a_row_in_the_cluster_of_its_item():
    rows = Predictions.from_votes(VOTES, P)
    assert rows.y_true.tolist() == [0, 0, 2, 1, 0, 2, 2, 2]
    same(rows, Predictions([0, 0, 2, 1, 0, 2, 2, 2], np.array(P)[ITEMS], clusters=ITEMS))
    assert rows.sample_weight is None


def test_independent_votes_have_no_clusters():
    rows = Predictions.from_votes(VOTES, P, independent_votes=True)
    same(rows, Predictions.from_votes(VOTES, P).without_clusters())


def test_weights_and_clusters_are_those_of_the_items():
    rows = Predictions.from_votes(VOTES, P, sample_weight=[1, 2, 0.5], clusters=["a", "b", "a"])
    assert rows.sample_weight.tolist() == [1, 1, 1, 2, 0.5, 0.5, 0.5, 0.5]
    ids = np.array(["a", "b", "a"])[ITEMS]
    np.testing.assert_array_equal(
        rows.clusters, Predictions(rows.y_true, rows.y_prob, clusters=ids).clusters
    )


def test_brier_score_and_accuracy_of_two_items_by_hand():
    rows = Predictions.from_votes([[3, 1], [0, 1]], [[0.8, 0.2], [0.6, 0.4]])
    scores = [0.08, 0.08, 0.08, 1.28, 0.72]  # |e_y - p|²
    brier = np.mean(np.sum(rows.residuals**2, axis=1))
    assert brier == pytest.approx(np.mean(scores), rel=1e-14)
    assert cal.effects.accuracy(rows).estimate == pytest.approx(3 / 5, rel=1e-14)
    alike = Predictions.from_votes(
        [[3, 1], [0, 1]], [[0.8, 0.2], [0.6, 0.4]], sample_weight=[1 / 4, 1]
    )
    assert cal.effects.accuracy(alike).estimate == pytest.approx((3 / 4 + 0) / 2, rel=1e-14)


def test_unbiased_skce_of_two_items_by_hand():
    # rows (p, 0), (p, 1), (q, 1): pairs of one item have k = 1, the others exp(-|p - q|/2)
    p, q = np.array([0.7, 0.3]), np.array([0.4, 0.6])
    rows = Predictions.from_votes([[1, 1], [0, 1]], [p, q], independent_votes=True)
    r = [np.array([1, 0]) - p, np.array([0, 1]) - p, np.array([0, 1]) - q]
    k = np.exp(-np.abs(p - q).sum() / 2)
    by_hand = (r[0] @ r[1] + k * (r[0] @ r[2] + r[1] @ r[2])) / 3
    assert SKCE(Laplacian(1.0))(rows) == pytest.approx(by_hand, rel=1e-13)


@pytest.mark.parametrize("independent_votes", [False, True])
@pytest.mark.parametrize("m", [2, 10])
def test_one_vote_per_item_is_a_label_bit_for_bit(m, independent_votes):
    y, p, w = make_sample(3, 40, m)
    votes = np.eye(m, dtype=int)[y]
    rows = Predictions.from_votes(votes, p, sample_weight=w, independent_votes=independent_votes)
    labels = Predictions(y, p, sample_weight=w)
    same(rows, labels)
    for view in (lambda one: one, Predictions.top_label):
        one, other = (cal.calibration_test(view(data), rng=1).to_dict() for data in (rows, labels))
        assert one["pvalue"] == other["pvalue"]
        assert one["effects"] == other["effects"]


def test_names_of_columns_say_which_class_was_chosen():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(P, columns=["a", "b", "c"])
    votes = pandas.DataFrame(VOTES, columns=["a", "b", "c"])
    named = Predictions.from_votes(votes, frame)
    shuffled = Predictions.from_votes(votes[["c", "a", "b"]], frame)
    assert named.classes == shuffled.classes == ("a", "b", "c")
    for rows in (named, shuffled):
        counts = np.zeros((3, 3), dtype=int)
        np.add.at(counts, (ITEMS, rows.y_true), 1)
        assert counts.tolist() == VOTES
    with pytest.raises(DataError, match=r"`votes` must have columns named by the classes"):
        Predictions.from_votes(votes.set_axis(["x", "y", "z"], axis=1), frame)


def test_one_column_of_predictions_takes_two_columns_of_votes():
    rows = Predictions.from_votes([[1, 2], [1, 0]], [0.75, 0.25], classes=["no", "yes"])
    assert rows.labels.tolist() == ["no", "yes", "yes", "no"]
    assert rows.y_prob[:, 1].tolist() == [0.75, 0.75, 0.75, 0.25]


def vote_tables():
    """Yield every table of votes for items of 3, 1 and 2 votes, with its probability."""
    p, items = np.array([[0.7, 0.3], [0.2, 0.8], [0.45, 0.55]]), [0, 0, 0, 1, 2, 2]
    tables = {}
    for labels in itertools.product(range(2), repeat=len(items)):
        votes = np.zeros((3, 2), dtype=int)
        np.add.at(votes, (items, list(labels)), 1)
        key = tuple(map(tuple, votes.tolist()))
        chance = prod(p[i, y] for i, y in zip(items, labels, strict=True))
        tables[key] = tables.get(key, 0.0) + chance
    return p, tables


def test_the_exact_p_value_is_that_of_all_vote_tables():
    p, tables = vote_tables()
    assert len(tables) == 4 * 2 * 3
    assert sum(tables.values()) == pytest.approx(1, rel=1e-14)
    skce = SKCE(Laplacian(0.5))

    def read(votes):
        return Predictions.from_votes(votes, p, independent_votes=True)

    values = {votes: skce(read(votes)) for votes in tables}
    n_resamples = 4999
    for votes in itertools.islice(tables, 0, None, 5):
        tail = sum(q for other, q in tables.items() if values[other] >= values[votes] - 1e-12)
        result = cal.calibration_test(
            read(votes), estimator=skce, method=Exact(n_resamples, stop_after=None), rng=0,
            effects=False,
        )  # fmt: skip
        expected = (1 + n_resamples * tail) / (1 + n_resamples)
        error = sqrt(max(tail * (1 - tail), 1e-12) / n_resamples)
        assert abs(result.pvalue - expected) <= 4 * error + 1e-12


def test_items_are_clusters_of_the_test():
    p = np.random.default_rng(0).dirichlet([1, 1, 1], 30)
    votes = 4 * np.eye(3, dtype=int)[np.arange(30) % 3]
    result = cal.calibration_test(
        Predictions.from_votes(votes, p), rng=0, method=Aggregated(99), effects=False
    )
    assert result.details["clusters"]["n_clusters"] == 30
    assert result.details["clusters"]["null"] == "coupled labels"


@pytest.mark.parametrize(
    ("cell", "problem", "message"),
    [
        (
            -1,
            Problem.RANGE,
            r"`votes` must not be negative; .* the first \(-1\) at row 1, column 2",
        ),
        (np.nan, Problem.NOT_FINITE, "`votes` must be finite"),
        (np.inf, Problem.NOT_FINITE, "`votes` must be finite"),
        (
            0.5,
            Problem.FRACTIONS,
            r"compares labels with labels drawn .* use `Predictions.from_soft_labels`",
        ),
        (2.0**40, Problem.RANGE, "`votes` must be at most 2147483648"),
        (0, Problem.MISSING, r"at least one vote in every row; got 1 row .* the first at row 1"),
    ],
)
def test_cells_that_are_not_counts_are_refused(cell, problem, message):
    votes = np.array([[1.0, 0, 1], [0, 0, cell], [1, 1, 1]])
    with pytest.raises(DataError, match=message) as refused:
        Predictions.from_votes(votes, P)
    assert refused.value.problem is problem
    assert refused.value.row == 1


@pytest.mark.parametrize(
    ("votes", "problem"),
    [
        ([1, 2, 3], Problem.SHAPE),
        ([[1], [2], [3]], Problem.SHAPE),
        (np.ones((3, 3, 3)), Problem.SHAPE),
        (np.ones((0, 3)), Problem.SHAPE),
        ([[1, 2], [1, 2], [1, 2]], Problem.SHAPE),
        ([[1, 0, 0], [0, 1, 0]], Problem.LENGTHS),
        ([["a", "b", "c"]] * 3, Problem.NOT_NUMBERS),
    ],
)
def test_tables_of_another_shape_or_type_are_refused(votes, problem):
    with pytest.raises(DataError) as refused:
        Predictions.from_votes(votes, P)
    assert refused.value.problem is problem


def test_clusters_contradict_independent_votes():
    with pytest.raises(ValueError, match="`independent_votes` must be False"):
        Predictions.from_votes(VOTES, P, clusters=[1, 1, 2], independent_votes=True)


def test_predictions_are_not_arrays():
    with pytest.raises(TypeError, match="must be arrays"):
        Predictions.from_votes(Predictions([0, 1, 2], P), P)
