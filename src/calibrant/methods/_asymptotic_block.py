"""The block test, based on the nearly normal mean of independent block estimates."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from calibrant._execution import Parallel, run_shared
from calibrant._native import FloatArray
from calibrant._predictions import Predictions, RowSource, pair_weights, row_blocks_of
from calibrant.estimators import SKCE, BlockSums, pairs_visited
from calibrant.methods._base import Evidence, Method, Rates, Setting
from calibrant.methods._linear_families import segments_of

#: with fewer effective blocks the mean is not normal: for rare events, where one to four blocks
#: carry all of the variance, .25 to .48 of calibrated models were rejected at 5 %
FEW_BLOCKS = 5.0
#: entries of the predictions in memory at a time when rows are streamed
NUMBERS = 1 << 18


@dataclass(frozen=True)
class AsymptoticBlock(Method):
    r"""Test an SKCE with blocks by the normal limit of its standardized mean.

    Its level is right for many blocks; ``SKCE(block_size=2)`` is the paper's linear-time test
    :math:`A_l`. The test is fast but has little power: it uses n·b of the n² pairs. Cost O(n·b·m).
    With rare events or nearly certain predictions a few blocks carry all of the variance, and the
    test rejects far too often (.25 to .48 of calibrated models at 5 %, even with thousands of
    blocks). The result then warns you; use `Exact` instead.

    Parameters
    ----------
    ddof : int, default 1
        The standard deviation divides by the number of blocks minus `ddof`. The paper's table of
        neural networks used 0.

    Notes
    -----
    With the estimates :math:`u_1, \dots, u_N` of N blocks, mean :math:`\bar u` and standard
    deviation s, the statistic is :math:`z = \sqrt N\,\bar u / s` and the p-value
    :math:`1 - \Phi(z)`. With sample weights :math:`\bar u` is the weighted mean that the estimator
    reports, and s the standard deviation of its linear terms. If all blocks are equal, the p-value
    is 1 for an estimate of at most 0, and undefined for a positive one. The details contain the
    number of effective blocks, :math:`(\sum d_b^2)^2 / \sum d_b^4` of their deviations :math:`d_b`.

    References
    ----------
    Widmann, Lindsten, Zachariah, NeurIPS 2019, appendix "Asymptotic distributions".

    Examples
    --------
    >>> import numpy as np
    >>> import calibrant as cal
    >>> from calibrant.methods import AsymptoticBlock, Setting
    >>> rng = np.random.default_rng(0)
    >>> coin = cal.Predictions(rng.integers(2, size=20_000), rng.random(20_000))
    >>> estimator = cal.SKCE(cal.kernels.Laplacian(0.5), block_size=2)
    >>> evidence = AsymptoticBlock().test(coin, estimator, Setting(rng))
    >>> evidence.pvalue < 1e-6  # labels ignore the predictions: strong evidence
    True
    """

    accepts: ClassVar[type[Any]] = SKCE
    fits: ClassVar[str] = "SKCE with a block size"
    remedy: ClassVar[str] = (
        "Pass `SKCE(kernel, block_size=2)`, or use `Asymptotic()` for the SKCE over all pairs and "
        "`Exact()` for other estimators."
    )
    streams: ClassVar[bool] = True

    ddof: int = 1

    def __post_init__(self) -> None:
        if self.ddof not in (0, 1):
            raise ValueError(f"`ddof` must be 0 or 1; got {self.ddof!r}")

    def default_estimator(self) -> SKCE:
        """Return the paper's linear-time estimator."""
        return SKCE(block_size=2)

    def suits(self, estimator: SKCE) -> bool:
        """Accept an SKCE with blocks."""
        return estimator.block_size is not None

    def cost(self, estimator: SKCE, n_samples: int, rates: Rates) -> float:
        """Return the seconds for the pairs, once for the test and once for the interval."""
        return 2.0 * pairs_visited(estimator, n_samples) * rates.pair

    def test(self, predictions: Predictions, estimator: SKCE, setting: Setting) -> Evidence:
        """Return the evidence; the details contain s, N, the critical value and a lower bound."""
        estimate, deviations = _linear_terms(predictions, estimator, setting.parallel)
        squares, fourths = math.fsum(deviations**2), math.fsum(deviations**4)
        effective = squares**2 / fourths if fourths > 0.0 else float(len(deviations))
        spread = _Spread(estimate, squares, len(deviations), effective)
        return self._evidence(spread, estimator, predictions.n_samples)

    def stream(
        self, source: RowSource, estimator: SKCE, setting: Setting, pair_weight: float
    ) -> Evidence:
        """Return the evidence for streamed rows; the kernel has a fixed bandwidth."""
        size = _size(estimator)
        total = BlockSums.zero()
        # summing over blocks is fast compared with reading them, so each task is a segment
        segments = segments_of(source, size)
        for values in run_shared(_segment_blocks, (source, estimator), segments, setting.parallel):
            total.values += values
        if total.n_blocks == 0 or math.isnan(total.estimate):
            raise ValueError(
                f"AsymptoticBlock needs full blocks of {size} rows with positive weight; got 0."
            )
        squares, effective = total.deviation_squares, total.effective_blocks
        spread = _Spread(total.estimate, squares, total.n_blocks, effective)
        return self._evidence(spread, estimator, source.n_samples)

    def _evidence(self, spread: _Spread, skce: SKCE, n_samples: int) -> Evidence:
        from scipy.special import log_ndtr, ndtr

        estimate, n_blocks = spread.estimate, spread.n_blocks
        if n_blocks < 2:
            raise ValueError(
                f"AsymptoticBlock needs at least 2 full blocks; got {n_blocks} of "
                f"{skce.block_size} rows from {n_samples}. Use a smaller `block_size`."
            )
        sd = math.sqrt(spread.squares / (n_blocks - self.ddof))
        # equal blocks differ only by rounding
        if sd <= 1e-12 * abs(estimate):
            sd = 0.0
        z = _standardize(estimate, sd, n_blocks)
        error = sd / math.sqrt(n_blocks)
        details: dict[str, Any] = {
            "standardized": z,
            "sd": sd,
            "ddof": self.ddof,
            "n_blocks": n_blocks,
            "effective_blocks": spread.effective,
            "standard_error": error,
            "log_pvalue": float(log_ndtr(-z)),
            "critical_value": self.critical_value(0.05, sd=sd, n_blocks=n_blocks),
            "critical_level": 0.05,
            "lower_bound": self.lower_bound(estimate, sd=sd, n_blocks=n_blocks),
            "confidence_level": 0.95,
        }
        if spread.effective < FEW_BLOCKS:
            details["caution"] = (
                f"{spread.effective:.2g} of {n_blocks} blocks carry the variance, as with rare "
                "events: their mean is not normal, and calibrated models are rejected too often; "
                "use `Exact()`"
            )
        return Evidence(z, float(ndtr(-z)), estimate=estimate, details=details)

    def critical_value(self, alpha: float, *, sd: float, n_blocks: int) -> float:
        r"""Return the smallest estimate that the test rejects, :math:`z_{1-\alpha}\,s/\sqrt N`.

        Parameters
        ----------
        alpha : float in (0, 1)
            Significance.
        sd : float
            Standard deviation of the block estimates.
        n_blocks : int
            Number of blocks.

        Returns
        -------
        float

        Examples
        --------
        >>> from calibrant.methods import AsymptoticBlock
        >>> round(AsymptoticBlock().critical_value(0.05, sd=0.2, n_blocks=5000), 5)
        0.00465
        """
        from scipy.special import ndtri

        if not 0.0 < alpha < 1.0:
            raise ValueError(f"`alpha` must be in (0, 1); got {alpha!r}")
        return float(-ndtri(alpha)) * sd / math.sqrt(n_blocks)

    def lower_bound(
        self, estimate: float, *, sd: float, n_blocks: int, confidence_level: float = 0.95
    ) -> float:
        """Return a one-sided lower confidence bound of the SKCE, never below 0.

        Parameters
        ----------
        estimate : float
            The block estimate of the SKCE.
        sd : float
            Standard deviation of the block estimates.
        n_blocks : int
            Number of blocks.
        confidence_level : float in (0, 1), default 0.95
            Coverage of the bound.

        Returns
        -------
        float

        Examples
        --------
        >>> from calibrant.methods import AsymptoticBlock
        >>> round(AsymptoticBlock().lower_bound(0.01, sd=0.2, n_blocks=5000), 5)
        0.00535
        """
        return max(
            0.0, estimate - self.critical_value(1.0 - confidence_level, sd=sd, n_blocks=n_blocks)
        )


