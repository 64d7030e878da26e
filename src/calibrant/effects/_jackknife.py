"""A confidence interval for the squared kernel calibration error of a miscalibrated model."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import singledispatch

import numpy as np

from calibrant._engine import block_sums, row_sums, sizes
from calibrant._execution import Parallel, limits
from calibrant._native import FloatArray
from calibrant._predictions import Predictions, pair_weights, sums_of_others
from calibrant.effects._clustered_pairs import BetweenClusters, design_effect
from calibrant.effects._interval import Effect, Interval, check_confidence_level
from calibrant.effects._leave_one_out import jackknife_error
from calibrant.effects._null_variance import null_variance
from calibrant.effects._score_interval import score_interval
from calibrant.estimators import (
    SKCE,
    Estimator,
    feature_spread_sums,
    inside_sums,
    refuse_soft_blocks,
)
from calibrant.kernels import Laplacian, fixed_bandwidth

SKCE_MEANING = "squared kernel calibration error: 0 for a calibrated model, larger is worse"
_SAME = "all rows have the same value: there is no variation to build an interval from"
_ALONE = "one row or block carries nearly all the weight: nothing is left without it"


def skce_interval(
    predictions: Predictions,
    skce: SKCE,
    confidence_level: float = 0.95,
    parallel: Parallel = Parallel(),
) -> Effect:
    r"""Return the estimate, its jackknife standard error and an interval for the true SKCE.

    The interval always contains the estimate; it contains values below 0 only if the estimate is
    below 0. Cost: one pass over the pairs of the estimator, O(n²m) (O(n·b·m) for blocks), and
    O(n·m) memory. A bandwidth rule is resolved once, from all predictions.

    Parameters
    ----------
    predictions : Predictions
        Labels and probabilities.
    skce : SKCE
        The estimator: unbiased, biased or with blocks.
    confidence_level : float, default 0.95
        Coverage of the interval.
    parallel : Parallel
        Threads or executor.

    Returns
    -------
    Effect
        For small or degenerate data, unknown numbers are NaN, and `note` says why.

    Notes
    -----
    With :math:`\bar h_i = \sum_{j \ne i} h_{ij}/(n-1)` and their mean U and variance s², the
    jackknife variance is :math:`4(n-1)^2/(n(n-2)^2) \cdot s^2`. With weights, it is the same
    jackknife of :math:`\sum_{i \ne j} w_i w_j h_{ij} / \sum_{i \ne j} w_i w_j`, and rows of weight
    0 are ignored. The interval is that of `score_interval`, with the variance of a calibrated model
    given these predictions, because a 95 % interval from the jackknife alone covers only .80 to .92
    for weak errors of two classes.

    The biased estimator has its own jackknife standard error, but its interval is that of the
    unbiased estimate (the jackknife's bias correction gives exactly this one), extended to contain
    the biased one. With blocks, the jackknife leaves out one block at a time, which without weights
    gives the mean ± z·sd/√blocks.

    With clusters, the interval is that of the mean over pairs in different clusters, which
    dependence within clusters does not bias, extended to contain the estimate. The jackknife leaves
    out whole clusters, and the null variance is multiplied by the square of the design effect.

    Examples
    --------
    >>> from calibrant import SKCE, Predictions
    >>> from calibrant.effects import skce_interval
    >>> from calibrant.models import TemperatureModel
    >>> y_true, y_prob = TemperatureModel(0.5, 4, temperature=4.0).sample(500, rng=1)
    >>> effect = skce_interval(Predictions(y_true, y_prob), SKCE())
    >>> effect.estimate > 0, effect.interval.low > 0
    (True, True)

    The model is not calibrated: 0 is outside the interval.
    """
    check_confidence_level(confidence_level)
    if skce.block_size is None:
        weight = predictions.sample_weight
        # all positive weights: even a tiny and a huge weight form a pair
        rows = predictions if weight is None else predictions.take(weight > 0.0)
        found = _from_rows(rows, skce, parallel)
    else:
        found = _from_blocks(predictions, skce, skce.block_size, parallel)
    return found.effect(confidence_level)


@singledispatch
def estimate_interval(
    estimator: Estimator, predictions: Predictions, parallel: Parallel, *, known: float | None
) -> Effect | None:
    """Return the estimate with its interval, or None for errors without one.

    For many rows the default SKCE uses random features, unless the exact value is `known`, and the
    standard error of any SKCE with a Laplacian kernel uses them, too.
    """
    return None


@estimate_interval.register
def _(skce: SKCE, predictions: Predictions, parallel: Parallel, *, known: float | None) -> Effect:
    n, m = predictions.n_samples, predictions.n_classes
    approximate = sizes.uses_features(n, m) and skce == SKCE()
    if known is not None:
        approximate = n > limits().pair_rows and m > 2 and skce.unbiased and skce.block_size is None
    kernel = skce.kernel.resolve(predictions.y_prob) if approximate else None
    if not isinstance(kernel, Laplacian) or kernel.metric != "tv":
        return skce_interval(predictions, skce, parallel=parallel)
    sums = feature_spread_sums(predictions, fixed_bandwidth(kernel), 0, parallel)
    if known is not None:
        weights = predictions.weights * sums_of_others(predictions.weights)
        sums += known * weights - weights * (sums.sum() / weights.sum())
    variance = null_variance(predictions, kernel)
    together = predictions.clusters is not None
    inside = inside_sums(predictions, kernel, parallel) if together else None
    return row_sum_effect(predictions, sums, null_variance=variance, inside=inside)


def row_sum_effect(
    predictions: Predictions,
    pairs: FloatArray,
    confidence_level: float = 0.95,
    *,
    null_variance: float = math.nan,
    inside: FloatArray | None = None,
) -> Effect:
    """Return the unbiased SKCE and its interval from Σ_{j≠i} h_ij of every row, shape (n,).

    Clustered rows need the sums `inside` of their clusters, from `inside_sums`.

    Given the null variance, the interval is that of `skce_interval`; without it, estimate ±
    z·error.
    """
    found = _from_pairs(predictions, pairs)
    if inside is not None:
        found = _between(predictions, found, pairs, inside, unbiased=True)
        null_variance *= design_effect(predictions) ** 2
    return replace(found, null_variance=null_variance).effect(confidence_level)


def interval_at(effect: Effect, confidence_level: float) -> Interval:
    """Return the interval of a squared kernel calibration error at another confidence level."""
    center, variance = (_number(effect.details.get(k)) for k in ("center", "null_variance"))
    interval = score_interval(center, effect.standard_error, variance, confidence_level)
    return interval.holding(effect.estimate)


def _number(value: float | None) -> float:
    return math.nan if value is None else value  # None is NaN after a round trip through JSON


@dataclass(frozen=True)
class _Found:
    estimate: float = math.nan
    center: float = math.nan
    error: float = math.nan
    note: str = ""
    null_variance: float = math.nan

    def effect(self, confidence_level: float) -> Effect:
        details = {"center": self.center, "null_variance": self.null_variance}
        effect = Effect(
            "skce",
            self.estimate,
            Interval.unknown(confidence_level),
            SKCE_MEANING,
            self.error,
            self.note,
            details,
        )
        return replace(effect, interval=interval_at(effect, confidence_level))


def _from_rows(rows: Predictions, skce: SKCE, parallel: Parallel) -> _Found:
    kernel = skce.kernel.resolve(rows.y_prob)
    vectors = rows.weighted_residuals
    pairs = row_sums(kernel.forms(rows.y_prob, vectors), parallel)
    own = None if skce.unbiased else kernel.diagonal(rows.y_prob, vectors)
    found = _from_pairs(rows, pairs, own)
    variance = null_variance(rows, kernel)
    if rows.clusters is not None:
        inside = inside_sums(rows, kernel, parallel)
        found = _between(rows, found, pairs, inside, unbiased=skce.unbiased)
        variance *= design_effect(rows) ** 2
    return replace(found, null_variance=variance)


def _between(
    rows: Predictions, found: _Found, pairs: FloatArray, inside: FloatArray, *, unbiased: bool
) -> _Found:
    """Return the estimate with the interval from pairs in different clusters."""
    between = BetweenClusters.of(rows, pairs, inside)
    # shares of the same item do not form pairs
    estimate = between.estimate if rows.soft and unbiased else found.estimate
    return _with_error(estimate, between.estimate, between.without)


def _from_pairs(rows: Predictions, pairs: FloatArray, own: FloatArray | None = None) -> _Found:
    # `own` is h_ii, which the biased estimator also counts
    n, w = rows.n_samples, rows.weights
    total = float(w.sum())
    # Σ_{j≠i} w_j as a sum, not as total − w_i, to avoid cancellation with a huge weight
    others = sums_of_others(w)
    pair_weight = w * others
    center = _ratio(pairs.sum(), pair_weight.sum())
    if own is None:
        estimate = center
        all_pairs = pair_weight.sum()
        without = _ratios(pairs.sum() - 2.0 * pairs, all_pairs - 2.0 * pair_weight, all_pairs)
        enough = n > 2
    else:
        everything = pairs + own
        estimate = _ratio(everything.sum(), total * total)
        without = _ratios(everything.sum() - 2.0 * pairs - own, others**2, total * total)
        enough = n > 1
    if not enough:
        what = "three" if own is None else "two"
        return _Found(
            estimate, note=f"an interval needs at least {what} rows with positive weight; got {n}"
        )
    return _with_error(estimate, center, without)


def _from_blocks(predictions: Predictions, skce: SKCE, size: int, parallel: Parallel) -> _Found:
    refuse_soft_blocks(predictions)
    count = predictions.n_samples // size
    if count == 0:
        note = f"blocks of {size} rows need at least {size} rows; got {predictions.n_samples}"
        return _Found(note=note)
    kernel = skce.kernel.resolve(predictions.y_prob)
    forms = kernel.forms(predictions.y_prob, predictions.weighted_residuals)
    pair_weight = pair_weights(predictions.weights[: count * size].reshape(count, size))
    counts = pair_weight > 0.0  # a single positive weight forms no pair
    sums = 2.0 * block_sums(forms, size, parallel)[counts]
    pair_weight = pair_weight[counts]
    estimate = _ratio(sums.sum(), pair_weight.sum())
    if len(sums) < 2:
        note = f"an interval needs at least two blocks that count; got {len(sums)}"
        return _Found(estimate, note=note)
    total = pair_weight.sum()
    without = _ratios(sums.sum() - sums, total - pair_weight, total)
    return _with_error(estimate, estimate, without)


def _with_error(estimate: float, center: float, without: FloatArray) -> _Found:
    if np.isnan(without).any():
        return _Found(estimate, center, note=_ALONE)
    error = jackknife_error(without)
    return _Found(estimate, center, error, _SAME if math.isnan(error) else "")


def _ratios(numerator: FloatArray, denominator: FloatArray, total: float) -> FloatArray:
    """Return the quotients; NaN if the denominator is only a rounding error of its `total`."""
    safe = np.where(denominator > 1e-9 * total, denominator, math.nan)
    return np.asarray(numerator / safe)


def _ratio(numerator: float, denominator: float) -> float:
    return float(numerator / denominator) if denominator > 0 else math.nan
