"""Logits become probabilities, at any magnitude."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from calibrant._predictions._messages import count, place
from calibrant._predictions._probabilities import as_floats, refuse_non_finite

if TYPE_CHECKING:
    from calibrant._predictions._arrays import Source
    from calibrant._typing import FloatArray


def softmax(logits: Source, temperature: float) -> FloatArray:
    """Return exp(z/T) / Σ exp(z/T) by row; a vector z means the two columns [0, z].

    A logit of −∞ is a probability of 0. Cost O(n·m).
    """
    number: object = temperature  # what the annotation promises is not checked at run time
    if not isinstance(number, int | float | np.number) or not 0 < number < math.inf:
        raise ValueError(f"temperature must be a positive number; got {temperature!r}")
    values = as_floats(logits.values, "logits")
    refuse_non_finite(
        values,
        "logits",
        np.isnan(values) | (values == np.inf),
        "Drop these rows from y_true and logits alike (-inf is a probability of 0)",
    )
    table = values if values.ndim == 2 else np.column_stack([np.zeros_like(values), values])
    highest = table.max(axis=1, keepdims=True)
    impossible = highest[:, 0] == -np.inf
    if impossible.any():
        raise ValueError(
            f"logits must have a finite value in every row; got {count(impossible, 'row')} of "
            f"-inf only, the first at {place(impossible)}. Drop these rows from y_true and logits"
        )
    with np.errstate(over="ignore", under="ignore"):  # a difference of -inf is a probability of 0
        exponentials: FloatArray = np.exp((table - highest) / float(temperature))
    exponentials /= exponentials.sum(axis=1, keepdims=True)
    return exponentials
