r"""Combining several statistics of the same label sets into one exact test.

Every step treats the B + 1 label sets alike, the observed one among them, so the rank of the
combination is uniform under the null hypothesis, and the test is exact.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from calibrant._native import FloatArray
from calibrant.methods._pearson import pearson3_sf


def pooled_tails(statistics: FloatArray) -> FloatArray:
    """Return approximate p-values of statistics (n_components, B + 1), each row by itself.

    The standard deviation and skewness are pooled over the label sets (the mean is 0 under the
    null hypothesis), the tail is Pearson III. A component without variance says nothing: 1.
    """
    sd = np.sqrt(np.mean(statistics**2, axis=1, keepdims=True))
    silent = sd == 0.0
    z = statistics / np.where(silent, 1.0, sd)
    skewness = np.mean(z**3, axis=1, keepdims=True)
    return np.where(silent, 1.0, pearson3_sf(z, skewness))


def harmonic_mean(tails: FloatArray) -> FloatArray:
    """Return the harmonic mean over the components of a family, shape (B + 1,)."""
    return np.asarray(len(tails) / np.sum(1.0 / tails, axis=0))


def combine(families: Mapping[str, FloatArray]) -> FloatArray:
    """Return −log M for every label set, 1/M the sum of the reciprocal family tails."""
    return np.asarray(np.log(np.sum([1.0 / tail for tail in families.values()], axis=0)))
