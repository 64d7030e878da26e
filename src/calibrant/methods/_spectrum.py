"""The limit law of the unbiased SKCE: a weighted sum of χ² variables, and its tail."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from calibrant.methods._pearson import FLOOR

if TYPE_CHECKING:
    from calibrant._typing import FloatArray

#: the sums of the first four powers of the eigenvalues
PowerSums = tuple[float, float, float, float]


def power_sums(h: FloatArray) -> PowerSums:
    r"""Return :math:`c_k = \sum_i \lambda_i^k` of the eigenvalues of JHJ/n, J = I − 11ᵀ/n.

    They are traces of powers: one matrix product, no eigenvalue is ever computed; O(n³).
    """
    n = len(h)
    means = h.mean(axis=0)
    centred = (h - means[:, None] - means[None, :] + means.mean()) / n
    squared = centred @ centred
    return (
        float(np.trace(centred)),
        float(np.vdot(centred, centred)),
        float(np.vdot(squared, centred)),
        float(np.vdot(squared, squared)),
    )


def weighted_chi2_sf(z: float, sums: PowerSums) -> float:
    r"""Return the probability that Σλ(Z² − 1), divided by its deviation, is at least `z`.

    The approximation of Liu, Tang and Zhang by a non-central χ² of the same skewness and, where
    it exists, the same kurtosis. In [1e-300, 1]; exact where all eigenvalues are equal.

    References
    ----------
    Liu, Tang, Zhang, "A new chi-square approximation to the distribution of non-negative definite
    quadratic forms in non-central normal variables", Computational Statistics & Data Analysis
    2009.

    Examples
    --------
    >>> import math
    >>> from scipy.stats import chi2
    >>> three = (3.0, 3.0, 3.0, 3.0)  # λ = 1, 1, 1
    >>> z = 2.0
    >>> math.isclose(weighted_chi2_sf(z, three), chi2.sf(3 + z * math.sqrt(6), 3))
    True
    """
    from scipy.special import chdtrc
    from scipy.stats import ncx2

    freedom, noncentrality = chi2_parameters(sums)
    # √2·a, a² = l + 2d, is the deviation of the χ² variable, l + d its mean.
    x = z * math.sqrt(2.0 * (freedom + 2.0 * noncentrality)) + freedom + noncentrality
    if x <= 0.0:
        return 1.0
    tail = ncx2.sf(x, freedom, noncentrality) if noncentrality > 0 else chdtrc(freedom, x)
    return min(max(float(tail), FLOOR), 1.0)


def chi2_parameters(sums: PowerSums) -> tuple[float, float]:
    """Return the degrees of freedom l and the non-centrality d of the approximation."""
    _, c2, c3, c4 = sums
    s1, s2 = c3 / c2**1.5, c4 / c2**2
    if s1 * s1 > s2 * (1.0 + 1e-12):
        a = 1.0 / (s1 - math.sqrt(s1 * s1 - s2))
        d = s1 * a**3 - a * a
        return a * a - 2.0 * d, d
    return 1.0 / (s1 * s1), 0.0
