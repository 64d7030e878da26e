"""The ranked probability score: published values, the literal sum, two classes."""

import numpy as np
import pytest

from calibrant import Predictions
from calibrant.effects import brier
from calibrant.estimators import RPS

P = np.array([[0.8, 0.1, 0.1], [0.1, 0.2, 0.7], [0.4, 0.4, 0.2]])


@pytest.mark.parametrize(("row", "label", "value"), [(0, 3, 1.45), (1, 3, 0.10), (2, 2, 0.20)])
def test_values_of_scoringutils(row, label, value):
    # ORACLES 9, labels from 1
    assert RPS()([label - 1], P[row : row + 1]) == pytest.approx(value, rel=1e-13)


def test_it_is_the_literal_sum(core):
    rng = np.random.default_rng(0)
    P, y, w = rng.dirichlet(np.ones(5), 30), rng.integers(0, 5, 30), rng.uniform(0.1, 2.0, 30)
    scores = [sum((P[i, : k + 1].sum() - (y[i] <= k)) ** 2 for k in range(5)) for i in range(30)]
    expected = np.average(scores, weights=w)
    assert RPS()(y, P, sample_weight=w) == pytest.approx(expected, rel=1e-12)
    over = RPS().over_labels(Predictions(y, P, sample_weight=w), y[None])
    assert over[0] == pytest.approx(expected, rel=1e-12)


def test_two_classes_have_half_of_the_brier_score():
    predictions = Predictions([0, 1, 1], [0.2, 0.4, 0.9])
    half = brier(predictions).estimate / 2
    assert RPS()(predictions) == pytest.approx(half, rel=1e-14)


def test_far_misses_cost_more_than_near_ones():
    sure = [[1.0, 0.0, 0.0]]
    assert [RPS()([label], sure) for label in (0, 1, 2)] == [0.0, 1.0, 2.0]
