"""Miscalibration of a given size, which `rows_needed` plans to detect."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from calibrant._execution import spans
from calibrant._native import FloatArray
from calibrant._output import number
from calibrant._predictions import Predictions, name_text, position
from calibrant.effects import Strength, log_score_terms
from calibrant.models import temperature_scale

#: entries of a block of rows, whose temporaries stay in the cache
_BLOCK = 1 << 15
#: largest shift of the log-odds
_LARGEST_SHIFT = 60.0
#: largest bias, as a share of the range that the mean prediction allows
_ROOM = 0.9


class Alternative(ABC):
    """A true distribution that differs from the predictions by a given effect."""

    @abstractmethod
    def truth(self, rows: Predictions) -> FloatArray:
        """Return the distribution of each label, shape (n_samples, n_classes)."""

    @abstractmethod
    def terms(self, rows: Predictions, truth: FloatArray) -> FloatArray:
        """Return the rows' terms of a z-value: shift, variance, and variance under calibration."""

    def strength(self, rows: Predictions, truth: FloatArray) -> Strength:
        """Return the mean and standard deviation of the z-value designed for this effect."""
        parts = spans(len(rows), max(1, _BLOCK // rows.n_classes))
        terms = [self.terms(rows.take(part), truth[part]) for part in parts]
        return Strength.of(*np.sum(terms, axis=0))

    @abstractmethod
    def enlarge(self, factor: float, rows: Predictions) -> Self:
        """Return the same effect, `factor` times as large if possible."""

    @abstractmethod
    def describe(self) -> str:
        """Name the effect in words."""


@dataclass(frozen=True)
class Tempered(Alternative):
    """Logits that are too large by a factor τ: the truth is ∝ p^{1/τ}."""

    temperature: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.temperature) and self.temperature > 0.0):
            raise ValueError(
                f"`temperature` must be a positive number, for example 1.1; got "
                f"{self.temperature!r}."
            )
        if self.temperature == 1.0:
            raise ValueError("a `temperature` of 1 is not an error; pass for example 1.1 or 0.9.")

    def truth(self, rows: Predictions) -> FloatArray:
        """Return p^{1/τ}/Σp^{1/τ}."""
        return temperature_scale(rows.y_prob, self.temperature)

    def terms(self, rows: Predictions, truth: FloatArray) -> FloatArray:
        """Return the rows' terms of the log-score direction."""
        return log_score_terms(rows, truth, rows.weights)

    def enlarge(self, factor: float, rows: Predictions) -> Tempered:
        """Return the temperature raised to the factor, limited to [1/10, 10]."""
        largest = max(abs(math.log(self.temperature)), math.log(10.0))
        power = max(-largest, min(largest, factor * math.log(self.temperature)))
        return Tempered(math.exp(power))

    def describe(self) -> str:
        """Name the temperature."""
        how = "over" if self.temperature > 1.0 else "under"
        return f"a temperature of {number(self.temperature)} ({how}-confident)"


@dataclass(frozen=True)
class Shifted(Alternative):
    """One class is predicted too often or too rarely: its odds are off by a factor."""

    bias: float
    column: int
    name: Any

    @classmethod
    def of(cls, rows: Predictions, bias: float, label: Any) -> Shifted:
        """Use the class `label`; by default the positive one of two, else the hardest to detect."""
        if not (math.isfinite(bias) and bias != 0.0):
            raise ValueError(f"`bias` must be a number other than 0, for example 0.05; got {bias}.")
        if label is not None:
            column = position(rows.classes, label)
        elif rows.n_classes == 2:
            column = 1
        else:
            p = rows.distributions
            column = int(np.argmax(np.square(rows.weights) @ (p * (1.0 - p))))
        mean = _mean(rows, rows.distributions[:, column])
        if not 0.0 < mean - bias < 1.0:
            raise ValueError(
                f"`bias` must leave a frequency between 0 and 1; got {bias} where the mean "
                f"prediction of class {name_text(rows.classes[column])} is {mean:.4g}."
            )
        return cls(float(bias), column, rows.classes[column])

    def truth(self, rows: Predictions) -> FloatArray:
        """Return q_c ∝ p_c·exp(s), with the s that makes mean p_c − mean q_c the bias."""
        from scipy.optimize import brentq

        p = rows.distributions
        target = _mean(rows, p[:, self.column]) - self.bias

        def excess(shift: float) -> float:
            return _mean(rows, _shifted(p, self.column, shift)[:, self.column]) - target

        if not excess(-_LARGEST_SHIFT) < 0.0 < excess(_LARGEST_SHIFT):
            raise ValueError(
                f"`bias`: no change of the odds of class {name_text(self.name)} makes it "
                f"{self.bias:.4g}: too many predictions are exactly 0 or 1."
            )
        found = brentq(excess, -_LARGEST_SHIFT, _LARGEST_SHIFT, xtol=1e-12)
        return _shifted(p, self.column, found)

    def terms(self, rows: Predictions, truth: FloatArray) -> FloatArray:
        """Return the rows' terms of the total of the class."""
        p, q, w = rows.distributions[:, self.column], truth[:, self.column], rows.weights
        null, variance = (float(np.sum(w**2 * x * (1.0 - x))) for x in (p, q))
        return np.array([np.sum(w * (q - p)), variance, null])

    def enlarge(self, factor: float, rows: Predictions) -> Shifted:
        """Return the bias times the factor, limited by the mean prediction."""
        mean = _mean(rows, rows.distributions[:, self.column])
        low, high = min(self.bias, -_ROOM * (1.0 - mean)), max(self.bias, _ROOM * mean)
        return replace(self, bias=min(max(factor * self.bias, low), high))

    def describe(self) -> str:
        """Name the class and its bias."""
        often = "often" if self.bias > 0.0 else "rarely"
        size, name = number(abs(self.bias)), name_text(self.name)
        return f"a bias of {size} (class {name} predicted too {often})"


def _shifted(p: FloatArray, column: int, shift: float) -> FloatArray:
    q = p.copy()
    # the larger of both factors is 1, to avoid overflow
    q[:, column] *= math.exp(min(shift, 0.0))
    others = np.arange(p.shape[1]) != column
    q[:, others] *= math.exp(min(-shift, 0.0))
    return np.asarray(q / q.sum(axis=1, keepdims=True))


def _mean(rows: Predictions, values: FloatArray) -> float:
    return float(np.average(values, weights=rows.sample_weight))
