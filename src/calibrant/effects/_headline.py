"""Simultaneous intervals of several classes, and the one to show."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrant._native import FloatArray


@dataclass(frozen=True, eq=False)
class ClassIntervals:
    """An estimate with its interval for each of several classes."""

    classes: Sequence[Hashable]
    estimate: FloatArray
    low: FloatArray
    high: FloatArray

    def headline(self) -> int:
        """Return the class furthest from 0 among those whose interval excludes 0.

        If there is none, return the class closest to excluding 0. Infinite estimates come last.
        """
        size = np.where(np.isfinite(self.estimate), np.abs(self.estimate), -1.0)
        clear = (self.low > 0.0) | (self.high < 0.0)
        if (clear & (size > 0.0)).any():
            return int(np.argmax(np.where(clear, size, -1.0)))
        with np.errstate(invalid="ignore", divide="ignore"):
            below = self.estimate < 0.0
            reach = np.where(below, self.estimate - self.low, self.high - self.estimate)
            evidence = np.where(size > 0.0, size / reach, size)
        return int(np.argmax(np.nan_to_num(evidence, nan=-2.0)))

    def to_list(self) -> list[dict[str, Any]]:
        """Return one dict for each class."""
        columns = zip(self.classes, self.estimate, self.low, self.high, strict=True)
        return [
            {"class": name, "estimate": float(e), "low": float(low), "high": float(high)}
            for name, e, low, high in columns
        ]


def each_level(confidence_level: float, n_intervals: int) -> float:
    """Return the confidence of each of several simultaneous intervals (Bonferroni)."""
    return 1.0 - (1.0 - confidence_level) / n_intervals
