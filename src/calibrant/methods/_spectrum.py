"""The limit law of the unbiased SKCE, a weighted sum of χ² variables, and its tail."""

from __future__ import annotations

import math

import numpy as np

from calibrant._native import FloatArray
from calibrant.methods._pearson import pearson3_sf

#: the sums of the first four powers of the eigenvalues
PowerSums = tuple[float, float, float, float]


def power_sums(h: FloatArray) -> PowerSums:
    r"""Return :math:`c_k = \sum_i \lambda_i^k` of the eigenvalues of JHJ/n, J = I − 11ᵀ/n.

    They are traces of powers: one matrix product and no eigenvalues; O(n³).
    """
    n = len(h)
    means = h.mean(axis=0)
    centered = (h - means[:, None] - means[None, :] + means.mean()) / n
    squared = centered @ centered
    return (
        float(np.trace(centered)),
        float(np.vdot(centered, centered)),
        float(np.vdot(squared, centered)),
        float(np.vdot(squared, squared)),
    )


def weighted_chi2_sf(z: float, sums: PowerSums) -> float:
    r"""Return the probability that Σλ(Z² − 1), divided by its standard deviation, is at least `z`.

    In [1e-300, 1]. This is the approximation of Liu, Tang and Zhang, exact if all eigenvalues are
    equal.

    Notes
    -----
    With :math:`s_1 = c_3/c_2^{3/2}` and :math:`s_2 = c_4/c_2^2` the approximation is a non-central
    χ² if :math:`s_1^2 > s_2`, else the central χ² with :math:`1/s_1^2` degrees of freedom. By the
    Cauchy–Schwarz inequality, :math:`c_3^2 \le c_2 c_4`, the first case does not occur for central
    variables; and a standardized χ² is a Pearson III variable with the skewness
    :math:`\sqrt 8\, s_1` of the sum.

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
    return float(pearson3_sf(z, skewness(sums)))


def skewness(sums: PowerSums) -> float:
    """Return the skewness of Σλ(Z² − 1): 8·c3/(2·c2)^{3/2}."""
    return float(math.sqrt(8.0) * sums[2] / sums[1] ** 1.5)
