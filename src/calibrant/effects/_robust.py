"""Sandwich standard errors, which are valid under a wrong model, with small-sample corrections."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from calibrant._native import FloatArray, IntArray
from calibrant.effects._interval import Interval, normal_quantile


@dataclass(frozen=True)
class Spread:
    r"""The spread of an estimate, from the contributions of its rows.

    The variance is the larger of two: the sandwich :math:`\frac{n}{n-1} \sum_i \varphi_i^2` of the
    rows' contributions :math:`\varphi_i`, which is right for many rows under any error of the
    predictions, and the variance that the fitted model itself expects, which is right even for few
    rows if the model is. With few rows, or a few dominant rows, the sandwich is noisy. Its quantile
    is therefore that of Student's t with Satterthwaite's degrees of freedom
    :math:`2 / (\sum \varphi^4 / (\sum \varphi^2)^2 - 1/n) - 1`, at least 1. With clusters, n is
    their number and :math:`\varphi` the contribution of a whole cluster.

    Parameters
    ----------
    n_rows : int
        Number of contributing rows or clusters.
    squares, fourths : float
        The sums of φ² and φ⁴.
    model : float, default 0
        The variance that the fitted model expects.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant.effects._robust import Spread
    >>> x = np.array([1.0, 2.0, 4.0])
    >>> spread = Spread.of((x - x.mean()) / 3)  # contributions to a mean
    >>> bool(np.isclose(spread.error, x.std(ddof=1) / np.sqrt(3)))
    True

    For a mean, it is the usual standard error.
    """

    n_rows: int
    squares: float
    fourths: float
    model: float = 0.0

    @classmethod
    def of(
        cls, contributions: FloatArray, model: float = 0.0, clusters: IntArray | None = None
    ) -> Spread:
        """Sum up the contributions of all rows, shape (n,).

        With `clusters`, numbered 0, 1, …, the contributions are sums over each cluster.
        """
        if clusters is not None:
            contributions = np.bincount(clusters, contributions).astype(np.float64)
        squares = contributions**2
        return cls(len(contributions), float(squares.sum()), float(np.sum(squares**2)), model)

    @property
    def error(self) -> float:
        """The standard error; NaN for fewer than two rows or without variation."""
        variance = max(self._sandwich, self.model)
        return math.sqrt(variance) if self.n_rows > 1 and variance > 0.0 else math.nan

    def half_width(self, confidence_level: float) -> float:
        """Return the half-width of the interval; NaN without a standard error."""
        if math.isnan(self.error):
            return math.nan
        likely = normal_quantile(confidence_level) * math.sqrt(self.model)
        return max(self._quantile(confidence_level) * math.sqrt(self._sandwich), likely)

    def interval(self, estimate: float, confidence_level: float) -> Interval:
        """Return the interval of an estimate with this spread; unknown without one."""
        half = self.half_width(confidence_level)
        if math.isnan(half):
            return Interval.unknown(confidence_level)
        return Interval(estimate - half, estimate + half, confidence_level)

    def positive_interval(self, estimate: float, confidence_level: float) -> Interval:
        """Return the interval of a positive estimate, symmetric on the logarithmic scale.

        The mean of positive numbers is skewed if a few of them are large: samples without a large
        value have a small mean and a small spread, so a symmetric interval would end too low.
        """
        half = self.half_width(confidence_level)
        if math.isnan(half) or not estimate > 0.0:
            return Interval.unknown(confidence_level)
        reach = math.exp(min(half / estimate, 700.0))
        return Interval(estimate / reach, estimate * reach, confidence_level)

    @property
    def _sandwich(self) -> float:
        return self.n_rows / (self.n_rows - 1) * self.squares if self.n_rows > 1 else 0.0

    def _quantile(self, confidence_level: float) -> float:
        if self.squares == 0.0:
            return 0.0
        noise = self.fourths / self.squares**2 - 1.0 / self.n_rows
        if noise <= 1e-9:  # all rows contribute equally
            return normal_quantile(confidence_level)
        from scipy.special import stdtrit

        return float(stdtrit(max(2.0 / noise - 1.0, 1.0), 0.5 + 0.5 * confidence_level))
