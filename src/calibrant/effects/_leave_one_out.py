"""The jackknife: a standard error from the estimates without one row each."""

from __future__ import annotations

import math

import numpy as np

from calibrant._native import FloatArray

#: a spread below this share of the values is rounding, not variation
_ROUNDING = 1e-13


def jackknife_error(without: FloatArray) -> float:
    """Return √((n−1)/n · Σ(θ_{−i} − mean)²); NaN if the values do not vary or are too few.

    Parameters
    ----------
    without : ndarray of shape (n,)
        The estimate without row (or block) i.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant.effects._leave_one_out import jackknife_error
    >>> x = np.array([1.0, 2.0, 4.0])
    >>> without = (x.sum() - x) / 2  # means of the others
    >>> bool(np.isclose(jackknife_error(without), x.std(ddof=1) / np.sqrt(3)))
    True

    For a mean, it is the usual standard error.
    """
    n = len(without)
    if n < 2 or not np.isfinite(without).all():
        return math.nan
    deviation = without - without.mean()
    if np.abs(deviation).max() <= _ROUNDING * np.abs(without).max():
        return math.nan
    return math.sqrt((n - 1) / n * float(np.sum(deviation**2)))
