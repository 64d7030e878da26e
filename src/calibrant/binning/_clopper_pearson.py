"""Clopper–Pearson intervals: frequencies that do not contradict the hits that were seen."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant._native import FloatArray


def clopper_pearson(
    hits: Any, trials: Any, confidence_level: float
) -> tuple[FloatArray, FloatArray]:
    r"""Return the ends of the intervals for the probability behind `hits` of `trials`.

    They cover it with probability `confidence_level` or more for any number of trials. Cost O(k).

    Parameters
    ----------
    hits, trials : array-like of shape (k,)
        Counts, or weights with an effective number of trials; NaN gives NaN.
    confidence_level : float in (0, 1)

    Returns
    -------
    low, high : ndarray of shape (k,)

    Notes
    -----
    With x hits in n trials the ends are quantiles of beta distributions: :math:`\alpha/2` of
    B(x, n − x + 1), or 0 without hits, and :math:`1 - \alpha/2` of B(x + 1, n − x), or 1 where
    all trials hit.

    References
    ----------
    C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated in the
    case of the binomial", Biometrika 1934.

    Examples
    --------
    >>> from calibrant.binning._clopper_pearson import clopper_pearson
    >>> low, high = clopper_pearson([0, 5], [10, 10], 0.95)
    >>> low.round(3), high.round(3)
    (array([0.   , 0.187]), array([0.308, 0.813]))

    No hit in ten trials: the probability is at most 31 %.
    """
    from scipy.special import betaincinv

    x, n = np.broadcast_arrays(np.asarray(hits, float), np.asarray(trials, float))
    tail = 0.5 * (1.0 - confidence_level)
    known = np.isfinite(x) & np.isfinite(n)
    # a frequency from weights may exceed 0 or 1 by rounding only
    some, others = known & (x > 1e-12 * n), known & (n - x > 1e-12 * n)
    low, high = np.where(known, 0.0, np.nan), np.where(known, 1.0, np.nan)
    low[some] = betaincinv(x[some], (n - x)[some] + 1.0, tail)
    high[others] = betaincinv(x[others] + 1.0, (n - x)[others], 1.0 - tail)
    return low, high
