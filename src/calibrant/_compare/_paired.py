"""The paired difference of two measured models: estimate, standard error, interval, p-values."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from calibrant._compare._hits import Hits
from calibrant._compare._measured import Measured
from calibrant._compare._pvalues import one_sided_twice, two_sided
from calibrant._engine import SMALLEST
from calibrant._native import FloatArray
from calibrant._predictions import Predictions
from calibrant.effects import Interval, effective_size, jackknife_error, row_sum_effect

#: predictions and scores closer than this differ by rounding
_ROUNDING = 1e-13
#: half the width of the range of a difference
_RANGE = {"skce": math.inf, "brier": 2.0, "log_loss": math.inf, "accuracy": 1.0}
#: weighted hits that differ, below which the normal approximation is coarse
_FEW = 10


@dataclass(frozen=True)
class Paired:
    """A difference before it is adjusted for others."""

    estimate: float
    interval: Interval
    standard_error: float = math.nan
    note: str = ""
    same_hits: float = math.nan  # rows, where both models hit or miss in every one of them
    hits: Hits | None = None  # of rows that count alike

    @property
    def pvalue(self) -> float:
        """Two-sided p-value of no difference."""
        if self.hits is not None:
            return self.hits.pvalue
        return two_sided(self.estimate, self.standard_error)

    def equivalence_pvalue(self, margin: float) -> float:
        """P-value of a difference of at least `margin`."""
        if self.standard_error == 0.0:
            return SMALLEST  # the same predictions: nothing is left to chance
        if not math.isnan(self.same_hits):
            # a difference of eps makes hits differ in a share eps of the rows: none did
            share = min(margin, 1.0)
            return max(math.pow(1.0 - share, self.same_hits), SMALLEST)
        if self.hits is not None:
            return self.hits.equivalence_pvalue(margin)
        return one_sided_twice(self.estimate, self.standard_error, margin)


def paired(first: Measured, second: Measured, measure: str, confidence_level: float) -> Paired:
    """Return first − second; what cannot be had is NaN, with a note that says why."""
    rows = first.predictions
    if np.array_equal(rows.y_prob, second.predictions.y_prob):
        return _same(first, measure, confidence_level)
    if measure == "skce":
        return _skce(first, second, confidence_level)
    a, b = first.scores[measure], second.scores[measure]
    infinite = int(np.count_nonzero(np.isinf(a) | np.isinf(b)))
    if infinite:
        note = (
            f"{infinite} of {len(a)} labels had predicted probability 0 in one of the models or "
            "both: the loss is infinite and there is no difference"
        )
        return Paired(math.nan, Interval.unknown(confidence_level), note=note)
    difference = a - b
    largest = float(np.abs(difference).max())
    if largest <= _ROUNDING * float(max(np.abs(a).max(), np.abs(b).max())):
        return _untold(rows, measure, confidence_level)
    return _mean(rows, difference, measure, confidence_level)


def _same(model: Measured, measure: str, confidence_level: float) -> Paired:
    if not math.isfinite(model.effects[measure].estimate):
        note = "the measure itself is not a number here: there is no difference"
        return Paired(math.nan, Interval.unknown(confidence_level), note=note)
    return Paired(0.0, Interval(0.0, 0.0, confidence_level), 0.0, "the predictions are the same")


def _skce(first: Measured, second: Measured, confidence_level: float) -> Paired:
    rows = first.predictions
    if np.abs(rows.y_prob - second.predictions.y_prob).max() <= _ROUNDING:
        return _untold(rows, "skce", confidence_level)
    # the jackknife of the kernel h^A − h^B; its own interval is for an error, not a difference
    effect = row_sum_effect(rows, first.pair_sums - second.pair_sums, confidence_level)
    interval = Interval.normal(effect.estimate, effect.standard_error, confidence_level)
    return Paired(effect.estimate, interval, effect.standard_error, effect.note)


def _untold(rows: Predictions, measure: str, confidence_level: float) -> Paired:
    if measure != "accuracy":
        note = "no row tells the two apart beyond rounding: there is no interval"
        return Paired(0.0, Interval.unknown(confidence_level), note=note)
    n = effective_size(rows)
    # a larger share of rows that differ would have shown, with this confidence
    share = 1.0 - (1.0 - confidence_level) ** (1.0 / n)
    note = "both hit the same rows; the interval says how often they could differ elsewhere"
    return Paired(0.0, Interval(-share, share, confidence_level), note=note, same_hits=n)


def _mean(
    rows: Predictions, difference: FloatArray, measure: str, confidence_level: float
) -> Paired:
    weight = rows.weights / rows.weights.sum()
    total = float(weight @ difference)
    others = 1.0 - weight
    if others.min() <= 1e-9:  # also where there is one row only
        note = "one row carries (nearly) all the weight: nothing is left without it"
        return Paired(total, Interval.unknown(confidence_level), note=note)
    error = jackknife_error((total - weight * difference) / others)
    if measure == "accuracy" and np.ptp(rows.weights) == 0.0:
        hits = Hits.of(difference)
        return Paired(total, hits.interval(confidence_level), error, hits=hits)
    most = _RANGE[measure]
    interval = Interval.normal(total, error, confidence_level).clip(-most, most)
    return Paired(total, interval, error, _mean_note(difference, error, measure))


def _mean_note(difference: FloatArray, error: float, measure: str) -> str:
    if math.isnan(error):
        return "all rows differ by the same: there is no variation to build an interval from"
    untied = int(np.count_nonzero(difference))
    if measure == "accuracy" and untied < _FEW:
        return f"only {untied} rows tell the two apart: read interval and p-value with care"
    return ""
