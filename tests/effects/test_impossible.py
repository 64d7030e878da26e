import numpy as np

from calibrant import Predictions
from calibrant.effects import impossible_labels


def test_only_labels_of_probability_exactly_zero_count():
    found = impossible_labels(Predictions([1, 1, 0, 0], [0.0, 1e-300, 1.0, 0.5]))
    assert (found.count, found.rows) == (2, (0, 2))
    assert found.to_dict() == {"count": 2, "rows": [0, 2]}


def test_first_rows_are_listed_all_are_counted():
    found = impossible_labels(Predictions(np.ones(50, dtype=int), np.zeros(50)), first=3)
    assert (found.count, found.rows) == (50, (0, 1, 2))


def test_rows_of_weight_zero_say_nothing():
    predictions = Predictions([1, 1], [0.0, 0.0], sample_weight=[0.0, 1.0])
    assert impossible_labels(predictions).rows == (1,)
