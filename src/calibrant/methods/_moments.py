"""The test from closed-form conditional moments, without resampling."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from calibrant._predictions import Predictions, label_probabilities
from calibrant.estimators import SKCE, pairs_visited
from calibrant.kernels import ScalarKernel, as_scalar
from calibrant.methods._base import Evidence, Method, Rates, Setting
from calibrant.methods._conditional import conditional_moments
from calibrant.methods._pair_matrix import NUMPY_COST
from calibrant.methods._pearson import pearson3_sf

#: above this skewness the tail of Pearson III is too thin: at 5 % it rejected .64 of calibrated
#: models of rare events with skewness above 15, and .02 to .04 below
MOST_SKEWNESS = 10.0


@dataclass(frozen=True)
class Moments(Method):
    r"""Test the SKCE using its exact mean, variance and skewness given the predictions.

    For labels drawn from the predictions, the pair sum :math:`T = \sum_{i \ne j} h_{ij}` has mean 0
    and a closed-form variance and skewness; its tail is approximated by the Pearson III
    distribution with these moments. The p-value needs no resampling and is approximate in the far
    tail (0.3 to 1 times the true one at 1e-4). If the skewness exceeds 10, as with rare events or
    nearly certain predictions, the p-value is Cantelli's bound, which is always valid but rarely
    below 0.05; the result says so.

    Parameters
    ----------
    skewness_rows : int, default 1000
        Size of the evenly spaced subsample for the skewness, smaller for many classes: it costs
        O(rows³·m) and the skewness hardly depends on n. The variance is exact, O(n²m).

    Notes
    -----
    The p-value is at least the probability of the observed labels, which belong to the tail. The
    details contain rigorous bounds of the p-value: ``cantelli``,
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
    accepts: ClassVar[type[Any]] = SKCE
    fits: ClassVar[str] = "the unbiased SKCE of a scalar kernel (k·I)"
    remedy: ClassVar[str] = "For any other estimator use `Exact()`."

    def __post_init__(self) -> None:
        if self.skewness_rows < 3:
            raise ValueError(f"`skewness_rows` must be at least 3; got {self.skewness_rows}")

    def suits(self, estimator: SKCE) -> bool:
        """Accept an estimator with closed-form moments."""
        whole = estimator.unbiased and estimator.block_size is None
        return whole and isinstance(estimator.kernel, ScalarKernel)

    def cost(self, estimator: SKCE, n_samples: int, rates: Rates) -> float:
        """Return the seconds for the pairs: test, interval, and the variance in NumPy."""
        return pairs_visited(estimator, n_samples) * rates.pair * (2.0 + NUMPY_COST)

    def test(self, predictions: Predictions, estimator: SKCE, setting: Setting) -> Evidence:
        """Return the evidence against calibration."""
        predictions.require_rows(2, "Moments")
        kernel = as_scalar(estimator.kernel).resolve(predictions.y_prob)
        moments = conditional_moments(predictions, kernel, self.skewness_rows, setting.parallel)
        estimate = SKCE(kernel).estimate(predictions, setting.parallel.quiet())
        value = estimate * predictions.pair_weight
        sd = math.sqrt(moments.variance)
        if sd == 0.0 and value > 0.0:
            raise ValueError(
                f"the SKCE has no variance under these predictions but is {estimate:.6g}: every "
                "label that could matter is certain, and some were not as predicted. No moments "
                "describe that; use `Exact()`."
            )
        z = value / sd if sd > 0.0 else 0.0
        details: dict[str, Any] = {
            "z": z,
            "null_sd": sd / predictions.pair_weight,
            "skewness": moments.skewness,
            "skewness_rows": moments.skewness_rows,
            "cantelli": _cantelli(value, moments.variance),
            "mcdiarmid": _mcdiarmid(value, predictions, kernel),
        }
        tail = float(pearson3_sf(z, moments.skewness)) if sd > 0.0 else 1.0
        if moments.skewness > MOST_SKEWNESS:
            tail = details["cantelli"]
            details["caution"] = (
                f"under these predictions the SKCE is too skewed ({moments.skewness:.3g}) for an "
                "approximation by moments; the p-value is Cantelli's bound, and `Exact()` is "
                "sharper"
            )
        # the observed labels always belong to the tail
        pvalue = max(tail, _probability_of_labels(predictions))
        return Evidence(estimate, pvalue, estimate=estimate, details=details)


def _probability_of_labels(predictions: Predictions) -> float:
    observed = label_probabilities(predictions) / predictions.y_prob.sum(axis=1)
    return float(np.prod(observed[predictions.weights > 0.0]))


def _cantelli(value: float, variance: float) -> float:
    return variance / (variance + max(value, 0.0) ** 2) if variance > 0.0 else 1.0


def _mcdiarmid(value: float, predictions: Predictions, kernel: ScalarKernel) -> float:
    p = predictions.distributions
    ranges = kernel.diagonal_values(predictions.y_prob) * predictions.weights**2
    biased = value + float(
        np.sum(kernel.diagonal(predictions.y_prob, predictions.weighted_residuals))
    )
    expected = float(np.sum(ranges * (1.0 - np.sum(p**2, axis=1))))
    excess = max(0.0, math.sqrt(max(biased, 0.0)) - math.sqrt(max(expected, 0.0)))
    return math.exp(-(excess**2) / float(np.sum(ranges)))
