"""Conversion of logits of any magnitude to probabilities."""

from __future__ import annotations

import math

import numpy as np

from calibrant._native import FloatArray
from calibrant._predictions._arrays import Source
from calibrant._predictions._messages import DROP_ROWS, count, first_of
from calibrant._predictions._probabilities import as_floats, refuse_non_finite
from calibrant.errors import DataError, Problem


def softmax(logits: FloatArray) -> FloatArray:
    """Return exp(z)/Σ exp(z) by row, safe at any magnitude; −∞ becomes exactly 0."""
    exponentials: FloatArray = np.exp(logits - logits.max(axis=1, keepdims=True))
    exponentials /= exponentials.sum(axis=1, keepdims=True)
    return exponentials


def logits_to_probabilities(logits: Source, temperature: float) -> FloatArray:
    """Return exp(z/T) / Σ exp(z/T) by row; a vector z stands for the two columns [0, z].

    A logit of −∞ is a probability of 0. Cost O(n·m).
    """
    number: object = temperature  # the annotation is not checked at run time
    if not isinstance(number, int | float | np.number) or not 0 < number < math.inf:
        raise ValueError(f"`temperature` must be a positive number; got {temperature!r}.")
    values = as_floats(logits.values, "logits")
    wrong = np.isnan(values) | (values == np.inf)
    refuse_non_finite(values, "logits", wrong, f"{DROP_ROWS} (-inf is a probability of 0)")
    table = values if values.ndim == 2 else np.column_stack([np.zeros_like(values), values])
    highest = table.max(axis=1, keepdims=True)
    impossible = highest[:, 0] == -np.inf
    if impossible.any():
        raise DataError(
            Problem.NOT_FINITE,
            "must have a finite value in every row",
            argument="logits",
            got=f"{count(impossible, 'row')} of -inf only",
            remedy=DROP_ROWS,
            **first_of(impossible),
        )
    with np.errstate(over="ignore", under="ignore"):  # a difference of -inf is a probability of 0
        return softmax((table - highest) / float(temperature))
