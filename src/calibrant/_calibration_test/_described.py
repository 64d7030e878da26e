"""Predictions of a model described by its number of classes and its confidence."""

from __future__ import annotations

import math

import numpy as np

from calibrant._output import counted, number
from calibrant._predictions import Predictions

#: number of probabilities drawn to describe a model
_ENTRIES = 200_000
#: bounds of the concentration of the Dirichlet distribution
_SHARPEST, _FLATTEST = 1e-4, 1e6


def describe_model(n_classes: int, confidence: float) -> tuple[Predictions, str]:
    """Return Dirichlet predictions with this mean confidence, and a description.

    The concentration is found on 2,000 rows of fixed random numbers, to 1e-3.
    """
    if n_classes < 2:
        raise ValueError(f"`n_classes` must be at least 2; got {n_classes}.")
    if not 1.0 / n_classes < confidence < 1.0:
        raise ValueError(
            f"`confidence` must be above 1/{n_classes} and below 1, for example "
            f"{(1.0 + 1.0 / n_classes) / 2.0:.2f}; got {confidence}."
        )
    rows = max(2_000, _ENTRIES // n_classes)
    y_prob = _dirichlet(_concentration(n_classes, confidence), rows, n_classes)
    zeros = np.zeros(rows, dtype=np.int64)
    like = f"{counted(n_classes, 'class')}, mean confidence {number(confidence)}"
    return Predictions(zeros, y_prob, classes=range(n_classes)), like


def _concentration(n_classes: int, confidence: float) -> float:
    from scipy.optimize import brentq

    def excess(log_alpha: float) -> float:
        sample = _dirichlet(math.exp(log_alpha), 2_000, n_classes)
        return float(sample.max(axis=1).mean()) - confidence

    ends = math.log(_SHARPEST), math.log(_FLATTEST)
    if excess(ends[0]) <= 0.0 or excess(ends[1]) >= 0.0:
        raise ValueError(
            f"`confidence` of {confidence} is too close to a limit for {n_classes} classes; pass "
            "predictions instead."
        )
    return math.exp(brentq(excess, *ends, xtol=1e-3))


def _dirichlet(
    alpha: float, rows: int, n_classes: int
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    # a fixed seed, so that a described model always has the same rows
    y_prob = np.random.default_rng(0).dirichlet(np.full(n_classes, alpha), rows)
    return np.asarray(y_prob)
