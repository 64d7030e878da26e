"""The distribution-free tests, from the bounds of McDiarmid and Hoeffding."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from calibrant._engine import SMALLEST
from calibrant._native import FloatArray
from calibrant._predictions import Predictions
from calibrant.estimators import SKCE, pairs_visited
from calibrant.kernels import Kernel, ScalarKernel, check_orders
from calibrant.methods._base import Evidence, Method, Rates, Setting


@dataclass(frozen=True)
class DistributionFree(Method):
    r"""Bound the p-value of an SKCE, assuming only independent samples.

    Valid at every n and very conservative: the p-value of a good model is usually 1. Cost: that
    of the estimate.

    Parameters
    ----------
    center : {"bound", "mean"}, default "bound"
        The center of the bound for the biased estimator: √(B/n), as in the paper's table, or the
        smaller B₁, the root of the estimate's mean given the predictions, exact for every kernel.
        The unbiased estimators are centered at 0 and ignore it.
    p, q : float in [1, inf], optional
        Use the paper's B_{p;q} in place of the sharper default; see `Kernel.bound`.

    Notes
    -----
    With a bound :math:`B \ge |h_{ij}|` (2 for scalar kernels with supremum 1) the p-values are

    .. math::

        D_b = \exp\Big(-\tfrac12 \max\big(0, \sqrt{n/B}\,(\widehat{SKCE}_b^{1/2} - c)\big)^2\Big),
        \qquad D_{uq}, D_l = \exp\big(-N t^2 / (2B^2)\big) \text{ for } t > 0, \text{ else } 1,

    with :math:`c = \sqrt{B/n}` or :math:`c = B_1 = n^{-1}(\sum_i E\,h_{ii})^{1/2}`; N = ⌊n/2⌋ for
    the unbiased estimator and ⌊n/b⌋·⌊b/2⌋ for blocks of b. A p-value below 1e-300 is reported as
    1e-300. All of them also hold given the predictions, where each :math:`h_{ij}` has mean 0, so a
    bandwidth rule is allowed. The confidence interval needs a kernel that was fixed in advance.

    References
    ----------
    Widmann, Lindsten, Zachariah, NeurIPS 2019, appendix "Distribution-free bounds".

    Examples
    --------
    >>> import numpy as np
    >>> import calibrant as cal
    >>> from calibrant.methods import DistributionFree, Setting
    >>> wrong = cal.Predictions(np.ones(200, int), np.tile([0.9, 0.1], (200, 1)))
    >>> estimator = cal.SKCE(cal.kernels.Laplacian(0.2))
    >>> evidence = DistributionFree().test(wrong, estimator, Setting(np.random.default_rng(0)))
    >>> f"{evidence.pvalue:.1e}"  # strong evidence: nine in ten should be of the other class
    '5.7e-15'
    """

    accepts: ClassVar[type[Any]] = SKCE
    fits: ClassVar[str] = "SKCE (biased, unbiased or with blocks)"
    remedy: ClassVar[str] = "For other estimators use `Exact()`."

    center: Literal["bound", "mean"] = "bound"
    p: float | None = None
    q: float | None = None

    def __post_init__(self) -> None:
        if self.center not in ("bound", "mean"):
            raise ValueError(f"`center` must be 'bound' or 'mean'; got {self.center!r}")
        if self.p is not None or self.q is not None:
            check_orders(self.p, self.q)

    def cost(self, estimator: SKCE, n_samples: int, rates: Rates) -> float:
        """Return the seconds of the pairs, once for the test and once for the interval."""
        return 2.0 * pairs_visited(estimator, n_samples) * rates.pair

    def test(self, predictions: Predictions, estimator: SKCE, setting: Setting) -> Evidence:
        """Return the evidence; the details contain B, N, the critical value and an interval."""
        skce = estimator
        if predictions.sample_weight is not None:
            raise ValueError(
                "DistributionFree bounds unweighted means; got `sample_weight`. Drop the weights, "
                "or use `Exact()`, which is exact with weights too."
            )
        estimate = skce.estimate(predictions, setting.parallel)
        n, m = predictions.n_samples, predictions.n_classes
        exponent = self._exponent(estimate, n, m, skce, predictions)
        details = {
            "bound": self._bound(skce, m),
            "n_independent": _n_independent(n, skce),
            "center": self.center if not skce.unbiased else "zero",
            "log_pvalue": -exponent,
            "critical_value": self.critical_value(0.05, n, m, skce, predictions=predictions),
            "critical_level": 0.05,
            "confidence_interval": list(self.confidence_interval(estimate, n, m, skce)),
            "confidence_level": 0.95,
        }
        pvalue = max(math.exp(-exponent), SMALLEST)
        return Evidence(estimate, pvalue, estimate=estimate, details=details)

    def critical_value(
        self,
        alpha: float,
        n_samples: int,
        n_classes: int,
        estimator: SKCE | None = None,
        *,
        predictions: Predictions | None = None,
    ) -> float:
        """Return the smallest estimate that the test rejects at significance `alpha`.

        Parameters
        ----------
        alpha : float in (0, 1)
            Significance.
        n_samples, n_classes : int
            Numbers of rows and classes.
        estimator : SKCE, default ``SKCE()``
            The estimator. For the biased one, the paper states the acceptance region for its root.
        predictions : Predictions, optional
            Needed with ``center="mean"`` and the biased estimator; their labels are not used.

        Returns
        -------
        float

        Examples
        --------
        >>> from calibrant import SKCE
        >>> from calibrant.methods import DistributionFree
        >>> round(DistributionFree().critical_value(0.05, 10_000, 10, SKCE()), 4)
        0.0692
        """
        skce = self._estimator(estimator)
        reach = math.sqrt(-2.0 * math.log(_probability("alpha", alpha)))
        bound = self._bound(skce, n_classes)
        if skce.unbiased:
            return bound * reach / math.sqrt(_n_independent(n_samples, skce))
        center = self._center(n_samples, n_classes, skce, predictions)
        return (center + reach * math.sqrt(bound / n_samples)) ** 2

    def confidence_interval(
        self,
        estimate: float,
        n_samples: int,
        n_classes: int,
        estimator: SKCE | None = None,
        *,
        confidence_level: float = 0.95,
    ) -> tuple[float, float]:
        r"""Return an interval that contains the true SKCE with at least the given confidence.

        It is valid for every model, calibrated or not. For the unbiased estimators it is
        :math:`t \pm B\sqrt{2\log(2/\alpha)/N}`. For the biased one, the roots differ by at most
        :math:`\sqrt{B/n} + \sqrt{2B\log(1/\alpha)/n}`, without the paper's factor 2 in the first
        term: the mean of :math:`\|\hat\mu - \mu\|` is at most the root of its second moment,
        :math:`\sqrt{B/n}`, without symmetrization.

        Parameters
        ----------
        estimate : float
            The value of `estimator`.
        n_samples, n_classes : int
            Numbers of rows and classes.
        estimator : SKCE, default ``SKCE()``
            The estimator.
        confidence_level : float in (0, 1), default 0.95
            Coverage of the interval.

        Returns
        -------
        low, high : float
            The ends of the interval, in [0, B], the range of the SKCE.

        Examples
        --------
        >>> from calibrant.methods import DistributionFree
        >>> low, high = DistributionFree().confidence_interval(0.3, 10_000, 10)
        >>> round(low, 3), round(high, 3)
        (0.223, 0.377)
        """
        skce = self._estimator(estimator)
        alpha = 1.0 - _probability("confidence_level", confidence_level)
        bound = self._bound(skce, n_classes)
        if skce.unbiased:
            n_independent = _n_independent(n_samples, skce)
            reach = bound * math.sqrt(2.0 * math.log(2.0 / alpha) / n_independent)
            low, high = estimate - reach, estimate + reach
        else:
            reach = math.sqrt(bound / n_samples) * (1.0 + math.sqrt(-2.0 * math.log(alpha)))
            root = math.sqrt(max(estimate, 0.0))
            low, high = max(root - reach, 0.0) ** 2, (root + reach) ** 2
        return min(max(low, 0.0), bound), min(max(high, 0.0), bound)

    def _exponent(
        self, estimate: float, n: int, m: int, skce: SKCE, predictions: Predictions
    ) -> float:
        bound = self._bound(skce, m)
        if bound == 0.0:  # every estimate is 0 with such a kernel
            return 0.0
        if skce.unbiased:
            return 0.5 * _n_independent(n, skce) * (max(estimate, 0.0) / bound) ** 2
        excess = math.sqrt(max(estimate, 0.0)) - self._center(n, m, skce, predictions)
        return 0.5 * max(excess, 0.0) ** 2 * n / bound

    def _center(self, n: int, m: int, skce: SKCE, predictions: Predictions | None) -> float:
        if self.center == "bound":
            return math.sqrt(self._bound(skce, m) / n)
        if predictions is None:
            raise ValueError(
                "center='mean' depends on the predictions; pass `predictions`, or use "
                "center='bound'"
            )
        kernel = skce.kernel.resolve(predictions.y_prob)
        return math.sqrt(float(np.mean(mean_diagonal(kernel, predictions.y_prob))) / n)

    def _bound(self, skce: SKCE, n_classes: int) -> float:
        return skce.kernel.bound(n_classes, self.p, self.q)

    def _estimator(self, estimator: SKCE | None) -> SKCE:
        chosen = SKCE() if estimator is None else estimator
        self.check(chosen)
        return chosen


def mean_diagonal(kernel: Kernel, y_prob: FloatArray) -> FloatArray:
    """Return E[h_ii | p_i] = tr(k(p_i, p_i)·Σ_i) for labels drawn from the predictions, (n,)."""
    if isinstance(kernel, ScalarKernel):
        squares: FloatArray = np.einsum("ic,ic->i", y_prob, y_prob)
        return kernel.diagonal_values(y_prob) * (1.0 - squares)
    total = np.zeros(len(y_prob))
    for c in range(y_prob.shape[1]):
        residuals = 0.0 - y_prob
        residuals[:, c] += 1.0
        total += y_prob[:, c] * kernel.diagonal(y_prob, residuals)
    return total


def _n_independent(n_samples: int, skce: SKCE) -> int:
    # Hoeffding: a U-statistic of b rows is an average of means over ⌊b/2⌋ independent pairs
    size = n_samples if skce.block_size is None else skce.block_size
    if n_samples < max(size, 2):
        raise ValueError(f"`n_samples` must be at least {max(size, 2)}; got {n_samples}")
    return (n_samples // size) * (size // 2)


def _probability(name: str, value: float) -> float:
    if not 0.0 < value < 1.0:
        raise ValueError(f"`{name}` must be in (0, 1); got {value!r}")
    return value
