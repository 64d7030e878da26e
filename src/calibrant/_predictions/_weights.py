"""Sample weights: one finite, non-negative number per row, not all zero."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._predictions._arrays import read
from calibrant._predictions._messages import count, first, place
from calibrant._predictions._probabilities import as_floats, refuse_non_finite
from calibrant._predictions._shapes import without_single_column

if TYPE_CHECKING:
    from calibrant._typing import FloatArray

#: the largest weight lies within 1/EXTREME and EXTREME: third moments hold its sixth power
EXTREME = 1e40


def check_weights(sample_weight: Any, n_samples: int) -> FloatArray:
    """Return the weights as float64 (n,)."""
    source = without_single_column(read(sample_weight, "sample_weight"))
    if source.values.shape != (n_samples,):
        raise ValueError(
            f"sample_weight must have one weight per row, shape ({n_samples},); "
            f"got shape {source.values.shape}"
        )
    weights = as_floats(source.values, "sample_weight")
    largest = float(weights.max())
    if weights.min() >= 0 and 1.0 / EXTREME <= largest <= EXTREME:
        return weights
    refuse_non_finite(
        weights, "sample_weight", ~np.isfinite(weights), "Give rows without a weight a 0"
    )
    negative = weights < 0
    if negative.any():
        raise ValueError(
            f"sample_weight must be non-negative; got {count(negative, 'negative weight')}, "
            f"the first ({first(weights, negative):.6g}) at {place(negative)}"
        )
    if largest == 0:
        raise ValueError("sample_weight must have a positive sum; got only zeros")
    raise ValueError(
        f"sample_weight must have its largest value between {1.0 / EXTREME:g} and {EXTREME:g}; "
        f"got {largest:g}. Only ratios of weights matter: divide them by their mean"
    )
