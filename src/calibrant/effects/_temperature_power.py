"""The power of the default test against a temperature, which `plan` and the tests use."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Self

import numpy as np

from calibrant._engine import LOG_FLOOR, direction_terms, floored_log, sizes
from calibrant._native import FloatArray
from calibrant._predictions import Predictions
from calibrant.effects._brier_direction import clustered_sums, direction_sums
from calibrant.effects._rows import rows_that_weigh
from calibrant.models import temperature_scale

#: number of probabilities used; larger data are reduced to evenly spaced rows
_NUMBERS = 1 << 17
#: the default test also looks for other errors, so a z-value must be this much larger than if it
#: were tested alone (.1 to .5 in simulated plans of 2 and 10 classes)
_PRICE = 0.39
#: a z-value that hardly varies would make a plan of power meaningless
_LEAST_SD = 0.1
_NORMAL = NormalDist()


@dataclass(frozen=True)
class Strength:
    """Mean and standard deviation of a z-value; 0 and 1 for a calibrated model."""

    mean: float
    sd: float

    @classmethod
    def of(cls, shift: float, variance: float, null_variance: float) -> Strength:
        """Standardize a sum; one without variance has no power."""
        if not null_variance > 0.0:
            return cls(0.0, 1.0)
        sd = math.sqrt(variance / null_variance)
        return cls(abs(shift) / math.sqrt(null_variance), max(sd, _LEAST_SD))

    def multiple(self, critical: float, power: float) -> float:
        """Return the multiple of the rows that gives power = Φ((√multiple·mean − c)/sd)."""
        if not self.mean > 0.0:
            return math.inf
        return (max(critical + self.sd * _NORMAL.inv_cdf(power), 0.0) / self.mean) ** 2


def critical_value(alpha: float) -> float:
    """Return the approximate z-value above which the default test rejects."""
    return _NORMAL.inv_cdf(1.0 - 0.5 * alpha) + _PRICE


def log_score_terms(rows: Predictions, truth: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the rows' terms of the log-score direction: shift, variance and null variance.

    The labels follow `truth`.
    """
    p = rows.distributions
    f = floored_log(p, LOG_FLOOR)
    (_, null), (_, variance) = (direction_terms(one, f, weights) for one in (p, truth))
    return np.array([np.sum(weights[:, None] * (truth - p) * f), variance, null])


@dataclass(frozen=True, eq=False)
class TemperaturePower:
    """The number of similar rows needed to detect a temperature, from at most 2¹⁷ probabilities.

    `n_samples` is the number of rows that count, `scale` is √(rows / rows used), less with
    clusters.
    """

    rows: Predictions
    n_samples: int
    scale: float

    @classmethod
    def of(cls, predictions: Predictions) -> Self:
        """Take some of the rows; clusters reduce the scale by their design effect."""
        whole = rows_that_weigh(predictions)
        n = whole.n_samples
        most = max(2, _NUMBERS // whole.n_classes)
        rows = whole if n <= most else whole.take(sizes.evenly_spaced(n, most))
        return cls(rows, n, math.sqrt(n / rows.n_samples / _design_effect(whole)))

    def strength(self, temperature: float) -> Strength:
        """Return mean and standard deviation of the log-score direction for all rows."""
        truth = temperature_scale(self.rows.y_prob, temperature)
        # a common factor of all weights cancels; without it their squares stay in range
        weights = self.rows.weights / self.rows.weights.max()
        found = Strength.of(*log_score_terms(self.rows, truth, weights))
        return Strength(found.mean * self.scale, found.sd)

    def rows_needed(self, temperature: float, alpha: float, power: float) -> float:
        """Return the number of rows that the default test needs; infinite if no number suffices."""
        return self.n_samples * self.strength(temperature).multiple(critical_value(alpha), power)


def _design_effect(rows: Predictions) -> float:
    if rows.clusters is None:
        return 1.0
    _, alone = direction_sums(rows, floored_log)
    _, together = clustered_sums(rows, floored_log)
    return together / alone if alone > 0.0 else 1.0
