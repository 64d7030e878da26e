r"""Files with few decimals: how far rounding moved the probabilities on average.

A file with d decimals gives each probability to ± half a unit :math:`u = 10^{-d}`. Errors of
probabilities much larger than u cancel; those of the smallest do not, because most values that were
rounded to 0 were larger. Near 0 the probabilities are assumed to have a density
:math:`\propto p^{a-1}`; the share of exact zeros among those below 1.5 units, :math:`3^{-a}`,
determines a, and thus the mean of the values that were rounded to 0, u, 2u, …
"""

from __future__ import annotations

import numpy as np

from calibrant._native import FloatArray

#: most decimals to look for; with more, rounding has no visible effect
MOST_DECIMALS = 4
#: rows that are searched for decimals
_ROWS = 32
#: this many rounded rows include one with a sum other than 1, in all but 1 of 10,000 files
_TELLING_ROWS = 32
#: relative deviation from a whole number of units: that of float32
_NOISE = 2e-7
#: number of units above which errors cancel
_SMALL = 4


def find_decimals(y_prob: FloatArray) -> int | None:
    """Return the number of decimals of the rows in their file, 1 to 4, or None for more.

    Rows that were divided by their sum are whole numbers of units over a whole number near 10ᵈ.
    If several rows with more than two classes all sum to exactly 1, they were not rounded: a
    rounded row keeps its sum with probability at most 3/4. They are exact shares of votes, for
    example from a forest of 100 trees.

    Examples
    --------
    >>> import numpy as np
    >>> find_decimals(np.array([[0.25, 0.75], [0.1, 0.9]]))
    2
    >>> find_decimals(np.array([[0.33, 0.33, 0.33], [0.25, 0.5, 0.25]]) / [[0.99], [1.0]])
    2
    >>> find_decimals(np.array([[1 / 3, 2 / 3]])) is None
    True
    >>> votes = np.random.default_rng(0).multinomial(100, [0.2, 0.3, 0.5], 50)
    >>> find_decimals(votes / 100) is None
    True
    """
    rows = y_prob[np.linspace(0, len(y_prob) - 1, min(len(y_prob), _ROWS)).astype(int)]
    for decimals in range(1, MOST_DECIMALS + 1):
        if all(_is_whole(row, 10**decimals) for row in rows):
            return None if _are_votes(rows, 10**decimals) else decimals
    return None


def _are_votes(rows: FloatArray, units: int) -> bool:
    if len(rows) < _TELLING_ROWS or rows.shape[1] == 2:
        return False
    sums = bool(np.all(np.abs(rows.sum(axis=1) - 1.0) <= _NOISE))
    return sums and all(_is_whole(row, units, off=0) for row in rows)


def _is_whole(row: FloatArray, units: int, off: int | None = None) -> bool:
    if off is None:
        # two rounded probabilities always sum to 1; more may not
        off = 0 if len(row) == 2 else int(max(0.01 * units, 0.5 * len(row)))
    totals = np.arange(max(units - off, 1), units + off + 1)
    scaled = np.outer(totals, row)
    return bool(np.any(np.all(np.abs(scaled - np.rint(scaled)) <= _NOISE * units, axis=1)))


def rounding_error(p: FloatArray, decimals: int) -> FloatArray:
    """Return the mean of true minus rounded value for every probability (n, m); rows sum to 0.

    Examples
    --------
    >>> import numpy as np
    >>> error = rounding_error(np.array([[0.0, 0.01, 0.99], [0.0, 0.0, 1.0]]), 2)
    >>> error[0].round(5)
    array([ 0.00104, -0.00067, -0.00037])

    A 0 stands for a small positive value, which was taken from the other classes.
    """
    unit = 10.0**-decimals
    units = np.rint(p / unit).astype(np.int64)
    zeros, ones = np.count_nonzero(units == 0), np.count_nonzero(units == 1)
    if not zeros:
        return np.zeros_like(p)
    a = float(np.clip(np.log((zeros + ones) / zeros) / np.log(3.0), 1e-6, 1.0))
    errors = np.zeros(_SMALL + 1)
    errors[:_SMALL] = unit * _mean_errors(a)
    moved = errors[np.minimum(units, _SMALL)]
    return np.asarray(moved - p * moved.sum(axis=1, keepdims=True))


def _mean_errors(a: float) -> FloatArray:
    # mean of a density p^(a−1) between k − ½ and k + ½, minus k
    k = np.arange(_SMALL)
    low, high = np.maximum(k - 0.5, 0.0), k + 0.5
    mass, moment = high**a - low**a, high ** (a + 1.0) - low ** (a + 1.0)
    return np.asarray(a / (a + 1.0) * moment / mass - k)
