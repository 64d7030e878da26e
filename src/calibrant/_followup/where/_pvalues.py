"""Exact p-values: one statistic for each hypothesis, adjusted for multiple testing."""

from __future__ import annotations

import numpy as np

from calibrant._engine import two_sided_tail
from calibrant._native import FloatArray
from calibrant.methods import pooled_tails

#: statistics closer than this, relative to the largest, are tied
TIE = 1e-9


def evidence(pairs: FloatArray, *directions: FloatArray) -> FloatArray:
    r"""Return log(1/p̃_T + Σ 1/p̃_z) for every hypothesis and label set, (H, B + 1).

    The pair sum T detects deviations of any shape and is right-tailed; a direction z is two-sided
    and more powerful if all deviations have the same sign. The approximate tails make hypotheses
    comparable. Every label set is treated alike, so ranks among them are exact. A hypothesis uses
    only its own statistics, so its rank does not depend on other hypotheses.
    """
    reciprocal = 1.0 / pooled_tails(pairs)
    for z in directions:
        reciprocal = reciprocal + 1.0 / two_sided_tail(z)
    return np.asarray(np.log(reciprocal))


def adjusted_pvalues(statistics: FloatArray) -> FloatArray:
    r"""Return adjusted p-values of statistics (n_hypotheses, B + 1), the observed ones first.

    In [1/(B + 1), 1], never below the p-value of the hypothesis alone. If all hypotheses with an
    adjusted p-value of at most α are rejected, the probability of rejecting any true one is at most
    α, whichever of the others are true. Cost O(H·(B + log H)).

    Notes
    -----
    Westfall and Young: the hypotheses are ordered by their observed statistics, largest first,
    and the k-th one is compared with the maximum over the k-th and all later ones,

    .. math:: p_{(k)} = \max_{l \le k}
        \frac{1 + \#\{b : \max_{h \ge l} S_{(h)b} \ge S_{(l)0}\}}{1 + B}.

    References
    ----------
    P. H. Westfall and S. S. Young, *Resampling-based multiple testing*, Wiley, 1993.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant._followup.where._pvalues import adjusted_pvalues
    >>> adjusted_pvalues(np.array([[9.0, 1, 2, 3], [2.5, 2, 1, 4]]))
    array([0.25, 0.5 ])
    """
    if not len(statistics):
        return np.empty(0)
    tolerance = TIE * float(np.abs(statistics).max())
    order = np.argsort(-statistics[:, 0], kind="stable")
    ranked = statistics[order]
    # the maximum over a hypothesis and all later ones
    largest = np.maximum.accumulate(ranked[::-1, 1:], axis=0)[::-1]
    counts = np.count_nonzero(largest >= ranked[:, :1] - tolerance, axis=1)
    adjusted = np.empty(len(statistics))
    adjusted[order] = np.maximum.accumulate((1.0 + counts) / statistics.shape[1])
    return adjusted
