"""The paper's published numbers, read from their files."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from calibrant._native import FloatArray
from calibrant.errors import InputError, Problem
from calibrant.io import broken_file
from calibrant.paper._grid import Key
from calibrant.paper._histogram import Histogram
from calibrant.paper._tests_curves import LEVELS

#: number of data sets of every published mean
N_PUBLISHED = 10_000


def published_means(folder: Path) -> dict[Key, float]:
    """Return the mean of every cell from ``errors_means.csv``."""
    return dict(
        _rows(
            folder / "errors_means.csv",
            lambda row: (_key(row, "estimator"), float(row["mean_of_estimates"])),
        )
    )


def published_histograms(folder: Path) -> dict[Key, Histogram]:
    """Return the published histogram of every cell from ``errors_histograms.csv.gz``."""
    found: dict[Key, list[list[float]]] = {}
    for key, *cell in _rows(
        folder / "errors_histograms.csv.gz",
        lambda row: (_key(row, "estimator"), float(row["bin_left"]), float(row["count"])),
    ):
        found.setdefault(key, []).append(cell)
    # the last count is 0 and closes the last cell
    return {
        key: Histogram(np.array([left for left, _ in cells]), np.array([c for _, c in cells[:-1]]))
        for key, cells in found.items()
    }


def published_curves(folder: Path) -> dict[Key, FloatArray]:
    """Return the test error at every level from ``test_error_curves.csv.gz``."""
    path = folder / "test_error_curves.csv.gz"
    found: dict[Key, dict[float, float]] = {}
    for key, level, error in _rows(
        path,
        lambda row: (_key(row, "test"), float(row["level"]), float(row["empirical_test_error"])),
    ):
        found.setdefault(key, {})[level] = error
    if any(sorted(points) != LEVELS.tolist() for points in found.values()):
        rule = "every curve must have the levels 0, 0.01, …, 1, once each"
        raise InputError(Problem.BROKEN, rule, source=str(path))
    return {
        key: np.array([points[level] for level in LEVELS.tolist()]) for key, points in found.items()
    }


def published_timings(folder: Path) -> dict[tuple[str, int, int], float]:
    """Return seconds by estimator, number of classes and of samples, from ``timings.csv``."""
    return {
        (name, m, n): time
        for name, m, n, time in _rows(
            folder / "timings.csv",
            lambda row: (
                row["estimator"],
                int(row["nclasses"]),
                int(row["nsamples"]),
                float(row["time"]),
            ),
        )
    }


def published_networks(path: Path) -> dict[str, dict[str, float]]:
    """Return the columns of a table of networks, by network."""
    return dict(
        _rows(
            path, lambda row: (row["model"], {k: float(v) for k, v in row.items() if k != "model"})
        )
    )


def _key(row: dict[str, str], name: str) -> Key:
    beta: Any = row["beta"]
    return Key(row[name], float(row["alpha"]), beta, int(row["m"]), float(row["pi"]))


def _rows(path: Path, parse: Callable[[dict[str, str]], Any]) -> Iterator[Any]:
    try:
        content = path.read_bytes()
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode()
        yield from map(parse, csv.DictReader(io.StringIO(text)))
    except FileNotFoundError as error:
        rule = "there is no such file of published numbers"
        raise InputError(Problem.NO_FILE, rule, source=str(path)) from error
    except (OSError, EOFError, UnicodeDecodeError, KeyError, ValueError, TypeError) as error:
        raise broken_file(str(path), "table", error) from error
