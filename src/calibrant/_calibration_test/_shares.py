"""The shares of a test's parts in its running time, for a realistic progress bar.

They are nominal seconds on one thread, and affect only the progress.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from calibrant._engine import sizes
from calibrant._execution import limits
from calibrant.estimators import SKCE, Estimator, pairs_visited
from calibrant.methods import Aggregated, Method


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
        return float(4.1e-8 * (self.n_classes / 10) ** 0.3)


def method_seconds(method: Method, estimator: Estimator, n_samples: int, n_classes: int) -> float:
    """Return what the method takes; a guess where its cost is unknown."""
    rates = NominalRates(n_classes)
    if isinstance(method, Aggregated):  # the estimate that is reported comes after it
        return method.cost_of_sets(n_samples, rates) + 0.12
    seconds = method.cost(estimator, n_samples, rates)
    return seconds if math.isfinite(seconds) else 10.0 * effects_seconds(n_samples, n_classes)


def estimate_seconds(estimator: Estimator, n_samples: int, n_classes: int, *, known: bool) -> float:
    """Return the time of the estimate and its interval, or of the interval if it is known."""
    if not isinstance(estimator, SKCE):
        return 1e-3
    if n_classes == 2:
        return n_samples * 2.5e-7
    of_features = estimator == SKCE() and sizes.uses_features(n_samples, n_classes)
    if of_features or (known and n_samples > limits().pair_rows):
        return n_samples * (2.4e-6 + 5.5e-8 * n_classes)
    return 1.25 * pairs_visited(estimator, n_samples) * NominalRates(n_classes).pair + 0.02


def effects_seconds(n_samples: int, n_classes: int) -> float:
    """Return what the effects take."""
    return n_samples * (3.6e-6 + 1.2e-7 * n_classes) + 0.1


def seconds_taken(
    method: Method,
    estimator: Estimator,
    n_samples: int,
    n_classes: int,
    details: Mapping[str, Any],
) -> float:
    """Return what a method took that ended with these details: it may have stopped early."""
    drawn = details.get("n_resamples", 1)
    at_most = details.get("n_resamples_at_most", drawn)
    if isinstance(method, Aggregated) and drawn < at_most:
        method, at_most = replace(method, n_resamples=drawn), drawn
    seconds = method_seconds(method, estimator, n_samples, n_classes)
    return float(seconds * drawn / at_most)
