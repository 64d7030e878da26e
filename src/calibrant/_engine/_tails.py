"""Tails of the normal distribution, and the smallest reported p-value."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant._native import FloatArray

#: the smallest reported p-value: never 0, and safe in double precision
SMALLEST = 1e-300


def normal_tail(z: Any) -> FloatArray:
    """Return P(Z ≥ z) for standard normal Z, elementwise, at least 1e-300."""
    from scipy.special import ndtr

    return np.asarray(np.maximum(ndtr(-np.asarray(z)), SMALLEST))


def two_sided_tail(z: Any) -> FloatArray:
    """Return P(|Z| ≥ |z|) for standard normal Z, elementwise, at least 1e-300.

    Examples
    --------
    >>> round(float(two_sided_tail(1.959964)), 6)
    0.05
    """
    from scipy.special import ndtr

    return np.asarray(np.maximum(2.0 * ndtr(-np.abs(z)), SMALLEST))
