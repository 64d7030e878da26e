"""Comparison of a number of another library with ours; see `benchmarks.peers`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import calibrant as cal

if TYPE_CHECKING:
    from collections.abc import Callable

#: the largest difference that counts as rounding
TOLERANCE = 1e-12


@dataclass(frozen=True)
class Same:
    """A number of another library and the equivalent call of calibrant, on data of `kind`."""

    peer: str
    theirs: str
    ours: str
    kind: str  # "binary" or "classes"
    compute: Callable[[Any, Any], float]
    translate: Callable[[cal.Predictions], float]
    tolerance: float = TOLERANCE


def top(error: cal.Estimator) -> Callable[[cal.Predictions], float]:
    """Return the error of the predicted label."""
    return lambda predictions: error(predictions.top_label())


def class_mean(error: cal.Estimator) -> Callable[[cal.Predictions], float]:
    """Return the mean over classes of the error against the rest."""
    return lambda predictions: float(
        np.mean([error(predictions.one_vs_rest(c)) for c in predictions.classes])
    )
