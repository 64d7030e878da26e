"""Kernels that are functions of a distance: Laplacian, Gaussian, rational quadratic, Matérn."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from calibrant._engine import Form, Profile, RadialForm
from calibrant._native import FloatArray
from calibrant.kernels._bandwidth import SMALLEST, BandwidthRule, Median
from calibrant.kernels._base import Kernel, ScalarKernel
from calibrant.kernels._metrics import GEOMETRIES, Metric, Norm, Spread, pairwise

#: two columns count as one number if all row sums are this close to 1
SUM_TOLERANCE = 1e-6


@dataclass(frozen=True)
class RadialKernel(ScalarKernel):
    """A scalar kernel φ(unit·d(p, q)/h) of a distance d, with φ(0) = 1 = sup|φ|.

    A subclass is a frozen dataclass with a field `metric` and the formula `profile`; everything
    else follows, including gradients in `calibrant.torch`. `metrics` lists the distances for
    which φ is positive semi-definite, and `unit` is a constant factor of the distance. A kernel
    that is not universal must override `is_universal`.

    Parameters
    ----------
    bandwidth : float or BandwidthRule, default Median()
        The scale h: a positive number, or a rule that computes it from the predictions.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import numpy as np
    >>> from calibrant.kernels import RadialKernel
    >>> @dataclass(frozen=True)
    ... class InverseMultiquadric(RadialKernel):
    ...     metric: str = "euclidean"
    ...     def profile(self, t, xp=np):
    ...         return 1.0 / xp.sqrt(1.0 + t * t)
    >>> round(InverseMultiquadric(1.0)([1.0, 0.0], [0.0, 1.0]), 4)
    0.5774

    The vertices are √2 apart, so their similarity is 1/√3.
    """

    bandwidth: float | BandwidthRule = field(default_factory=Median)

    metrics: ClassVar[tuple[Metric, ...]] = ("euclidean", "hellinger")
    unit: ClassVar[float] = 1.0
    #: the native core's name of φ; None if it has none
    _native_profile: ClassVar[Profile | None] = None

    @property
    @abstractmethod
    def metric(self) -> Metric:
        """The name of the distance d; a field of each subclass."""

    @abstractmethod
    def profile(self, t: Any, xp: Any = np) -> Any:
        """Return φ(t) elementwise, written with the functions of the array namespace `xp`.

        `xp` is NumPy by default; `calibrant.torch` passes tensors and ``xp=torch``.
        """

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
            if not SMALLEST <= bandwidth < math.inf:
                raise ValueError(
                    f"`bandwidth` of {name} must be positive and finite, and at least "
                    f"{SMALLEST:g}; got {bandwidth}."
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
    def sup(self) -> float:
        return 1.0

    @property
    def is_universal(self) -> bool:
        return True

    def resolve(self, y_prob: ArrayLike, metric: Spread | None = None) -> Self:
        """Return the kernel with a numeric bandwidth; rules use the kernel's metric by default."""
        if isinstance(self.bandwidth, float):
            return self
        return replace(self, bandwidth=self.bandwidth.resolve(y_prob, metric or self.metric))

    @property
    def rate(self) -> float:
        """The factor unit/h of the distance."""
        if not isinstance(self.bandwidth, float):
            raise ValueError(
                f"the bandwidth of {type(self).__name__} is the rule {self.bandwidth!r}; call "
                "kernel.resolve(y_prob) first, or give a number."
            )
        return self.unit / self.bandwidth

    def tile(self, s: FloatArray, t: FloatArray) -> FloatArray:
        values: FloatArray = self.profile(self.rate * pairwise(self.metric, s, t))
        return values

    def forms(self, x: FloatArray, v: FloatArray) -> list[Form]:
        geometry = GEOMETRIES[self.metric]
        x, v = self._contiguous(x, v)
        return [self._form(geometry.transform(x), v, geometry.norm, geometry.factor)]

    def _form(self, x: FloatArray, v: FloatArray, norm: Norm, factor: float) -> RadialForm:
        """Return the form of φ(rate·factor·‖x_i − x_j‖), native if the core knows φ."""
        return RadialForm(x, v, norm, self._native_profile or self.profile, self.rate * factor)

    def diagonal_values(self, x: FloatArray) -> FloatArray:
        return np.ones(len(x))


