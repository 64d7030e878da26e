"""Errors and p-values of a folder of real predictions, as in the paper's table of networks."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from calibrant._calibration_test import calibration_test
from calibrant._execution import Parallel, Progress
from calibrant._native import FloatArray
from calibrant._predictions import Predictions
from calibrant.errors import InputError, Problem
from calibrant.estimators import SKCE
from calibrant.io import read_predictions
from calibrant.kernels import Laplacian, median_bandwidth
from calibrant.methods import (
    Asymptotic,
    AsymptoticBlock,
    Consistency,
    DistributionFree,
    Method,
    Moments,
    Setting,
)
from calibrant.paper._errors import paper_estimators
from calibrant.paper._run import Part, run_parts

#: rows of a data-dependent bin
MIN_SIZE = 100
N_RESAMPLES = 1000
#: the published columns of p-values: the column of the error, and the method
TESTS: dict[str, tuple[str, Method]] = {
    "ECE_uniform": ("ECE_uniform", Consistency(N_RESAMPLES)),
    "ECE_dynamic": ("ECE_dynamic", Consistency(N_RESAMPLES)),
    "SKCEb_median_distribution_free": ("SKCEb_median", DistributionFree()),
    "SKCEuq_median_distribution_free": ("SKCEuq_median", DistributionFree()),
    "SKCEul_median_distribution_free": ("SKCEul_median", DistributionFree()),
    "SKCEuq_median_asymptotic": ("SKCEuq_median", Asymptotic(N_RESAMPLES)),
    "SKCEul_median_asymptotic": ("SKCEul_median", AsymptoticBlock(ddof=0)),
}
#: columns that are counts of resamples
RESAMPLED = ("ECE_uniform", "ECE_dynamic", "SKCEuq_median_asymptotic")
#: the published columns of errors
ERRORS = tuple(paper_estimators(1.0))
#: bandwidths of the scan, as multiples of the median
SCALES = tuple(2.0**k for k in range(-7, 3))


@dataclass(frozen=True)
class Network:
    """A file of predictions, and the file of the labels."""

    model: str
    path: Path
    labels: Path
    one_based: bool
    digest: str

    def read(self) -> Predictions:
        """Read the predictions; a first line of numbers is data."""
        file = read_predictions(
            str(self.path), labels=str(self.labels), one_based=self.one_based, header=None
        )
        if file.predictions.n_samples < 4:
            raise InputError(
                Problem.TOO_FEW_ROWS,
                "this needs at least 4 rows",
                source=str(self.path),
                remedy="collect more predictions",
            )
        return file.predictions


@dataclass(frozen=True, eq=False)
class NetworkResult:
    """The results of a network: those of the paper's table, and additional ones."""

    model: str
    errors: Mapping[str, float]
    pvalues: Mapping[str, float]
    default: float
    bandwidth: float
    scan: FloatArray  # (2, k): bandwidths, and the p-values of the unbiased SKCE with them


def find_networks(folder: Path, *, one_based: bool = True) -> list[Network]:
    """Return the networks of a folder: its CSV files except labels and published tables."""
    files = sorted(path for path in folder.iterdir() if path.name.endswith((".csv", ".csv.gz")))
    labels = [path for path in files if _stem(path) == "labels"]
    if len(labels) != 1:
        raise InputError(
            Problem.NO_FILE,
            "there must be one file labels.csv or labels.csv.gz, with one label per line",
            source=str(folder),
            value=len(labels),
        )
    own = [path for path in files if _stem(path) != "labels" and "published" not in path.name]
    if not own:
        raise InputError(
            Problem.NO_FILE,
            "there are no predictions, NAME.csv or NAME.csv.gz, next to the labels",
            source=str(folder),
        )
    twice = {_stem(path) for path in own if sum(_stem(p) == _stem(path) for p in own) > 1}
    if twice:
        raise InputError(
            Problem.REPEATED,
            f"{min(twice)} is there twice",
            source=str(folder),
            remedy="keep one of its files",
        )
    return [
        Network(_stem(path), path, labels[0], one_based, _digest(path, labels[0])) for path in own
    ]


def run_networks(
    networks: list[Network],
    folder: Path,
    *,
    seed: int,
    resume: bool,
    scales: Sequence[float] = SCALES,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> list[NetworkResult]:
    """Measure and test all networks whose results are not yet in `folder`."""
    facts = {"experiment": "networks", "seed": seed, "n_resamples": N_RESAMPLES}
    # results belong to the content of a file, not to its name; all parts take about equally long
    settings = seed, n_jobs, scales
    parts = [Part(f"{one.model}-{one.digest}", 1.0, (one, *settings)) for one in networks]
    results = run_parts(_compute, parts, folder, facts, resume=resume, n_jobs=1, progress=progress)
    return [
        _result(network.model, arrays) for network, arrays in zip(networks, results, strict=True)
    ]


def _compute(part: Part) -> dict[str, FloatArray]:
    network, seed, n_jobs, scales = part.content
    predictions = network.read()
    # seeded by name, so that the numbers of a network do not depend on other networks
    rng = np.random.default_rng(np.random.SeedSequence([seed, zlib.crc32(network.model.encode())]))
    setting = Setting(rng, Parallel(n_jobs))
    bandwidth = median_bandwidth(predictions.y_prob, diagonal=True)
    errors = paper_estimators(bandwidth, MIN_SIZE)
    pvalues = [
        method.test(predictions, errors[column], setting).pvalue
        for column, method in TESTS.values()
    ]
    default = calibration_test(predictions, rng=rng, n_jobs=n_jobs, effects=False).pvalue
    scan = [
        Moments().test(predictions, SKCE(Laplacian(scale * bandwidth)), setting).pvalue
        for scale in scales
    ]
    values = [error.estimate(predictions, Parallel(n_jobs)) for error in errors.values()]
    return {
        "errors": np.array(values),
        "pvalues": np.array(pvalues),
        "others": np.array([default, bandwidth]),
        "scan": np.array([[scale * bandwidth for scale in scales], scan]),
    }


def _result(model: str, arrays: Mapping[str, FloatArray]) -> NetworkResult:
    default, bandwidth = arrays["others"].tolist()
    return NetworkResult(
        model,
        dict(zip(ERRORS, arrays["errors"].tolist(), strict=True)),
        dict(zip(TESTS, arrays["pvalues"].tolist(), strict=True)),
        default,
        bandwidth,
        arrays["scan"],
    )


def _stem(path: Path) -> str:
    return path.name.removesuffix(".gz").removesuffix(".csv")


def _digest(*paths: Path) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
