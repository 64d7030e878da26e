"""The distributions of the calibration errors over the paper's data sets, cell by cell."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from calibrant._engine import LabelSets
from calibrant._execution import Parallel
from calibrant._native import FloatArray
from calibrant._predictions import Predictions
from calibrant.binning import MedianVariance, Uniform
from calibrant.estimators import ECE, SKCE, Estimator, laplacian_pair_sums
from calibrant.kernels import Laplacian, median_bandwidth
from calibrant.paper._grid import MIXTURES, Draw, Key, Mixture
from calibrant.paper._simulation import Batch, Simulation

BANDWIDTHS = ("median", "mean")
#: names in the published tables, the columns of a batch's results
ESTIMATORS = (
    "ECE_uniform",
    "ECE_dynamic",
    *(f"{name}_{rule}" for rule in BANDWIDTHS for name in ("SKCEb", "SKCEuq", "SKCEul")),
)
UNIFORM = ECE(Uniform(10))
DYNAMIC = ECE(MedianVariance(min_size=5))


def paper_estimators(bandwidth: float, min_size: int = 5) -> dict[str, Estimator]:
    """Return the five estimators of the paper by the names of its tables.

    The data-dependent bins have at least `min_size` rows.

    Examples
    --------
    >>> list(paper_estimators(0.5))
    ['ECE_uniform', 'ECE_dynamic', 'SKCEb_median', 'SKCEuq_median', 'SKCEul_median']
    """
    kernel = Laplacian(bandwidth)
    return {
        "ECE_uniform": UNIFORM,
        "ECE_dynamic": ECE(MedianVariance(min_size)),
        "SKCEb_median": SKCE(kernel, unbiased=False),
        "SKCEuq_median": SKCE(kernel),
        "SKCEul_median": SKCE(kernel, block_size=2),
    }


def dataset_estimates(
    data: Draw, mean_distance: float, rng: np.random.Generator | None = None
) -> FloatArray:
    """Return the estimates of one data set, shape (mixtures, estimators).

    The bandwidths are those of the paper: the median distance including the zero diagonal, and the
    theoretical mean distance of two predictions.
    """
    predictions = Predictions(data.labels[0], data.y_prob)
    columns = [
        error.over_labels(predictions, data.labels, Parallel(1)) for error in (UNIFORM, DYNAMIC)
    ]
    bandwidths = (median_bandwidth(data.y_prob, diagonal=True), mean_distance)
    kernels = [Laplacian(bandwidth) for bandwidth in bandwidths]
    label_sets = LabelSets.of(data.labels, predictions.n_classes)
    pairs = laplacian_pair_sums(predictions, kernels, label_sets, Parallel(1))
    squares = residual_squares(data)
    n = predictions.n_samples
    for kernel, sums in zip(kernels, pairs, strict=True):
        linear = SKCE(kernel, block_size=2).over_labels(predictions, data.labels, Parallel(1))
        columns += [(sums + squares) / n**2, sums / (n * (n - 1)), linear]
    return np.stack(columns, axis=1)


def residual_squares(data: Draw) -> FloatArray:
    """Return Σ_i ‖e_{y_i} − p_i‖², the diagonal of the pair sums, for every label set."""
    norms = np.einsum("ic,ic->i", data.y_prob, data.y_prob)
    labeled = np.take_along_axis(data.y_prob.T, data.labels, axis=0)
    return np.asarray(np.sum(1.0 - 2.0 * labeled + norms, axis=1))


ERROR_RUNS = Simulation(
    MIXTURES, dataset_estimates, lambda: {"experiment": "errors", "estimators": list(ESTIMATORS)}
)


@dataclass(frozen=True, eq=False)
class ErrorCell:
    """The estimates of one estimator over the data sets of one model, and the true error."""

    key: Key
    values: FloatArray
    truth: float

    @property
    def mean(self) -> float:
        """The mean, the solid line of the figures."""
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
    # as in the paper: the true value is unknown, but this estimator is unbiased
    return float(values[f"SKCEuq_{name.partition('_')[2]}"].mean())
