"""The asymptotic test of the unbiased SKCE, a degenerate U-statistic, with three null laws."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from calibrant._engine import Form, row_sums, sizes
from calibrant._execution import Parallel, limits
from calibrant._native import FloatArray
from calibrant._predictions import Predictions
from calibrant.estimators import SKCE, pairs_visited
from calibrant.kernels import Kernel, ScalarKernel
from calibrant.methods._base import (
    Evidence,
    Method,
    Rates,
    Setting,
    check_resamples,
    monte_carlo_error,
    monte_carlo_pvalue,
)
from calibrant.methods._conditional import null_variance, subsample_skewness
from calibrant.methods._pair_matrix import pair_matrix, square_sum
from calibrant.methods._pearson import pearson3_sf
from calibrant.methods._quadratic_forms import quadratic_forms
from calibrant.methods._spectrum import power_sums, skewness, weighted_chi2_sf

#: above this skewness given the predictions, computed from this many rows, the bootstrap and
#: Pearson nulls rejected .27 to .46 of calibrated models of rare events at 5 %
MOST_SKEWNESS, SKEWNESS_ROWS = 4.0, 300
#: if fewer labels than this are expected to differ from the most probable class, they rejected up
#: to .2 of calibrated two-class models; with twice as many, up to .1
FEW_MISSES = 10.0
#: rows that are drawn at a time: their numbers stay in the cache
_DRAWS = 1 << 17


@dataclass(frozen=True)
class Asymptotic(Method):
    r"""Test the unbiased SKCE against an estimate of its limit law, the paper's :math:`A_{uq}`.

    Valid only in the limit of many samples. The bootstrap is very conservative unless n is much
    larger than ten times the number of classes, because samples paired with themselves add to its
    variance: at 5 % it rejects .002 of calibrated models for n = 20, m = 10 and .004 for n = 250,
    m = 100. With rare events or nearly certain predictions, ``"bootstrap"`` and ``"pearson"``
    reject far too often (.27 to .46 for predictions from Beta(.2, 20), n = 100). The result warns
    if fewer than ten labels are expected to differ from the most probable class, or if the
    statistic is very skewed. `Exact` always holds its level.

    Parameters
    ----------
    n_resamples : int, default 1000
        Number of bootstrap resamples; the other nulls draw nothing.
    null : {"bootstrap", "spectrum", "pearson"}, default "bootstrap"
        How to estimate the law under calibration, see the notes.
    self_pairs : bool, default True
        ``False`` uses a bootstrap with centered counts, without pairs of a sample with itself. It
        is close to its level from 250 rows on (.049–.059), but rejects too often with few rows and
        classes (.17 at n = 20, m = 2).

    Notes
    -----
    *bootstrap* (Arcones and Giné): with the counts C of a resample,

    .. math::

        T' = n^{-2} \sum_i C_i \sum_j \Big(\tfrac{n}{n-1}(C_j - \delta_{ij}) - 2\Big) h_{ij}

    is compared with :math:`\tfrac{n}{n-1}\widehat{SKCE}_{uq} - \widehat{SKCE}_b`; p = (1 + #{T' ≥
    statistic})/(1 + B). Without self-pairs,
    :math:`\sum_{i \ne j} (C_i - 1)(C_j - 1) h_{ij} / (n(n-1))` is compared with
    :math:`\widehat{SKCE}_{uq}`. O(n²B) time (O(nB) for two classes and a Laplacian kernel).

    *spectrum*: n·SKCE tends to :math:`\sum_i \lambda_i (Z_i^2 - 1)`; the eigenvalues are those
    of the centered :math:`(h_{ij})/n` for all rows up to n = 3000, else for 1000 evenly spaced
    rows, rescaled to the variance of the statistic given the predictions (exact for scalar
    kernels, else estimated). The tail is approximated as in Liu, Tang and Zhang.

    *pearson*: Pearson III with Hoeffding's unconditional moments,
    :math:`E\,\widehat{SKCE}_{uq}^2 = \tfrac{2}{n(n-1)} E\,h^2`, and with
    :math:`T = \sum_{i \ne j} h_{ij}`,
    :math:`E\,T^3 = 4n(n-1)\,E\,h_{12}^3 + 8n(n-1)(n-2)\,E\,h_{12}h_{23}h_{31}`, the last two
    estimated from at most 1000 evenly spaced rows.

    References
    ----------
    Widmann, Lindsten, Zachariah, NeurIPS 2019, appendix "Asymptotic distributions"; Arcones,
    Giné, "On the bootstrap of U and V statistics", Annals of Statistics 1992.

    Examples
    --------
    >>> import numpy as np
    >>> import calibrant as cal
    >>> from calibrant.methods import Asymptotic, Setting
    >>> rng = np.random.default_rng(0)
    >>> coin = cal.Predictions(rng.integers(2, size=200), rng.random(200))
    >>> evidence = Asymptotic(199).test(coin, cal.SKCE(cal.kernels.Laplacian(0.5)), Setting(rng))
    >>> evidence.pvalue  # the smallest possible p-value of 199 resamples
    0.005
    """

    accepts: ClassVar[type[Any]] = SKCE
    fits: ClassVar[str] = "the unbiased SKCE without blocks"
    remedy: ClassVar[str] = (
        "Pass `SKCE(kernel)`; use `AsymptoticBlock()` for blocks, and `Exact()` for other "
        "estimators."
    )

    n_resamples: int = 1000
    null: Literal["bootstrap", "spectrum", "pearson"] = "bootstrap"
    self_pairs: bool = True

    def __post_init__(self) -> None:
        check_resamples(self.n_resamples)
        if self.null not in ("bootstrap", "spectrum", "pearson"):
            raise ValueError(
                f"`null` must be 'bootstrap', 'spectrum' or 'pearson'; got {self.null!r}"
            )
        if not self.self_pairs and self.null != "bootstrap":
            raise ValueError(
                f"`self_pairs=False` is a variant of the bootstrap; got null={self.null!r}. "
                "Drop it: the other nulls have no self-pairs in their variance."
            )

    def suits(self, estimator: SKCE) -> bool:
        """Accept the unbiased SKCE over all pairs."""
        return estimator.unbiased and estimator.block_size is None

    def cost(self, estimator: SKCE, n_samples: int, rates: Rates) -> float:
        """Return the seconds for all pairs, and for a matrix product for the resamples."""
        pairs = pairs_visited(estimator, n_samples)
        return pairs * (rates.pair + self.n_resamples * rates.product)

    def test(self, predictions: Predictions, estimator: SKCE, setting: Setting) -> Evidence:
        """Return the evidence; the null distribution holds the bootstrap statistics."""
        if predictions.sample_weight is not None:
            raise ValueError(
                "the limit law of Asymptotic is that of unweighted means; got `sample_weight`. "
                "Drop the weights, or use `Exact()`, which is exact with weights too."
            )
        predictions.require_rows(2, "the unbiased SKCE")
        kernel = estimator.kernel.resolve(predictions.y_prob)
        pairs = _Pairs(predictions, kernel, setting.parallel)
        if self.null == "spectrum":
            return _spectrum(pairs)
        evidence = (
            _pearson(pairs) if self.null == "pearson" else self._bootstrap(pairs, setting.rng)
        )
        return replace(evidence, details={**evidence.details, **_caution(pairs)})

    def _bootstrap(self, pairs: _Pairs, rng: np.random.Generator) -> Evidence:
        n = pairs.n
        parts = []
        for first in range(0, self.n_resamples, max(1, limits().bootstrap_counts // n)):
            size = min(max(1, limits().bootstrap_counts // n), self.n_resamples - first)
            counts = resample_counts(n, size, rng)
            parts.append(
                bootstrap_statistics(pairs, counts)
                if self.self_pairs
                else centered_statistics(pairs, counts)
            )
        null = np.concatenate(parts)
        statistic = pairs.unbiased
        if self.self_pairs:
            statistic = n / (n - 1) * pairs.unbiased - pairs.biased
        pvalue = monte_carlo_pvalue(statistic, null)
        details = {
            "null": "bootstrap",
            "self_pairs": self.self_pairs,
            "n_resamples": self.n_resamples,
            "monte_carlo_error": monte_carlo_error(pvalue, self.n_resamples),
            "biased_estimate": pairs.biased,
            "null_mean": float(null.mean()),
            "null_sd": float(null.std(ddof=1)) if len(null) > 1 else 0.0,
        }
        return Evidence(statistic, pvalue, null, None, pairs.unbiased, details)


class _Pairs:
    """The pairs of a data set: forms, diagonal h_ii, row sums and both estimates."""

    def __init__(self, predictions: Predictions, kernel: Kernel, parallel: Parallel) -> None:
        x, residuals = predictions.y_prob, predictions.residuals
        self.predictions, self.n = predictions, predictions.n_samples
        self.kernel, self.parallel = kernel, parallel
        self.forms: list[Form] = kernel.forms(x, residuals)
        self.diagonal: FloatArray = kernel.diagonal(x, residuals)
        off_diagonal = row_sums(self.forms, parallel)
        self.rows: FloatArray = off_diagonal + self.diagonal
        self.total = math.fsum(off_diagonal)
        self.unbiased = self.total / (self.n * (self.n - 1))
        self.biased = (self.total + math.fsum(self.diagonal)) / self.n**2

    def some(self, size: int) -> FloatArray:
        """Return the pair matrix of at most `size` evenly spaced rows."""
        rows = sizes.evenly_spaced(self.n, size)
        return pair_matrix([replace(form, x=form.x[rows], v=form.v[rows]) for form in self.forms])


def resample_counts(
    n: int, n_resamples: int, rng: np.random.Generator
) -> np.ndarray[Any, np.dtype[np.int16]]:
    """Return how often each of n rows occurs in each resample of n rows, shape (n, B)."""
    counts = np.empty((n, n_resamples), dtype=np.int16)
    step = max(1, _DRAWS // n)
    for first in range(0, n_resamples, step):
        some = range(first, min(first + step, n_resamples))
        draws = rng.integers(n, size=(len(some), n))
        # give the rows of each resample distinct numbers, so that one count serves all resamples
        draws += n * np.arange(len(some))[:, None]
        together = np.bincount(draws.ravel(), minlength=draws.size)
        counts[:, some.start : some.stop] = together.reshape(draws.shape).T
    return counts


def bootstrap_statistics(pairs: _Pairs, counts: np.ndarray[Any, Any]) -> FloatArray:
    """Return n⁻² Σ_i C_i Σ_j ((n/(n−1))(C_j − δ_ij) − 2) h_ij for every column of counts."""
    n = pairs.n
    diagonal = _columnwise(lambda c: (c * c - c).T @ pairs.diagonal, counts)
    rows = _columnwise(lambda c: c.T @ pairs.rows, counts)
    distinct = quadratic_forms(pairs.forms, counts, pairs.parallel)
    return (n / (n - 1) * (distinct + diagonal) - 2.0 * rows) / n**2


def centered_statistics(pairs: _Pairs, counts: np.ndarray[Any, Any]) -> FloatArray:
    """Return Σ_{i≠j} (C_i − 1)(C_j − 1) h_ij / (n(n−1)) for every column of counts."""
    n = pairs.n
    centered = counts - counts.dtype.type(1)
    return quadratic_forms(pairs.forms, centered, pairs.parallel) / (n * (n - 1))


def _columnwise(function: Any, counts: np.ndarray[Any, Any]) -> FloatArray:
    # convert a few columns at a time to floating point: the counts are small integers
    step = max(1, (1 << 20) // len(counts))
    parts = [
        function(counts[:, b : b + step].astype(np.float64))
        for b in range(0, counts.shape[1], step)
    ]
    return np.concatenate(parts)


def _spectrum(pairs: _Pairs) -> Evidence:
    size = limits().spectrum_sample if pairs.n > limits().spectrum_rows else pairs.n
    sums = power_sums(pairs.some(size))
    sd = math.sqrt(null_variance(pairs.predictions, pairs.kernel, pairs.forms, pairs.parallel))
    statistic = pairs.n * pairs.unbiased
    details: dict[str, Any] = {"null": "spectrum", "n_rows": size}
    if sd == 0.0 or sums[1] == 0.0:
        return _no_variance(statistic, pairs, details)
    z = pairs.total / sd
    details |= {
        "standardized": z,
        "sd": sd / (pairs.n - 1),
        "unscaled_sd": math.sqrt(2.0 * sums[1]),
        "skewness": skewness(sums),
        "effective_rank": sums[1] ** 2 / sums[3],
    }
    pvalue = weighted_chi2_sf(z, sums)
    return Evidence(statistic, pvalue, estimate=pairs.unbiased, details=details)


def _pearson(pairs: _Pairs) -> Evidence:
    n = pairs.n
    variance = 2.0 * square_sum(pairs.forms, pairs.parallel)
    h = pairs.some(limits().triangle_rows)
    details: dict[str, Any] = {"null": "pearson", "n_rows": len(h)}
    if variance == 0.0:
        return _no_variance(pairs.unbiased, pairs, details)
    cubes, triangles = mean_cubes(h)
    third = 4.0 * n * (n - 1) * cubes + 8.0 * n * (n - 1) * (n - 2) * triangles
    skew, z = third / variance**1.5, pairs.total / math.sqrt(variance)
    details |= {
        "standardized": z,
        "sd": math.sqrt(variance) / (n * (n - 1)),
        "skewness": skew,
    }
    pvalue = float(pearson3_sf(z, skew))
    return Evidence(pairs.unbiased, pvalue, estimate=pairs.unbiased, details=details)


def _caution(pairs: _Pairs) -> dict[str, str]:
    misses = float(np.sum(1.0 - pairs.predictions.y_prob.max(axis=1)))
    if misses < FEW_MISSES:
        return {
            "caution": f"about {misses:.2g} labels are expected to differ from the most probable "
            "class, too few for this null distribution, which may reject calibrated models too "
            "often; use `Exact()`"
        }
    if not isinstance(pairs.kernel, ScalarKernel):
        return {}
    skewness = subsample_skewness(pairs.predictions, pairs.kernel, SKEWNESS_ROWS)
    if skewness <= MOST_SKEWNESS:
        return {}
    return {
        "caution": f"under these predictions the SKCE is very skewed ({skewness:.3g}), and this "
        "null distribution rejects calibrated models too often; use `Exact()`"
    }


def mean_cubes(h: FloatArray) -> tuple[float, float]:
    """Return the means of h_ij³ over i ≠ j and of h_ij h_jk h_ki over distinct i, j, k."""
    h = h.copy()
    np.fill_diagonal(h, 0.0)
    k = len(h)
    cubes = float(np.sum(h**3)) / (k * (k - 1))
    if k < 3:
        return cubes, 0.0
    return cubes, float(np.vdot(h @ h, h)) / (k * (k - 1) * (k - 2))


def _no_variance(statistic: float, pairs: _Pairs, details: dict[str, Any]) -> Evidence:
    return Evidence(statistic, 1.0, estimate=pairs.unbiased, details={**details, "sd": 0.0})
