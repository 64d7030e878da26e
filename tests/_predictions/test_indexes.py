"""Rows are matched by position, and pandas indexes must not contradict this."""

import numpy as np
import pandas as pd
import pytest

from calibrant import Predictions
from calibrant._predictions import check_indexes
from calibrant.errors import DataError

N = 6
MIXED = [3, 0, 5, 1, 4, 2]
NAMED = list("abcdef")
TIMES = pd.date_range("2026-01-01", periods=N)


def series(index):
    return pd.Series(np.zeros(N), index=index)


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        (None, None, True),
        (NAMED, NAMED, True),
        (MIXED, MIXED, True),
        (None, range(100, 106), True),
        (None, NAMED, True),
        (None, TIMES, True),
        (list(range(N)), None, True),
        (None, MIXED, False),
        (MIXED, None, False),
        (NAMED, NAMED[::-1], False),
        (NAMED, range(100, 106), False),
        (range(100, 106), range(200, 206), False),
        (TIMES, TIMES[::-1], False),
        ([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 2], True),
        ([0, 0, 1, 1, 2, 2], [0, 1, 2, 0, 1, 2], False),
    ],
)
def test_indexes_agree_or_are_refused(one, other, agree):
    given = {"y_true": series(one), "y_prob": series(other).to_frame()}
    if agree:
        check_indexes(given)
        return
    with pytest.raises(DataError, match=r"must have the index of `y_true`.*\.to_numpy\(\)"):
        check_indexes(given)


def test_arrays_have_no_index():
    check_indexes({"y_true": series(MIXED), "y_prob": np.zeros(N), "sample_weight": None})


def test_every_pair_is_compared_also_inside_mappings():
    models = {"a": series(None), "b": series(MIXED)}
    with pytest.raises(DataError, match=r"y_probs\['b'\] must have the index of `y_probs\['a'\]`"):
        check_indexes({"y_true": np.zeros(N), "y_probs": models})


def test_weights_and_rows_for_an_estimator_are_compared():
    p = pd.DataFrame({0: [0.5] * N, 1: [0.5] * N})
    with pytest.raises(DataError, match="`sample_weight` must have the index"):
        Predictions([0, 1] * 3, p, sample_weight=series(MIXED) + 1.0)

    class Coin:
        classes_ = (0, 1)

        def predict_proba(self, X):
            return np.full((len(X), 2), 0.5)

    with pytest.raises(DataError, match="`y` must have the index of `X`"):
        Predictions.from_estimator(Coin(), p, series(MIXED).astype(int))
