"""Tables of results as reproducible CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from calibrant._native import FloatArray
from calibrant._output import replacing
from calibrant.paper._errors import Cells
from calibrant.paper._grid import Key
from calibrant.paper._histogram import histogram
from calibrant.paper._published import N_PUBLISHED
from calibrant.paper._tests_curves import LEVELS, Curves
from calibrant.paper._timings import Times
from calibrant.paper._work_precision import Point

KEY_COLUMNS = ("estimator", "alpha", "beta", "m", "pi")


def write_table(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a table, with all digits of floats."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(header)
    table.writerows(rows)
    with replacing(path) as stream:
        stream.write(text.getvalue().encode())


def write_error_tables(
    folder: Path, cells: Cells, published: Mapping[Key, float] | None = None
) -> None:
    """Write ``errors.csv``, a row for each cell, and ``histograms.csv``."""
    header = [*KEY_COLUMNS, "n_datasets", "mean", "sd", "standard_error", "truth"]
    if published is not None:
        header += ["published_mean", "deviation_in_standard_errors"]
    write_table(folder / "errors.csv", header, _error_rows(cells, published))
    write_table(
        folder / "histograms.csv",
        [*KEY_COLUMNS, "bin_left", "bin_right", "count"],
        _histogram_rows(cells),
    )


def write_curve_table(
    folder: Path, curves: Curves, published: Mapping[Key, FloatArray] | None = None
) -> None:
    """Write ``test_errors.csv``, a row for each curve and level."""
    header = ["test", *KEY_COLUMNS[1:], "level", "n_datasets"]
    header += ["empirical_test_error", "standard_error"]
    if published is not None:
        header += ["published", "deviation_in_standard_errors"]
    write_table(folder / "test_errors.csv", header, _curve_rows(curves, published))


def write_timing_tables(
    folder: Path,
    ours: Times,
    published: Times | None,
    points: Mapping[tuple[str, int], Point],
) -> None:
    """Write ``timings.csv``, in the published format, and ``work_precision.csv``."""
    header = ["estimator", "nclasses", "nsamples", "time"]
    rows = [[*key, seconds] for key, seconds in ours.items()]
    if published is not None:
        header.append("published_time")
        rows = [[*row, published.get(key, "")] for row, key in zip(rows, ours, strict=True)]
    write_table(folder / "timings.csv", header, rows)
    write_table(
        folder / "work_precision.csv",
        ["estimator", "nsamples", "relative_error", "time"],
        ([*key, *point] for key, point in points.items()),
    )


def _error_rows(cells: Cells, published: Mapping[Key, float] | None) -> Iterable[list[Any]]:
    for key, cell in cells.items():
        row = [*key, len(cell.values), cell.mean, cell.sd, cell.standard_error, cell.truth]
        if published is not None:
            known = published.get(key)
            row += ["", ""] if known is None else [known, *cell.deviations(known, N_PUBLISHED)]
        yield row


def _histogram_rows(cells: Cells) -> Iterable[list[Any]]:
    for key, cell in cells.items():
        edges, counts = histogram(cell.values)
        for left, right, count in zip(edges[:-1], edges[1:], counts, strict=True):
            yield [*key, f"{left:.12g}", f"{right:.12g}", int(count)]


def _curve_rows(curves: Curves, published: Mapping[Key, FloatArray] | None) -> Iterable[list[Any]]:
    for key, curve in curves.items():
        columns = [LEVELS, curve.errors, curve.standard_errors]
        if published is not None and key in published:
            columns += [published[key], curve.deviations(published[key], N_PUBLISHED)]
        empty = [""] * 2 if published is not None and key not in published else []
        for level, *numbers in zip(*(column.tolist() for column in columns), strict=True):
            yield [*key, level, curve.n_datasets, *numbers, *empty]
