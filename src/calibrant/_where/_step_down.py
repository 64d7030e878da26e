"""Step-down maxT: p-values adjusted for asking many questions of the same label sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from calibrant._typing import FloatArray

#: two statistics are tied within this share of the largest
TIE = 1e-9


def adjusted_pvalues(statistics: FloatArray) -> FloatArray:
    r"""Return adjusted p-values of statistics (n_hypotheses, B + 1), the observed ones first.

    In [1/(B + 1), 1], never below the p-value of the hypothesis alone. Naming all hypotheses
    with an adjusted p-value of at most α names a true one with probability at most α, whatever
    holds of the others. Cost O(H·(B + log H)).

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
    >>> from calibrant._where._step_down import adjusted_pvalues
    >>> adjusted_pvalues(np.array([[9.0, 1, 2, 3], [2.5, 2, 1, 4]]))
    array([0.25, 0.5 ])
    """
    if not len(statistics):
        return np.empty(0)
    tolerance = TIE * float(np.abs(statistics).max())
    order = np.argsort(-statistics[:, 0], kind="stable")
    ranked = statistics[order]
    # the maximum over a hypothesis and all that follow it
    largest = np.maximum.accumulate(ranked[::-1, 1:], axis=0)[::-1]
    counts = np.count_nonzero(largest >= ranked[:, :1] - tolerance, axis=1)
    adjusted = np.empty(len(statistics))
    adjusted[order] = np.maximum.accumulate((1.0 + counts) / statistics.shape[1])
    return adjusted
