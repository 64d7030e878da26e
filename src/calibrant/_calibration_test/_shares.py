"""The shares of a test's parts in its running time, for a realistic progress bar.

They are nominal seconds on one thread, and affect only the progress.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from calibrant._engine import sizes
from calibrant._execution import limits
from calibrant.estimators import SKCE, Estimator, pairs_visited
from calibrant.methods import Method


@dataclass
class NominalRates:
    """Nominal seconds of the elementary steps of a method, measured once with the native core."""

    n_classes: int
    label: float = 1.6e-11
    line: float = 3e-8
    product: float = 3e-11

    @property
    def pair(self) -> float:
        """A pair of rows."""
        return 0.8e-9 + 4e-11 * self.n_classes

    @property
    def row_set(self) -> float:
        """A row in a label set, with random features."""
        return 4.5e-8 + 2.7e-10 * self.n_classes


def method_seconds(method: Method, estimator: Estimator, n_samples: int, n_classes: int) -> float:
    """Return the time of the method, or a guess if its cost is unknown."""
    seconds = method.cost(estimator, n_samples, NominalRates(n_classes))
    return seconds if math.isfinite(seconds) else 10.0 * effects_seconds(n_samples, n_classes)


def estimate_seconds(estimator: Estimator, n_samples: int, n_classes: int, *, known: bool) -> float:
    """Return the time of the estimate and its interval, or of the interval if it is known."""
    if not isinstance(estimator, SKCE):
        return 1e-3
    if n_classes == 2:
        return n_samples * 1e-6
    of_features = estimator == SKCE() and sizes.uses_features(n_samples, n_classes)
    if of_features or (known and n_samples > limits().pair_rows):
        return n_samples * (1.3e-6 + 9e-8 * n_classes)
    return pairs_visited(estimator, n_samples) * NominalRates(n_classes).pair


def effects_seconds(n_samples: int, n_classes: int) -> float:
    """Return the time of the effects."""
    return n_samples * (5e-6 + 1.1e-7 * n_classes) + 0.1


def share_drawn(details: Mapping[str, Any]) -> float:
    """Return the share of the label sets that a test, which may have stopped early, drew."""
    drawn = details.get("n_resamples", 1)
    return float(drawn / details.get("n_resamples_at_most", drawn))
