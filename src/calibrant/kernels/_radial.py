"""Kernels that are functions of a distance: Laplacian, Gaussian, rational quadratic."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from calibrant._engine import DistanceFunction, Form, Profile, RadialForm
from calibrant._native import FloatArray
from calibrant.kernels._bandwidth import BandwidthRule, Median
from calibrant.kernels._base import Kernel, ScalarKernel
from calibrant.kernels._metrics import GEOMETRIES, Metric, Spread, pairwise

#: two columns are one number when their sums are this close to 1
SUM_TOLERANCE = 1e-6


@dataclass(frozen=True)
class RadialKernel(ScalarKernel):
    """A scalar kernel φ(unit·d(p, q)/h) with φ(0) = 1 = sup|φ|."""

    bandwidth: float | BandwidthRule = field(default_factory=Median)

    #: the metrics for which φ is positive semi-definite
    metrics: ClassVar[tuple[Metric, ...]] = ("euclidean", "hellinger")
    unit: ClassVar[float] = 1.0

    @property
    @abstractmethod
    def metric(self) -> Metric:
        """The name of the distance d; a field, whose place each kernel chooses."""

    def __post_init__(self) -> None:
        name = type(self).__name__
        if self.metric not in self.metrics:
            why = (
                f"; a {name} of the total variation distance is not positive semi-definite, "
                "use Laplacian(metric='tv')"
                if self.metric == "tv"
                else ""
            )
            raise ValueError(
                f"`metric` of {name} must be one of {', '.join(map(repr, self.metrics))}; got "
                f"{self.metric!r}{why}."
            )
        if isinstance(self.bandwidth, Real) and not isinstance(self.bandwidth, bool):
            bandwidth = float(self.bandwidth)
            if not 0.0 < bandwidth < math.inf:
                raise ValueError(
                    f"`bandwidth` of {name} must be positive and finite; got {bandwidth}."
                )
            object.__setattr__(self, "bandwidth", bandwidth)
        elif not isinstance(self.bandwidth, BandwidthRule) or isinstance(
            self.bandwidth, type | Kernel
        ):
            raise ValueError(
                f"`bandwidth` of {name} must be a positive number or a rule such as Median() or "
                f"Mean(); got {self.bandwidth!r}."
            )

    @property
    @abstractmethod
    def profile(self) -> Profile | DistanceFunction:
        """φ as the pair engine knows it."""

    @abstractmethod
    def values(self, t: FloatArray) -> FloatArray:
        """Return φ(t), elementwise."""

    @property
    def sup(self) -> float:
        return 1.0

    @property
    def is_universal(self) -> bool:
        return True

    def resolve(self, y_prob: ArrayLike) -> Self:
        return self.resolve_with(y_prob, self.metric)

    def resolve_with(self, y_prob: ArrayLike, metric: Spread) -> Self:
        """Return the kernel with the bandwidth that its rule takes from these distances."""
        if isinstance(self.bandwidth, float):
            return self
        return replace(self, bandwidth=self.bandwidth.resolve(y_prob, metric))

    @property
    def rate(self) -> float:
        """unit/h: what a distance is multiplied with."""
        if not isinstance(self.bandwidth, float):
            raise ValueError(
                f"the bandwidth of {type(self).__name__} is the rule {self.bandwidth!r}; call "
                "kernel.resolve(y_prob) first, or give a number."
            )
        return self.unit / self.bandwidth

    def tile(self, s: FloatArray, t: FloatArray) -> FloatArray:
        return self.values(self.rate * pairwise(self.metric, s, t))

    def forms(self, x: FloatArray, v: FloatArray) -> list[Form]:
        geometry = GEOMETRIES[self.metric]
        x, v = self._contiguous(x, v)
        rate = self.rate * geometry.factor
        return [RadialForm(geometry.transform(x), v, geometry.norm, self.profile, rate)]

    def diagonal_values(self, x: FloatArray) -> FloatArray:
        return np.ones(len(x))


@dataclass(frozen=True)
class Laplacian(RadialKernel):
    """The Laplacian kernel k(p, q) = exp(−d(p, q)/h), universal for every metric.

    Values in (0, 1], 1 for equal predictions.

    Parameters
    ----------
    bandwidth : float or BandwidthRule, default Median()
        The scale h: a positive number, or a rule that looks at the predictions.
    metric : {"tv", "euclidean", "hellinger"}, default "tv"
        The distance d; "tv" is the total variation ½Σ|p−q|.

    Notes
    -----
    Two classes with ``tv`` or ``euclidean`` are summed on the line, exactly in O(n log n),
    with x = (p₁ − p₀)/2 when all row sums s are within 1e-6 of 1: TV = max(|Δx|, ½|Δs|), so
    a distance is off by at most ½|Δs| ≤ 1e-6 (0 unless |Δx| < ½|Δs|); the euclidean one,
    √(2Δx² + ½Δs²), by at most |Δs|/√2.

    Examples
    --------
    >>> from calibrant.kernels import Laplacian
    >>> Laplacian(0.5)([[0.9, 0.1]], [[0.9, 0.1], [0.4, 0.6]]).round(4)
    array([[1.    , 0.3679]])

    The second pair is half a unit of total variation apart: similarity exp(−1).
    """

    metric: Metric = "tv"
    metrics: ClassVar[tuple[Metric, ...]] = ("tv", "euclidean", "hellinger")

    @property
    def profile(self) -> Profile:
        return "laplacian"

    def values(self, t: FloatArray) -> FloatArray:
        return np.exp(-t)

    def forms(self, x: FloatArray, v: FloatArray) -> list[Form]:
        x, v = self._contiguous(x, v)
        if x.shape[1] != 2 or self.metric == "hellinger" or not _sums_to_one(x):
            return super().forms(x, v)
        line = np.ascontiguousarray(0.5 * (x[:, 1:] - x[:, :1]))
        stretch = 1.0 if self.metric == "tv" else math.sqrt(2.0)
        return [RadialForm(line, v, "cityblock", "laplacian", stretch * self.rate)]


@dataclass(frozen=True)
class Gaussian(RadialKernel):
    """The Gaussian kernel k(p, q) = exp(−d(p, q)²/(2h²)), universal.

    Values in (0, 1], 1 for equal predictions.

    Parameters
    ----------
    bandwidth : float or BandwidthRule, default Median()
        The scale h: a positive number, or a rule that looks at the predictions.
    metric : {"euclidean", "hellinger"}, default "euclidean"
        The distance d. "tv" is refused: that kernel is not positive semi-definite.

    Examples
    --------
    >>> from calibrant.kernels import Gaussian
    >>> round(Gaussian(1.0)([1.0, 0.0], [0.0, 1.0]), 4)
    0.3679

    The vertices are √2 apart: similarity exp(−1).
    """

    metric: Metric = "euclidean"
    unit: ClassVar[float] = math.sqrt(0.5)

    @property
    def profile(self) -> Profile:
        return "gaussian"

    def values(self, t: FloatArray) -> FloatArray:
        return np.exp(-t * t)


@dataclass(frozen=True)
class RationalQuadraticProfile:
    """φ(t) = (1 + t²/α)^−α, elementwise."""

    alpha: float

    def __call__(self, t: FloatArray) -> FloatArray:
        # log1p keeps the Gaussian limit of a huge α exact
        return np.exp(-self.alpha * np.log1p(t * t / self.alpha))


@dataclass(frozen=True)
class RationalQuadratic(RadialKernel):
    """The rational quadratic kernel k(p, q) = (1 + d(p, q)²/(2αh²))^−α, universal.

    A mixture of Gaussian kernels of many bandwidths; Gaussian for α → ∞. Values in (0, 1], 1 for
    equal predictions.

    Parameters
    ----------
    bandwidth : float or BandwidthRule, default Median()
        The scale h: a positive number, or a rule that looks at the predictions.
    alpha : float, default 1.0
        The exponent α > 0.
    metric : {"euclidean", "hellinger"}, default "euclidean"
        The distance d. "tv" is refused: that kernel is not positive semi-definite.

    Examples
    --------
    >>> from calibrant.kernels import RationalQuadratic
    >>> round(RationalQuadratic(1.0)([1.0, 0.0], [0.0, 1.0]), 4)
    0.5
    """

    alpha: float = 1.0
    metric: Metric = "euclidean"
    unit: ClassVar[float] = math.sqrt(0.5)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 < self.alpha < math.inf:
            raise ValueError(f"`alpha` must be positive and finite; got {self.alpha}.")

    @property
    def profile(self) -> DistanceFunction:
        return RationalQuadraticProfile(self.alpha)

    def values(self, t: FloatArray) -> FloatArray:
        return RationalQuadraticProfile(self.alpha)(t)


def bandwidth_of(kernel: Kernel | None) -> float | None:
    """Return the bandwidth of a kernel that has exactly one, and a number."""
    bandwidth = getattr(kernel, "bandwidth", None)
    return bandwidth if isinstance(bandwidth, float) else None


def fixed_bandwidth(kernel: Kernel | None) -> float:
    """Return the bandwidth of a kernel that must have exactly one, and a number."""
    bandwidth = bandwidth_of(kernel)
    if bandwidth is None:
        raise ValueError(f"a kernel with one bandwidth, a number, is needed here; got {kernel!r}.")
    return bandwidth


def _sums_to_one(x: FloatArray) -> bool:
    return bool(np.abs(x[:, 0] + x[:, 1] - 1.0).max(initial=0.0) <= SUM_TOLERANCE)
