"""Models, methods and runs of the studies of levels and power."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING
from unittest.mock import patch
from zlib import crc32

import numpy as np

from calibrant import ECE, SKCE, Predictions
from calibrant._engine import _directions
from calibrant._execution._parallel import Parallel
from calibrant.binning import MedianVariance, Uniform
from calibrant.errors import RowSumWarning
from calibrant.methods import (
    Aggregated,
    Asymptotic,
    AsymptoticBlock,
    Components,
    Consistency,
    DistributionFree,
    Exact,
    Method,
    Moments,
    Setting,
    _aggregated,
)
from calibrant.models import (
    M1,
    DirichletModel,
    Distorted,
    GenerativeModel,
    Oscillation,
    Swap,
    TemperatureModel,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calibrant.estimators import Estimator

#: a test rejects if p is at most this
LEVEL = 0.05
#: resamples; the level of a resampled test that is exact does not depend on them
RESAMPLES = 199
#: the same for large data: 60 label sets fit into a batch of 64
FEW_RESAMPLES = 59
#: the same for consistency resampling, which draws and bins whole data sets
CONSISTENCY_RESAMPLES = 99

#: name of a test -> the method and the estimator
METHODS: dict[str, tuple[Method, Estimator]] = {
    "Aggregated (default)": (Aggregated(RESAMPLES), SKCE()),
    "Aggregated, no log score": (Aggregated(RESAMPLES, log_score=False), SKCE()),
    "Exact, SKCE": (Exact(RESAMPLES), SKCE()),
    "Exact, ECE": (Exact(RESAMPLES), ECE(Uniform(10))),
    "Moments": (Moments(), SKCE()),
    "Asymptotic (paper's A_uq)": (Asymptotic(RESAMPLES), SKCE()),
    "Asymptotic, no self-pairs": (Asymptotic(RESAMPLES, self_pairs=False), SKCE()),
    "Asymptotic, spectrum": (Asymptotic(null="spectrum"), SKCE()),
    "Asymptotic, pearson": (Asymptotic(null="pearson"), SKCE()),
    "AsymptoticBlock(2) (A_l)": (AsymptoticBlock(), SKCE(block_size=2)),
    "DistributionFree, D_b": (DistributionFree(), SKCE(unbiased=False)),
    "DistributionFree, D_uq": (DistributionFree(), SKCE()),
    "Consistency, uniform ECE": (Consistency(CONSISTENCY_RESAMPLES), ECE(Uniform(10))),
    "Consistency, median-var. ECE": (Consistency(CONSISTENCY_RESAMPLES), ECE(MedianVariance(10))),
}
#: the same for 10 000 rows
LARGE_METHODS: dict[str, tuple[Method, Estimator]] = {
    "Aggregated (default)": (Aggregated(FEW_RESAMPLES), SKCE()),
    "Aggregated, no log score": (Aggregated(FEW_RESAMPLES, log_score=False), SKCE()),
    "Exact, SKCE": (Exact(FEW_RESAMPLES), SKCE()),
}
FLOORS = (1e-1, 1e-2, 1e-3, 1e-4)


def alternatives(n_classes: int) -> dict[str, GenerativeModel]:
    """Return miscalibrated models by name; the oscillation has two classes only."""
    models: dict[str, GenerativeModel] = {
        "temp. 1.3": TemperatureModel(0.1, n_classes, temperature=1.3),
        "temp. .77": TemperatureModel(0.1, n_classes, temperature=0.77),
        "M2 π=.04": DirichletModel(0.1, n_classes, pi=0.04, beta="first"),
        "M3 π=.08": DirichletModel(0.1, n_classes, pi=0.08),
        "swap .4": Distorted(0.1, n_classes, truth=Swap(0, 1, 0.4)),
    }
    if n_classes == 2:
        oscillation = Oscillation(amplitude=1.0, frequency=2.0)
        models["oscillation"] = Distorted(1.0, 2, truth=oscillation)
    return models


@dataclass(frozen=True)
class Cell:
    """A cell of a table, for all of its tests: a model at a sample size."""

    study: str
    label: str
    model: GenerativeModel
    n_samples: int
    runs: int
    methods: tuple[str, ...] = tuple(METHODS)
    digits: int | None = None  # decimal digits of the predictions in their file

    @property
    def n_classes(self) -> int:
        """Number of classes m."""
        return int(self.model.n_classes or 0)

    @property
    def runs_at_once(self) -> int:
        """Number of runs in a task of about a second."""
        return max(1, 50_000 // (self.n_samples * self.n_classes))

    def generator(self, seed: int, run: int, stream: int) -> np.random.Generator:
        """Return a separate generator for each run, so that runs can be split."""
        name = f"{self.label} {self.n_samples} {self.n_classes}"
        return np.random.default_rng([seed, crc32(name.encode()), run, stream])


def rejections(cell: Cell, seed: int, runs: range) -> dict[str, int]:
    """Return how often every test of the cell rejects in the given runs."""
    counts = dict.fromkeys(cell.methods, 0)
    for run in runs:
        predictions = _data(cell, seed, run)
        for name in cell.methods:
            setting = Setting(cell.generator(seed, run, 1), Parallel(1))
            counts[name] += _pvalue(cell, name, predictions, setting) <= LEVEL
    return counts


def _data(cell: Cell, seed: int, run: int) -> Predictions:
    y_true, y_prob = cell.model.sample(cell.n_samples, rng=cell.generator(seed, run, 0))
    if cell.digits is None:
        return Predictions(y_true, y_prob)
    with warnings.catch_warnings():  # renormalized rows are part of the study
        warnings.simplefilter("ignore", RowSumWarning)
        return Predictions(y_true, np.round(y_prob, cell.digits))


def _pvalue(cell: Cell, name: str, predictions: Predictions, setting: Setting) -> float:
    if cell.study == "floors":
        method, estimator = METHODS["Aggregated (default)"]
        chosen = Components(log_floor=float(name.split()[1]))
        with patch.object(_aggregated, "choose_components", lambda *_: chosen):
            return method.test(predictions, estimator, setting).pvalue
    table = LARGE_METHODS if cell.n_samples > 1000 else METHODS
    method, estimator = table[name]
    return method.test(predictions, estimator, setting).pvalue


def level_cells(runs: int) -> Iterator[Cell]:
    """Yield calibrated models, of which every test should reject at most 5 %."""
    for n in (20, 50, 250):
        for m in (2, 10, 100):
            yield Cell("level", "M1", M1(m), n, runs)


def power_cells(runs: int) -> Iterator[Cell]:
    """Yield miscalibrated models, of which a test that holds its level should reject many."""
    for n in (250, 50, 20):
        for m in (2, 10, 100):
            for label, model in alternatives(m).items():
                yield Cell("power", label, model, n, max(1, runs // 4))


def rounding_cells(runs: int) -> Iterator[Cell]:
    """Yield calibrated models whose probabilities were rounded to four digits in a file."""
    *aggregated, exact = LARGE_METHODS
    for methods, parts in ((tuple(aggregated), (1, 2, 4)), ((exact,), (1, 2, 40))):
        for n, part in zip((250, 1000, 10_000), parts, strict=True):
            for m in (10, 100):
                yield Cell("rounding", "M1", M1(m), n, max(1, runs // part), methods, 4)


def floor_cells(runs: int) -> Iterator[Cell]:
    """Yield cells of the default test with other floors of the log-score direction."""
    for m in (2, 10):
        for label, model in alternatives(m).items():
            if m == 10 or label == "oscillation":
                floors = tuple(f"floor {floor:g}" for floor in FLOORS)
                yield Cell("floors", label, model, 250, max(1, runs // 2), floors)


def rounding_drift(n_samples: int, n_classes: int, digits: int, floor: float | None) -> float:
    """Return the mean, in deviations, to which rounding moves a direction of a calibrated model.

    √n·E⟨p − q, f(q)⟩/√E Var f for predictions p that are q in the file; f is the Brier
    direction q, or log max(q, floor). The mean is over 20 000 predictions.
    """
    _, p = M1(n_classes).sample(20_000, rng=0)
    q = np.round(p, digits)
    q /= q.sum(axis=1, keepdims=True)
    f = q if floor is None else np.log(np.maximum(q, floor))
    scores, variance = _directions.direction_terms(q, f, np.ones(len(q)))
    return float(np.sqrt(n_samples / len(q)) * np.sum(p * scores) / np.sqrt(variance))
