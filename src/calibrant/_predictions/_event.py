"""The event of each row: what an error of one probability looks at."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from calibrant._native import IntArray
from calibrant._predictions._groups import top_classes
from calibrant._predictions._messages import name_text
from calibrant._predictions._predictions import Predictions

#: the event of more than two classes
PREDICTED = "the predicted label"


def predicted_classes(predictions: Predictions) -> IntArray:
    """Return the class that each row predicts: the most probable one, of equal ones the first.

    Ranks predict the top class, also where all others together are more probable. O(n·m).
    """
    if predictions.ranked:
        return np.ones(predictions.n_samples, dtype=np.int64)
    return top_classes(predictions.y_prob)


def event_classes(predictions: Predictions) -> IntArray:
    """Return the class whose occurrence is the event of `Predictions.event`, for each row."""
    if predictions.n_classes == 2:
        return np.ones(predictions.n_samples, dtype=np.int64)
    return predicted_classes(predictions)


def event_name(classes: Sequence[Hashable], *, ranked: bool = False) -> str:
    """Say what the event of `Predictions.event` is.

    Examples
    --------
    >>> event_name(["no", "yes"]), event_name("abc")
    ('P(class yes)', 'the predicted label')
    """
    if ranked or len(classes) > 2:
        return PREDICTED
    return f"P(class {name_text(classes[-1])})"
