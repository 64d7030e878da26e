"""Many labellings of the same predictions at once: what a resampling test computes on."""

from calibrant._labelings._labelings import Labelings, residual_values
from calibrant._labelings._sums import (
    cell_sums,
    feature_sums,
    line_sums,
    same_label_sums,
    score_sums,
)

__all__ = [
    "Labelings",
    "cell_sums",
    "feature_sums",
    "line_sums",
    "residual_values",
    "same_label_sums",
    "score_sums",
]
