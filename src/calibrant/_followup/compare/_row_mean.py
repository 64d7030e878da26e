"""A mean over rows with its standard error, which has a lower limit."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from calibrant._followup.compare._pvalues import one_sided_twice, t_quantile, two_sided
from calibrant._native import FloatArray
from calibrant._predictions import Predictions, effective_count
from calibrant.effects import Interval, effective_size, jackknife_error

_ALONE = "one row or cluster carries (nearly) all the weight: nothing is left without it"


@dataclass(frozen=True)
class Estimate:
    """An estimate whose ratio to its standard error follows Student's t."""

    value: float
    error: float
    freedom: float
    note: str = ""

    @property
    def pvalue(self) -> float:
        """The two-sided p-value of no difference."""
        return two_sided(self.value, self.error, self.freedom)

    def interval(self, confidence_level: float, most: float = math.inf) -> Interval:
        """Return value ± t·error within [−most, most]; unknown without a standard error."""
        if not (math.isfinite(self.value) and math.isfinite(self.error)):
            return Interval.unknown(confidence_level)
        half = t_quantile(confidence_level, self.freedom) * self.error
        return Interval(self.value - half, self.value + half, confidence_level).clip(-most, most)

    def equivalence_pvalue(self, margin: float) -> float:
        """Return the p-value of a difference of at least `margin`."""
        return one_sided_twice(self.value, self.error, margin, self.freedom)


def freedom_of(rows: Predictions) -> float:
    """Return the degrees of freedom of a mean: Kish's number of rows, or of clusters, minus 1."""
    index = rows.cluster_index
    if index is None:
        return max(effective_size(rows) - 1.0, 1.0)
    weights = np.bincount(index, rows.weights / rows.weights.max()).astype(np.float64)
    return max(effective_count(weights) - 1.0, 1.0)


def row_mean(rows: Predictions, values: FloatArray, least_error: float = 0.0) -> Estimate:
    """Return the weighted mean of `values`, shape (n,), with its jackknife standard error.

    With clusters, whole clusters are left out and determine the degrees of freedom. `least_error`
    is a lower limit of the standard error.
    """
    weight = rows.weights / rows.weights.sum()
    parts, index = weight * values, rows.cluster_index
    mean, freedom = float(weight @ values), freedom_of(rows)
    if index is not None:
        weight, parts = np.bincount(index, weight), np.bincount(index, parts)
    others = 1.0 - weight
    if others.min() <= 1e-9:  # also with a single row
        return Estimate(mean, math.nan, freedom, _ALONE)
    error = jackknife_error((mean - parts) / others)
    if least_error > 0.0:
        error = np.fmax(error, least_error).item()
    note = "all rows have the same value: there is no variation to build an interval from"
    return Estimate(mean, error, freedom, note if math.isnan(error) else "")
