r"""Directions of confidence: Σ_i ⟨r_i, f(p_i)⟩, standardized.

With f(p) = p it is the Brier direction (Spiegelhalter's statistic for two classes), with a floored
logarithm the score test of temperature scaling. Negative means over-confident.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

import numpy as np

from calibrant import _native
from calibrant._native import FloatArray

Verdict = Literal["over-confident", "under-confident"]
#: the names of two clearly contradicting directions
Conflict = Literal[
    "conflicting: over-confident by the Brier score, under-confident by the log score",
    "conflicting: under-confident by the Brier score, over-confident by the log score",
]
CONFLICTS: tuple[str, ...] = get_args(Conflict)

#: a direction is named if its z-value alone would be significant at 5 %
CLEAR = 1.96
#: floor of the probabilities in the log-score direction: ten times the last digit of a file with
#: four decimals, whose rounding then moves the score by at most .06 deviations (10,000 rows, 100
#: classes); a smaller floor gains little
LOG_FLOOR = 1e-3
#: relative rounding error of each summand of a mean
_ROUNDING = 1e-15


def floored_log(p: FloatArray, floor: float | None = None) -> FloatArray:
    """Return log max(p, floor), the function of the log-score direction; the floor is 0.001."""
    return np.log(np.maximum(p, LOG_FLOOR if floor is None else floor))


def center_scores(p: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return f_c − E f for every row and class, and the variance of f in every row.

    `p` are distributions (n, m), `values` are f(p), and the expectation is over the classes.
    """
    # equal entries differ from their mean only by rounding, which must not be standardized
    noise = (10 + p.shape[1]) * _ROUNDING
    core = _native.active()
    if core is not None:
        centered, variance = np.empty(p.shape), np.empty(len(p))
        core.center_rows(p, values, noise, centered, variance)
        return centered, variance
    centered = values - np.einsum("ic,ic->i", p, values)[:, None]
    centered[np.abs(centered) <= noise * np.abs(values).max(axis=1, keepdims=True)] = 0.0
    return centered, np.einsum("ic,ic,ic->i", p, centered, centered)


def direction_terms(
    p: FloatArray, values: FloatArray, weights: FloatArray
) -> tuple[FloatArray, float]:
    """Return w(f_c − E f) for every row and class, and the variance of their sum over rows."""
    scores, spread = center_scores(p, values)
    scores *= weights[:, None]
    return scores, float(np.sum(weights**2 * spread))


def standardize(sums: FloatArray, variance: float) -> FloatArray:
    """Return sums/√variance, or 0 without variance."""
    return sums / np.sqrt(variance) if variance > 0.0 else np.zeros_like(sums)


def name_direction(z: float, least: float = 0.0) -> Verdict | None:
    """Return the meaning of the sign of z, or None if |z| is 0, NaN or less than `least`."""
    if not abs(z) > 0.0 or abs(z) < least:
        return None
    return "over-confident" if z < 0.0 else "under-confident"


def agreed_direction(z: Mapping[str, float]) -> Verdict | Conflict | None:
    """Return the direction on which the Brier and the log score agree, or their conflict.

    A direction is named if all z-values have the same sign and one of them is clear, |z| ≥ 1.96. If
    two are clear with different signs, the result names the conflict; otherwise it is None.

    Parameters
    ----------
    z : mapping with "brier", "log" or both
        Standardized directions; negative is over-confident.

    Examples
    --------
    >>> agreed_direction({"brier": -2.5, "log": -0.3})
    'over-confident'
    >>> agreed_direction({"brier": -2.5, "log": 0.3}) is None
    True
    >>> agreed_direction({"brier": 2.5, "log": -4.0})
    'conflicting: under-confident by the Brier score, over-confident by the log score'
    """
    values = list(z.values())
    if not values:
        return None
    if all(abs(one) >= CLEAR for one in values) and min(values) < 0.0 < max(values):
        return (
            "conflicting: over-confident by the Brier score, under-confident by the log score"
            if z["brier"] < 0.0
            else "conflicting: under-confident by the Brier score, over-confident by the log score"
        )
    agree = min(values) >= 0.0 or max(values) <= 0.0
    return name_direction(max(values, key=abs), CLEAR) if agree else None
