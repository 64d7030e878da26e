"""The paired difference between two models: estimate, standard error, interval, p-values."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from calibrant._engine import SMALLEST
from calibrant._followup.compare._difference import MeasureName
from calibrant._followup.compare._hits import Hits, clustered_pvalue
from calibrant._followup.compare._measured import Measured
from calibrant._followup.compare._row_mean import Estimate, freedom_of, row_mean
from calibrant._native import FloatArray
from calibrant._output import counted
from calibrant._predictions import Predictions
from calibrant.effects import (
    Interval,
    design_effect,
    effective_size,
    repair_design_effect,
    row_sum_effect,
)

#: predictions and scores closer than this differ only by rounding
_ROUNDING = 1e-13
#: half the width of the range of a difference
_RANGE = {"brier": 2.0, "accuracy": 1.0}
#: number of differing weighted hits below which Student's t is inaccurate
_FEW = 10
#: measures that depend on a repair, which amplifies rounding errors
_REPAIRED = ("calibration_loss", "refinement")


@dataclass(frozen=True)
class Paired:
    """A difference before adjustment for multiple comparisons."""

    estimate: float
    interval: Interval
    standard_error: float = math.nan
    pvalue: float = math.nan
    note: str = ""
    #: the p-value of a difference of at least a margin
    equivalence_pvalue: Callable[[float], float] = lambda margin: math.nan


def paired(
    first: Measured, second: Measured, measure: MeasureName, confidence_level: float
) -> Paired:
    """Return first − second; unknown values are NaN, and the note says why."""
    rows, unknown = first.predictions, Interval.unknown(confidence_level)
    for model in (first, second):
        if math.isnan(model.effects[measure].estimate):
            return Paired(math.nan, unknown, note=model.effects[measure].note)
    away = np.abs(rows.y_prob - second.predictions.y_prob).max()
    if away == 0.0:
        return _same(first, measure, confidence_level)
    if away <= _ROUNDING and measure != "accuracy":
        return _untold(confidence_level)
    if measure == "skce":
        return _from(_skce(first, second), confidence_level)
    a, b = first.scores[measure], second.scores[measure]
    infinite = int(np.count_nonzero(np.isinf(a) | np.isinf(b)))
    if infinite:
        note = (
            f"{infinite} of {len(a)} labels had predicted probability 0 in one of the models or "
            "both: the loss is infinite and there is no difference"
        )
        return Paired(math.nan, unknown, note=note)
    if measure == "accuracy":
        return _accuracy(rows, a - b, confidence_level)
    if measure in _REPAIRED:
        return _from(row_mean(rows, a - b, _null_error(first, second)), confidence_level)
    if np.abs(a - b).max() <= _ROUNDING * max(np.abs(a).max(), np.abs(b).max()):
        return _untold(confidence_level)
    return _from(row_mean(rows, a - b), confidence_level, _RANGE.get(measure, math.inf))


def _from(found: Estimate, confidence_level: float, most: float = math.inf) -> Paired:
    return Paired(
        found.value,
        found.interval(confidence_level, most),
        found.error,
        found.pvalue,
        found.note,
        found.equivalence_pvalue,
    )


def _same(model: Measured, measure: str, confidence_level: float) -> Paired:
    if not math.isfinite(model.effects[measure].estimate):
        note = "the measure itself is not a number here: there is no difference"
        return Paired(math.nan, Interval.unknown(confidence_level), note=note)
    none = Interval(0.0, 0.0, confidence_level)
    # equal predictions leave no uncertainty
    return Paired(0.0, none, 0.0, 1.0, "the predictions are the same", lambda margin: SMALLEST)


def _untold(confidence_level: float) -> Paired:
    note = "the two differ by no more than rounding in every row: there is no interval"
    return Paired(0.0, Interval.unknown(confidence_level), pvalue=1.0, note=note)


def _null_error(first: Measured, second: Measured) -> float:
    """Return the standard error of the difference in gains for two calibrated models.

    On n rows the gain of a map with k parameters is (χ²_k/2 − k)/n: the mean −k/2n is the cost of
    the fit, the variance is k/2n². If a model gains almost nothing in every row, for example a
    constant model, the variation between rows misses both.
    """
    assert first.gain is not None
    assert second.gain is not None
    k, its = first.gain.n_parameters, second.gain.n_parameters
    error = math.sqrt((k + its) / 2.0 + (k - its) ** 2 / 4.0) / effective_size(first.predictions)
    return error * max(
        repair_design_effect(one.predictions, one.gain.slope)
        for one in (first, second)
        if one.gain is not None
    )


def _skce(first: Measured, second: Measured) -> Estimate:
    """Return the U-statistic of h^A − h^B, with the larger of two standard errors.

    The jackknife error vanishes if all rows of a calibrated model contribute almost equally, for
    example with constant predictions, although the estimate still varies.
    """
    rows = first.predictions
    inside = None
    if first.inside is not None and second.inside is not None:
        inside = first.inside - second.inside
    effect = row_sum_effect(rows, first.pair_sums - second.pair_sums, inside=inside)
    error = np.fmax(effect.standard_error, _pair_error(first, second)).item()
    known = error if rows.n_clusters > 2 else math.nan
    # with clusters, use pairs in different clusters
    return Estimate(effect.details["center"], known, freedom_of(rows), effect.note)


def _pair_error(first: Measured, second: Measured) -> float:
    """Return √Var of Σ_{i≠j} h_ij/Σ_{i≠j} w_i w_j for independent rows of calibrated models."""
    n, some = len(first.predictions), len(first.some_pairs)
    if some < 2:
        return math.nan
    difference = first.some_pairs - second.some_pairs
    mean_square = float(np.sum(difference * difference)) / (some * (some - 1))
    design = max(design_effect(first.predictions), design_effect(second.predictions))
    return design * math.sqrt(2.0 * n * (n - 1) * mean_square) / first.predictions.pair_weight


def _accuracy(rows: Predictions, difference: FloatArray, confidence_level: float) -> Paired:
    if not difference.any():
        count = effective_size(rows) if rows.clusters is None else float(rows.n_clusters)
        return _same_hits(count, confidence_level)
    found = row_mean(rows, difference)
    index = rows.cluster_index
    if index is not None and np.ptp(rows.weights) == 0.0:
        answer = _from(found, confidence_level, _RANGE["accuracy"])
        pvalue = clustered_pvalue(np.bincount(index, difference).astype(np.float64))
        return answer if math.isnan(pvalue) else replace(answer, pvalue=pvalue)
    if np.ptp(rows.weights) == 0.0:
        hits = Hits.of(difference)
        interval = hits.interval(confidence_level)
        return Paired(found.value, interval, found.error, hits.pvalue, "", hits.equivalence_pvalue)
    untied = int(np.count_nonzero(difference))
    answer = _from(found, confidence_level, _RANGE["accuracy"])
    if found.note or untied >= _FEW:
        return answer
    note = f"the two differ in only {counted(untied, 'row')}: read interval and p-value with care"
    return replace(answer, note=note)


def _same_hits(n: float, confidence_level: float) -> Paired:
    # a larger share of differing rows would have been seen, with this confidence
    share = 1.0 - (1.0 - confidence_level) ** (1.0 / n)
    note = "both hit the same rows; the interval says how often they could differ elsewhere"

    def equivalence_pvalue(margin: float) -> float:
        # with a difference of eps, hits would differ in a share eps of the rows, but none did
        return max(math.pow(1.0 - min(margin, 1.0), n), SMALLEST)

    interval = Interval(-share, share, confidence_level)
    return Paired(0.0, interval, pvalue=1.0, note=note, equivalence_pvalue=equivalence_pvalue)
