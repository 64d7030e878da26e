"""From the estimates of all data sets to cells: one setting, one estimator, its distribution."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from calibrant._native import FloatArray
from calibrant.paper._errors import ESTIMATORS
from calibrant.paper._grid import MIXTURES, Key, Mixture
from calibrant.paper._simulation import Batch


@dataclass(frozen=True, eq=False)
class ErrorCell:
    """The estimates of one estimator over the data sets of one model, and the true error."""

    key: Key
    values: FloatArray
    truth: float

    @property
    def mean(self) -> float:
        """The solid line of the figures."""
        return float(self.values.mean())

    @property
    def sd(self) -> float:
        """The standard deviation of an estimate."""
        return float(self.values.std(ddof=1))

    @property
    def standard_error(self) -> float:
        """The standard error of the mean."""
        return self.sd / math.sqrt(len(self.values))

    def deviations(self, published: float, n_datasets: int) -> FloatArray:
        """Return mean − published in standard errors of the difference of two such runs, (1,)."""
        both = math.hypot(self.standard_error, self.sd / math.sqrt(n_datasets))
        difference = self.mean - published
        return np.array([difference / both if both > 0 else math.copysign(math.inf, difference)])


Cells = dict[Key, ErrorCell]


def error_cells(estimates: Mapping[Batch, FloatArray]) -> Cells:
    """Return all cells, in the order of settings and estimators."""
    parts: dict[tuple[float, int], list[FloatArray]] = {}
    for batch, found in estimates.items():
        parts.setdefault((batch.alpha, batch.n_classes), []).append(found)
    cells: Cells = {}
    for (alpha, n_classes), arrays in sorted(parts.items()):
        together = np.concatenate(arrays)
        for k, mixture in enumerate(MIXTURES):
            values = dict(zip(ESTIMATORS, together[:, k].T, strict=True))
            for name in ESTIMATORS:
                key = Key(name, alpha, mixture.beta, n_classes, mixture.pi)
                truth = _truth(name, mixture, n_classes, alpha, values)
                cells[key] = ErrorCell(key, values[name], truth)
    rank = {name: k for k, name in enumerate(ESTIMATORS)}
    return {key: cells[key] for key in sorted(cells, key=lambda key: (rank[key[0]], key[1:]))}


def _truth(
    name: str, mixture: Mixture, n_classes: int, alpha: float, values: Mapping[str, FloatArray]
) -> float:
    if name.startswith("ECE"):
        return mixture.model(n_classes, alpha).ece()
    # as in the paper: nobody knows it, but this estimator has no bias
    return float(values[f"SKCEuq_{name.partition('_')[2]}"].mean())
