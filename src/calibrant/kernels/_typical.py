"""The default bandwidth: a median distance that suits nearly certain predictions, too."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from calibrant._engine import sizes
from calibrant._execution import Limits
from calibrant._native import FloatArray
from calibrant.kernels._bandwidth import Median
from calibrant.kernels._metrics import Spread, as_rows

#: bisections of the range of distances, down to the last bit
_BISECTIONS = 52


@dataclass(frozen=True)
class Typical:
    r"""The median distance of the predictions; for two classes at least that of uncertain rows.

    With rare events, nearly all predictions are close to 0. Their median distance is tiny, but so
    is the information in their labels: a kernel of that width compares hardly any informative rows.
    For two classes, the bandwidth is therefore at least the median distance with weights
    :math:`v_i v_j`, where :math:`v = p(1 - p)` is the variance of a label. Without rare events the
    weighted median is usually the smaller one, so that the bandwidth is that of `Median`; with more
    than two classes it always is. Cost: that of `Median`, and O(n log n).

    Parameters
    ----------
    max_rows : int or None, default 2000
        Use at most this many evenly spaced rows; None for all rows.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant.kernels import Median, Typical
    >>> p = np.random.default_rng(0).beta(0.05, 3.0, 1000)  # rare events
    >>> y_prob = np.column_stack([1.0 - p, p])
    >>> print(f"{Median().resolve(y_prob, 'tv'):.4f} {Typical().resolve(y_prob, 'tv'):.4f}")
    0.0002 0.1511

    Half of all pairs consist of rows that are almost certainly negative, so their median distance
    is tiny.
    """

    max_rows: int | None = Limits.bandwidth_rows

    def __post_init__(self) -> None:
        Median(max_rows=self.max_rows)  # checks max_rows

    def resolve(self, y_prob: ArrayLike, metric: Spread) -> float:
        """Return the bandwidth for these predictions."""
        median = Median(max_rows=self.max_rows).resolve(y_prob, metric)
        x = as_rows("y_prob", y_prob)
        if x.shape[1] != 2 or metric == "classwise":
            return median
        if self.max_rows is not None:
            x = x[sizes.evenly_spaced(len(x), self.max_rows)]
        return max(median, _uncertain_median(x, metric))


def _uncertain_median(x: FloatArray, metric: Spread) -> float:
    """Return the median distance of rows drawn with probability v_i v_j; 0 if there are none."""
    x = x[np.argsort(x[:, 1], kind="stable")]
    v = np.maximum(x[:, 1] * x[:, 0], 0.0)
    if metric != "hellinger":
        return _median_difference(x[:, 1], v) * (1.0 if metric == "tv" else math.sqrt(2.0))
    # the square roots of the rows are on a circle, and the distance is a chord
    angle = np.arctan2(np.sqrt(x[:, 1]), np.sqrt(x[:, 0]))
    return math.sqrt(2.0) * math.sin(0.5 * _median_difference(angle, v))


def _median_difference(place: FloatArray, v: FloatArray) -> float:
    """Return the median of place_j − place_i ≥ 0 with the weights v_i v_j, i < j, by bisection."""
    mass = np.concatenate([[0.0], np.cumsum(v)])
    half = 0.25 * (float(mass[-1]) ** 2 - float(v @ v))
    if not half > 0.0:
        return 0.0
    low, high = 0.0, float(place[-1] - place[0])
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        ends = np.searchsorted(place, place + middle, side="right")
        within = float(v @ (mass[ends] - mass[1:]))
        low, high = (low, middle) if within >= half else (middle, high)
    return high
