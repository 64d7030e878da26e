"""Sample weights: one finite, non-negative number per row, not all zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant._native import FloatArray
from calibrant._predictions._arrays import read
from calibrant._predictions._messages import count, first_of
from calibrant._predictions._probabilities import as_floats, refuse_non_finite
from calibrant._predictions._shapes import without_single_column
from calibrant.errors import DataError, Problem

#: the largest weight must lie within 1/EXTREME and EXTREME: third moments contain its sixth power
EXTREME = 1e40


def check_weights(sample_weight: Any, n_samples: int) -> FloatArray:
    """Return the weights as float64 (n,)."""
    source = without_single_column(read(sample_weight, "sample_weight"))
    if source.values.shape != (n_samples,):
        raise DataError(
            Problem.SHAPE,
            f"must have one weight per row, shape ({n_samples},)",
            argument="sample_weight",
            got=f"shape {source.values.shape}",
        )
    weights = as_floats(source.values, "sample_weight")
    largest = float(weights.max())
    if weights.min() >= 0 and 1.0 / EXTREME <= largest <= EXTREME:
        return weights
    refuse_non_finite(
        weights, "sample_weight", ~np.isfinite(weights), "give rows without a weight a 0"
    )
    negative = weights < 0
    if negative.any():
        raise DataError(
            Problem.RANGE,
            "must be non-negative",
            argument="sample_weight",
            got=count(negative, "negative weight"),
            **first_of(negative, weights),
        )
    if largest == 0:
        raise DataError(
            Problem.RANGE,
            "must have a positive sum",
            argument="sample_weight",
            got="only zeros",
            remedy="give at least one row a positive weight, or leave the weights out",
        )
    raise DataError(
        Problem.RANGE,
        f"must have its largest value between {1.0 / EXTREME:g} and {EXTREME:g}",
        argument="sample_weight",
        value=largest,
        hint="only ratios of weights matter",
        remedy="divide them by their mean",
    )
