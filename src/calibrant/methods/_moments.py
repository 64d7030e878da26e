"""The test from closed-form conditional moments: no resampling, p-values far below 1/B."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from calibrant.estimators import SKCE, Estimator
from calibrant.kernels import ScalarKernel
from calibrant.methods._base import Evidence, Method, Setting
from calibrant.methods._conditional import conditional_moments
from calibrant.methods._pearson import pearson3_sf

if TYPE_CHECKING:
    from calibrant._predictions import Predictions


@dataclass(frozen=True)
class Moments(Method):
    r"""Test the SKCE by its exact mean, variance and skewness given the predictions.

    Given the predictions, and labels that follow them, the pair sum
    :math:`T = \sum_{i \ne j} h_{ij}` has mean 0 and closed-form variance and skewness; its tail
    is that of the Pearson III distribution with these moments. The p-value is an approximation
    in its far tail (0.3 to 1 times the true one at 1e-4) and needs no resampling.

    Parameters
    ----------
    skewness_rows : int, default 1000
        Rows of the evenly spaced subsample from which the skewness is computed, fewer for many
        classes: it costs O(rows³·m) and hardly depends on n. The variance is exact, O(n²m).

    Notes
    -----
    Rigorous bounds of the p-value are in the details: ``cantelli``,
    :math:`Var T / (Var T + \max(T, 0)^2)`, and ``mcdiarmid``,
    :math:`\exp(-\max(0, \sqrt V - \sqrt{E V})^2 / \sum_i K_{ii})` for the biased sum V.

    Examples
    --------
    >>> import calibrant as cal
    >>> y_true, y_prob = cal.models.M3().sample(200, rng=0)
    >>> result = cal.calibration_test(y_true, y_prob, method=cal.methods.Moments(), rng=0)
    >>> result.pvalue < 1e-6 < result.details["cantelli"]
    True
    """

    skewness_rows: int = 1000
    fits: ClassVar[str] = "the biased or unbiased SKCE of a scalar kernel (k·I)"

    def __post_init__(self) -> None:
        if self.skewness_rows < 3:
            raise ValueError(f"`skewness_rows` must be at least 3; got {self.skewness_rows}")

    def check(self, estimator: Estimator) -> None:
        """Refuse what has no closed-form moments."""
        if (
            not isinstance(estimator, SKCE)
            or estimator.block_size is not None
            or not isinstance(estimator.kernel, ScalarKernel)
        ):
            raise self.refuse(estimator, "For any other estimator use `Exact()`.")

    def test(self, predictions: Predictions, estimator: Estimator, setting: Setting) -> Evidence:
        """Return the evidence against calibration."""
        assert isinstance(estimator, SKCE)
        assert isinstance(estimator.kernel, ScalarKernel)
        predictions.require_rows(2, "Moments")
        kernel = estimator.kernel.resolve(predictions.y_prob)
        moments = conditional_moments(predictions, kernel, self.skewness_rows, setting.parallel)
        unbiased = SKCE(kernel).estimate(
            predictions,
            n_jobs=setting.parallel.n_jobs,
            executor=setting.parallel.executor,
        )
        weights = predictions.weights
        total = float(weights.sum())
        pairs = unbiased * (total**2 - float((weights**2).sum()))
        diagonal = float(
            np.sum(kernel.diagonal(predictions.y_prob, predictions.weighted_residuals))
        )
        value, mean, variance = (
            (pairs, 0.0, moments.pair_variance)
            if estimator.unbiased
            else (pairs + diagonal, moments.diagonal_mean, moments.variance)
        )
        # with no variance the labels are certain: what was observed had to be
        sd = float(np.sqrt(variance))
        z = (value - mean) / sd if sd > 0.0 else 0.0
        pvalue = float(pearson3_sf(z, moments.skewness)) if sd > 0.0 else 1.0
        biased = max(pairs + diagonal, 0.0)
        excess = max(0.0, float(np.sqrt(biased) - np.sqrt(moments.diagonal_mean)))
        details = {
            "z": z,
            "null_mean": mean / total**2 if not estimator.unbiased else 0.0,
            "null_sd": sd / (pairs / unbiased if estimator.unbiased and unbiased else total**2),
            "skewness": moments.skewness,
            "skewness_rows": moments.skewness_rows,
            "cantelli": (
                moments.pair_variance / (moments.pair_variance + max(pairs, 0.0) ** 2)
                if moments.pair_variance > 0.0
                else 1.0
            ),
            "mcdiarmid": float(np.exp(-(excess**2) / moments.diagonal_bound)),
        }
        estimate = unbiased if estimator.unbiased else (pairs + diagonal) / total**2
        return Evidence(estimate, pvalue, estimate=estimate, details=details)
