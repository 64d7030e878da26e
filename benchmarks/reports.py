"""Whole commands on a CSV file: the time of `report` and `where` relative to `test`.

Each includes reading and checking the file. There are over-confident predictions, whose test draws
every label set, and calibrated ones, whose test stops early.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import calibrant as cal
from benchmarks.table import Row, seconds, times
from calibrant.io import write_predictions
from calibrant.models import TemperatureModel

if TYPE_CHECKING:
    from collections.abc import Iterator

#: allowed multiples of the time of the test
REPORT, WHERE = 1.6, 1.3


def rows(quick: bool) -> Iterator[Row]:
    """Yield the processor time of the commands."""
    n = 100_000 if quick else 1_000_000
    with tempfile.TemporaryDirectory(prefix="calibrant-benchmark-") as folder:
        for what, temperature in (("over-confident", 1.1), ("calibrated", 1.0)):
            path = Path(folder) / f"{what}.csv"
            model = TemperatureModel(1.0, 3, temperature=temperature)
            write_predictions(str(path), cal.Predictions(*model.sample(n, rng=0)))
            test = _seconds(folder, "test", path)
            for command, limit in (("where", WHERE), ("report", REPORT)):
                took = _seconds(folder, command, path)
                demanded = temperature > 1.0
                yield Row(
                    f"calibrant {command}, {n} rows x 3 of CSV, {what} : calibrant test",
                    f"{seconds(took)} CPU",
                    f"{seconds(test)} CPU",
                    times(took / test),
                    f"<= {limit}x" if demanded else "-",
                    took / test <= limit if demanded else None,
                )


def _seconds(folder: str, command: str, path: Path) -> float:
    output = ["-o", str(Path(folder) / "page.html")] if command == "report" else []
    before = os.times()
    subprocess.run(
        [sys.executable, "-m", "calibrant", command, str(path), "-q", *output],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])
