"""The tail of the Pearson III distribution, a shifted, scaled and mirrored gamma distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant._engine import SMALLEST
from calibrant._native import FloatArray

#: below this skewness the normal distribution is used
NORMAL_SKEWNESS = 1e-6
#: from this shape on an expansion is used, because SciPy's `gammainc` loses its lower tail
LARGE_SHAPE = 1e4


def pearson3_sf(z: Any, skewness: Any) -> FloatArray:
    r"""Return the probability that a Pearson III variable is at least `z`.

    In [1e-300, 1], never 0. Cost: one incomplete gamma function per entry.

    Parameters
    ----------
    z : array-like
        Standardized statistic, with mean 0 and variance 1 under the null hypothesis. Callers must
        handle statistics without variance, whose tail probability is 1.
    skewness : array-like
        Skewness of the statistic; broadcasts against `z`.

    Returns
    -------
    ndarray of the broadcast shape

    Notes
    -----
    With :math:`k = 4/g^2` for the skewness :math:`g > 0` the tail is
    :math:`P(\Gamma_k \ge k + z\sqrt k)`; for :math:`g < 0` the mirrored
    :math:`P(\Gamma_k \le k - z\sqrt k)`; and the normal tail for :math:`|g| < 10^{-6}`.

    Examples
    --------
    >>> from calibrant.methods._pearson import pearson3_sf
    >>> pearson3_sf([1.0], 2.0).round(6)  # skewness 2 is the exponential distribution: exp(-2)
    array([0.135335])
    >>> pearson3_sf([-2.0, 2.0], [0.0, -2.0])  # the mirrored one ends at 1: the floor
    array([9.77249868e-001, 1.00000000e-300])
    """
    from scipy.special import gammainc, gammaincc, ndtr

    z, g = np.broadcast_arrays(np.asarray(z, dtype=float), np.asarray(skewness, dtype=float))
    if not (np.isfinite(z).all() and np.isfinite(g).all()):
        raise ValueError(
            "`z` and `skewness` must be finite; got NaN or infinity. A statistic without "
            "variance has no standardized value: give it the probability 1."
        )
    normal = np.abs(g) < NORMAL_SKEWNESS
    shape = 4.0 / np.where(normal, 1.0, g) ** 2
    # the argument is k + z√k for g > 0 and k − z√k for g < 0
    x = np.maximum(shape + np.sign(g) * z * np.sqrt(shape), 0.0)
    gamma = ~normal & (shape < LARGE_SHAPE)
    tail = np.empty(z.shape)
    # Evaluate each function only where needed: a call takes 0.1 to 5 microseconds, the most for
    #     # `gammaincc` near the mean of small shapes. A tail that is not small may also be 1 − P.
    for wanted, function in (
        (gamma & (g > 0) & (z < 1.0), lambda here: 1.0 - gammainc(shape[here], x[here])),
        (gamma & (g > 0) & (z >= 1.0), lambda here: gammaincc(shape[here], x[here])),
        (gamma & (g < 0), lambda here: gammainc(shape[here], x[here])),
        (normal, lambda here: ndtr(-z[here])),
        (~normal & ~gamma, lambda here: _large(z[here], g[here])),
    ):
        if wanted.any():
            tail[wanted] = function(wanted)
    return np.asarray(np.clip(tail, SMALLEST, 1.0))


def _large(z: FloatArray, g: FloatArray) -> FloatArray:
    # Temme's uniform expansion of the incomplete gamma functions, its first two terms: with
    # 1 + μ = x/k and η²/2 = μ − log(1 + μ), Q = Φ(−η√k) + φ(η√k)/√k·(1/μ − 1/η + O(1/k)).
    from scipy.special import ndtr

    mu = np.maximum(z * g / 2.0, -1.0 + 1e-12)
    root = np.abs(g) / 2.0  # 1/√k
    small = np.abs(mu) < 1e-3
    m = np.where(small, mu, 0.0)
    near = m * (1.0 + m * (-1 / 3 + m * (7 / 36 + m * (-73 / 540 + m * 1331 / 12960))))
    away = np.where(small, 1.0, mu)
    far = np.sign(away) * np.sqrt(2.0 * (away - np.log1p(away)))
    eta = np.where(small, near, far)
    correction = np.where(small, -1 / 3 + eta * (1 / 12 - eta * 2 / 135), 1.0 / away - 1.0 / far)
    with np.errstate(divide="ignore", invalid="ignore"):  # the caller replaces g = 0
        y = np.sign(g) * eta / root
        density = np.exp(-0.5 * y * y) / np.sqrt(2.0 * np.pi)
    return np.asarray(ndtr(-y) + np.sign(g) * root * density * correction)
