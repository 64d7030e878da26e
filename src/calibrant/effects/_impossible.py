"""Labels that were observed although their predicted probability is exactly 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibrant._output import Plain
from calibrant._predictions import Predictions, label_probabilities


@dataclass(frozen=True)
class ImpossibleLabels(Plain):
    """How many labels had probability exactly 0, and the first rows where.

    One such row refutes calibration, unless the file was rounded: it is reported with a test
    and never decides alone.

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
    first : int, default 10
        How many row numbers to list.

    Returns
    -------
    ImpossibleLabels

    Examples
    --------
    >>> from calibrant import Predictions
    >>> from calibrant.effects import impossible_labels
    >>> impossible_labels(Predictions([1, 1, 0], [0.5, 0.0, 1.0]))
    ImpossibleLabels(count=2, rows=(1, 2))

    In rows 1 and 2 happened what was said to be impossible.
    """
    zero = label_probabilities(predictions) == 0.0
    if predictions.sample_weight is not None:
        zero &= predictions.sample_weight > 0
    rows = np.flatnonzero(zero)
    return ImpossibleLabels(len(rows), tuple(rows[:first].tolist()))
