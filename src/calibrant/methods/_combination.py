r"""Combining several statistics of the same label sets into one exact test.

Every step treats all B + 1 label sets alike, including the observed one, so the rank of the
combination is uniform under the null hypothesis and the test is exact.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from calibrant._engine import SMALLEST
from calibrant._native import FloatArray
from calibrant.methods._pearson import pearson3_sf

#: cap for standardized statistics and skewnesses; beyond it the tail is 0 or 1 anyway
_LARGEST = 1e6


def pooled_tails(statistics: FloatArray, *, centered: bool = True) -> FloatArray:
    r"""Return approximate p-values of statistics (n_components, B + 1), row by row.

    The tail is Pearson III with the standard deviation and skewness of the *other* label sets:
    with moments of all label sets, an extreme one would inflate its own standard deviation,
    noticeably so with 19 or 99 label sets. A component without variance gets 1.

    Parameters
    ----------
    statistics : array of shape (n_components, B + 1)
    centered : bool, default True
        The mean is 0 under the null hypothesis; otherwise it is estimated as well.

    Notes
    -----
    With :math:`S_k = \sum_b s_b^k`, the moments without label set b are :math:`(S_k - s_b^k)/B`:
    one pass, and the same function for every label set.
    """
    if not centered:
        statistics = statistics - np.mean(statistics, axis=1, keepdims=True)
    scale = np.max(np.abs(statistics), axis=1, keepdims=True)
    s = statistics / np.where(scale > 0.0, scale, 1.0)
    first, second, third = (_without_own(power) for power in (s, s * s, s * s * s))
    return _tails(s, np.zeros_like(s) if centered else first, second, third)


def reference_tails(
    statistics: FloatArray, reference: FloatArray, *, centered: bool = True
) -> FloatArray:
    """Return the tails of statistics (n_components, R) with the moments of a reference, (…, M).

    The function is the same for every label set outside the reference, and uses no others.
    """
    scale = np.max(np.abs(reference), axis=1, keepdims=True)
    scale = np.where(scale > 0.0, scale, 1.0)
    s, r = statistics / scale, reference / scale
    middle = np.zeros((len(r), 1)) if centered else np.mean(r, axis=1, keepdims=True)
    s, r = s - middle, r - middle
    moments = (np.mean(power, axis=1, keepdims=True) for power in (r, r * r, r * r * r))
    first, second, third = (np.broadcast_to(moment, s.shape) for moment in moments)
    return _tails(s, np.zeros_like(s) if centered else first, second, third)


def _tails(s: FloatArray, first: FloatArray, second: FloatArray, third: FloatArray) -> FloatArray:
    variance = second - first**2
    # subtracting a label set's own square leaves a rounding error of its size
    variance[variance <= 1e-14 * s**2] = 0.0
    alone = variance == 0.0
    sd = np.sqrt(np.where(alone, 1.0, variance))
    z = np.clip((s - first) / sd, -_LARGEST, _LARGEST)
    cube = np.where(alone, 0.0, third - 3.0 * first * second + 2.0 * first**3)
    skewness = np.clip(cube / sd**3, -_LARGEST, _LARGEST)
    return np.where(alone, np.where(s > first, SMALLEST, 1.0), pearson3_sf(z, skewness))


def _without_own(powers: FloatArray) -> FloatArray:
    """Return, for every label set, the mean over all others."""
    others = max(powers.shape[1] - 1, 1)
    return np.asarray((np.sum(powers, axis=1, keepdims=True) - powers) / others)


def harmonic_mean(tails: FloatArray, weights: FloatArray | None = None) -> FloatArray:
    """Return the harmonic mean over the components of a family, shape (B + 1,).

    `weights` has one entry for each component; all are 1 by default.
    """
    w = np.ones(len(tails)) if weights is None else weights
    return np.asarray(np.sum(w) / np.sum(w[:, None] / tails, axis=0))


def combine(tails: Mapping[str, FloatArray], weights: Mapping[str, float]) -> FloatArray:
    """Return −log M for every label set, with 1/M = Σ_f w_f/h_f over the family tails h_f.

    The weights are divided by their sum, so that M is a weighted harmonic mean.
    """
    total = sum(weights[name] for name in tails)
    parts = [weights[name] / total / tail for name, tail in tails.items()]
    return np.asarray(np.log(np.sum(parts, axis=0)))