@dataclass(frozen=True)
class _Spread:
    """The mean of the blocks, the squares of its linear terms, and the effective blocks."""

    estimate: float
    squares: float
    n_blocks: int
    effective: float


def _size(skce: SKCE) -> int:
    return skce.block_size or 0  # the method accepts blocks only


def _segment_blocks(data: tuple[RowSource, SKCE], rows: range) -> FloatArray:
    source, skce = data
    size = _size(skce)
    step = size * max(1, NUMBERS // (size * source.n_classes))
    total = BlockSums.zero()
    for _, part in row_blocks_of(source, rows, step):
        if len(part) >= size:
            total.values += BlockSums.of(skce, part, Parallel(1)).values
    return total.values


def _linear_terms(
    predictions: Predictions, skce: SKCE, parallel: Parallel
) -> tuple[float, FloatArray]:
    # the estimate is Σ w_b u_b / Σ w_b over blocks; its linear terms are w_b (u_b − ū) / mean w
    size = _size(skce)
    blocks = skce.block_estimates(predictions, parallel)
    if predictions.sample_weight is None:
        estimate = math.fsum(blocks) / len(blocks)
        return estimate, blocks - estimate
    pairs = pair_weights(predictions.weights[: len(blocks) * size].reshape(-1, size))
    estimate = math.fsum(pairs * blocks) / math.fsum(pairs)
    return estimate, pairs * (blocks - estimate) / pairs.mean()


def _standardize(estimate: float, sd: float, n_blocks: int) -> float:
    if sd > 0.0:
        return math.sqrt(n_blocks) * estimate / sd
    if estimate <= 0.0:
        return -math.inf
    raise ValueError(
        f"all {n_blocks} blocks have the same positive estimate {estimate:.6g}, so their spread is "
        "0 and the normal limit says nothing. Use another `block_size`, or `Exact()`."
    )
