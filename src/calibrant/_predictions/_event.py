"""The event of each row, for errors of a single probability."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from calibrant._native import IntArray
from calibrant._predictions._groups import top_classes
from calibrant._predictions._messages import name_text
from calibrant._predictions._predictions import Predictions

#: the event with more than two classes
PREDICTED = "the predicted label"


def predicted_classes(predictions: Predictions) -> IntArray:
    """Return each row's predicted class: the most probable one, or the first of equal ones.

    With ranks it is the top class, even if all others together are more probable. O(n·m).
    """
    if predictions.ranked:
        return np.ones(predictions.n_samples, dtype=np.int64)
    return top_classes(predictions.y_prob)


def event_classes(predictions: Predictions) -> IntArray:
    """Return, for each row, the class whose occurrence is the event of `Predictions.event`."""
    if predictions.n_classes == 2:
        return np.ones(predictions.n_samples, dtype=np.int64)
    return predicted_classes(predictions)


def event_name(classes: Sequence[Hashable], *, ranked: bool = False) -> str:
    """Return the name of the event of `Predictions.event`.

    Examples
    --------
    >>> event_name(["no", "yes"]), event_name("abc")
    ('P(class yes)', 'the predicted label')
    """
    if ranked or len(classes) > 2:
        return PREDICTED
    return f"P(class {name_text(classes[-1])})"