@dataclass(frozen=True)
class Laplacian(RadialKernel):
    """The Laplacian kernel k(p, q) = exp(−d(p, q)/h), universal for every metric.

    Values are in (0, 1], 1 for equal predictions.

    Parameters
    ----------
    bandwidth : float or BandwidthRule, default Median()
        The scale h: a positive number, or a rule that computes it from the predictions.
    metric : {"tv", "euclidean", "hellinger"}, default "tv"
        The distance d; "tv" is the total variation ½Σ|p−q|.

    Notes
    -----
    For two classes with ``tv`` or ``euclidean``, sums over pairs are computed on the line
    x = (p₁ − p₀)/2, in O(n log n), if all row sums s are within 1e-6 of 1. TV = max(|Δx|, ½|Δs|),
    so a distance is off by at most ½|Δs| ≤ 1e-6 (0 unless |Δx| < ½|Δs|); the Euclidean distance,
    √(2Δx² + ½Δs²), is off by at most |Δs|/√2.

    Examples
    --------
    >>> from calibrant.kernels import Laplacian
    >>> Laplacian(0.5)([[0.9, 0.1]], [[0.9, 0.1], [0.4, 0.6]]).round(4)
    array([[1.    , 0.3679]])

    The total variation of the second pair is 0.5, so its similarity is exp(−1).
    """

    metric: Metric = "tv"
    metrics: ClassVar[tuple[Metric, ...]] = ("tv", "euclidean", "hellinger")
    _native_profile: ClassVar[Profile] = "laplacian"

    def profile(self, t: Any, xp: Any = np) -> Any:
        return xp.exp(-t)

    def forms(self, x: FloatArray, v: FloatArray) -> list[Form]:
        x, v = self._contiguous(x, v)
        if x.shape[1] != 2 or self.metric == "hellinger" or not _sums_to_one(x):
            return super().forms(x, v)
        line = np.ascontiguousarray(0.5 * (x[:, 1:] - x[:, :1]))
        return [self._form(line, v, "cityblock", 1.0 if self.metric == "tv" else math.sqrt(2.0))]


@dataclass(frozen=True)
class Gaussian(RadialKernel):
    """The Gaussian kernel k(p, q) = exp(−d(p, q)²/(2h²)), universal.

    Values in (0, 1], 1 for equal predictions.

    Parameters
    ----------
    bandwidth : float or BandwidthRule, default Median()
        The scale h: a positive number, or a rule that computes it from the predictions.
    metric : {"euclidean", "hellinger"}, default "euclidean"
        The distance d. "tv" is refused: that kernel is not positive semi-definite.

    Examples
    --------
    >>> from calibrant.kernels import Gaussian
    >>> round(Gaussian(1.0)([1.0, 0.0], [0.0, 1.0]), 4)
    0.3679

    The vertices are √2 apart, so their similarity is exp(−1).
    """

    metric: Metric = "euclidean"
    unit: ClassVar[float] = math.sqrt(0.5)
    _native_profile: ClassVar[Profile] = "gaussian"

    def profile(self, t: Any, xp: Any = np) -> Any:
        return xp.exp(-t * t)


@dataclass(frozen=True)
class RationalQuadratic(RadialKernel):
    """The rational quadratic kernel k(p, q) = (1 + d(p, q)²/(2αh²))^−α, universal.

    It is a mixture of Gaussian kernels with many bandwidths, and becomes Gaussian for α → ∞. Values
    are in (0, 1], 1 for equal predictions.

    Parameters
    ----------
    bandwidth : float or BandwidthRule, default Median()
        The scale h: a positive number, or a rule that computes it from the predictions.
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

    def profile(self, t: Any, xp: Any = np) -> Any:
        # log1p keeps the Gaussian limit of a huge α exact
        return xp.exp(-self.alpha * xp.log1p(t * t / self.alpha))


@dataclass(frozen=True)
class Matern(RadialKernel):
    """The Matérn kernel with smoothness ν = 3/2 or 5/2, universal.

    With r = √(2ν)·d(p, q)/h it is (1 + r)·e^−r for ν = 3/2 and (1 + r + r²/3)·e^−r for ν = 5/2:
    smoother than the Laplacian (ν = 1/2), rougher than the Gaussian (ν → ∞). Values are in (0, 1],
    1 for equal predictions.

    Parameters
    ----------
    bandwidth : float or BandwidthRule, default Median()
        The scale h: a positive number, or a rule that computes it from the predictions.
    nu : {1.5, 2.5}, default 1.5
        The smoothness ν.
    metric : {"euclidean", "hellinger"}, default "euclidean"
        The distance d. "tv" is refused: that kernel is not positive semi-definite.

    Examples
    --------
    >>> from calibrant.kernels import Matern
    >>> round(Matern(1.0)([1.0, 0.0], [0.0, 1.0]), 4)
    0.2978

    The vertices are √2 apart, so their similarity is (1 + √6)·exp(−√6).
    """

    nu: float = 1.5
    metric: Metric = "euclidean"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.nu not in (1.5, 2.5):
            raise ValueError(
                f"`nu` must be 1.5 or 2.5; got {self.nu!r}. For 0.5 use "
                "Laplacian(metric='euclidean'), for large values Gaussian()."
            )

    def profile(self, t: Any, xp: Any = np) -> Any:
        r = math.sqrt(2.0 * self.nu) * t
        polynomial = 1.0 + r if self.nu == 1.5 else 1.0 + r + r * r / 3.0
        return polynomial * xp.exp(-r)


def bandwidth_of(kernel: Kernel | None) -> float | None:
    """Return the bandwidth of a kernel with exactly one numeric bandwidth, else None."""
    bandwidth = getattr(kernel, "bandwidth", None)
    return bandwidth if isinstance(bandwidth, float) else None


def fixed_bandwidth(kernel: Kernel | None) -> float:
    """Return the bandwidth of a kernel that must have exactly one numeric bandwidth."""
    bandwidth = bandwidth_of(kernel)
    if bandwidth is None:
        raise ValueError(f"a kernel with one bandwidth, a number, is needed here; got {kernel!r}.")
    return bandwidth


def _sums_to_one(x: FloatArray) -> bool:
    return bool(np.abs(x[:, 0] + x[:, 1] - 1.0).max(initial=0.0) <= SUM_TOLERANCE)
