"""Labels that were observed although their predicted probability is exactly 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibrant._output import Plain
from calibrant._predictions import Predictions, label_probabilities


@dataclass(frozen=True)
class ImpossibleLabels(Plain):
    """The number of labels with probability exactly 0, and the first such rows.

    A single such row refutes calibration, unless the file was rounded. Therefore it is reported
    with a test, but never decides alone.

    Examples
    --------
    >>> from calibrant import Predictions
    >>> from calibrant.effects import impossible_labels
    >>> impossible_labels(Predictions([1, 0], [0.0, 0.4]))
    ImpossibleLabels(count=1, rows=(0,))
    """

    count: int
    rows: tuple[int, ...]


def impossible_labels(predictions: Predictions, first: int = 10) -> ImpossibleLabels:
    """Count the rows of positive weight whose label had predicted probability 0; O(n).

    Parameters
    ----------
    predictions : Predictions
        Labels and probabilities.
    first : int, default 10
        Number of row numbers to list.

    Returns
    -------
    ImpossibleLabels

    Examples
    --------
    >>> from calibrant import Predictions
    >>> from calibrant.effects import impossible_labels
    >>> impossible_labels(Predictions([1, 1, 0], [0.5, 0.0, 1.0]))
    ImpossibleLabels(count=2, rows=(1, 2))

    The labels of rows 1 and 2 were predicted to be impossible.
    """
    zero = label_probabilities(predictions) == 0.0
    if predictions.sample_weight is not None:
        zero &= predictions.sample_weight > 0
    rows = np.flatnonzero(zero)
    return ImpossibleLabels(len(rows), tuple(rows[:first].tolist()))
