"""The Monte Carlo error of a p-value whose statistics are scaled by the drawn label sets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from calibrant._native import IntArray

#: number of groups of label sets for the jackknife
GROUPS = 20


def grouped_jackknife_error(pvalue_of: Callable[[IntArray], float], n_resamples: int) -> float:
    r"""Return the standard error of a p-value over random draws of its label sets.

    √(p(1−p)/(1+B)) is the error of a rank among B independent values. If the B label sets also
    determine the scale of every statistic, the randomness of the scale adds to the error. Leaving
    out one group of label sets at a time measures both.

    Cost: `GROUPS` p-values.

    Parameters
    ----------
    pvalue_of : callable
        Returns the p-value from the label sets with the given indices; 0 is the observed one.
    n_resamples : int
        B; the error is 0 if there are fewer than two for each group.

    Notes
    -----
    With :math:`p_{(g)}` the p-value without group g, the error is
    :math:`\sqrt{\frac{G-1}{G} \sum_g (p_{(g)} - \bar p)^2}`. Groups take every G-th label set.
    """
    if n_resamples < 2 * GROUPS:
        return 0.0
    sets = np.arange(n_resamples + 1)
    kept = (np.flatnonzero((sets == 0) | (sets % GROUPS != g)) for g in range(GROUPS))
    pvalues = np.array([pvalue_of(some) for some in kept])
    return float(np.sqrt((GROUPS - 1) * np.var(pvalues)))
