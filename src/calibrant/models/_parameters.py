"""The checks of model parameters."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from calibrant._native import FloatArray


def check_rows(y_prob: npt.ArrayLike, n_classes: int | None) -> FloatArray:
    p = np.asarray(y_prob, dtype=np.float64)
    if p.ndim != 2 or p.shape[1] != n_classes:
        raise ValueError(
            f"`y_prob` must have shape (n_samples, {n_classes}); got {p.shape}. "
            "Pass one prediction as one row, and two columns for two classes."
        )
    return p


def check_probability(name: str, value: float) -> float:
    if not 0 <= value <= 1:
        raise ValueError(f"`{name}` must be in [0, 1]; got {value}.")
    return float(value)


def check_positive(name: str, value: float) -> float:
    if not (value > 0 and np.isfinite(value)):
        raise ValueError(f"`{name}` must be positive and finite; got {value}.")
    return float(value)
