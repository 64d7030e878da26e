"""Millions of rows of Parquet through the linear-time tests: peak memory and rows per second."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.data import dirichlet
from benchmarks.table import Row, megabytes, seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

#: most bytes of a process
LIMIT = 1e9
#: rows of a file
PART = 1_000_000


def rows(quick: bool) -> Iterator[Row]:
    """Yield peak memory and time of the paper's linear test and of the aggregated test."""
    n = 2_000_000 if quick else 20_000_000
    resamples = 9 if quick else 19
    with tempfile.TemporaryDirectory(prefix="calibrant-benchmark-") as folder:
        write_rows(Path(folder), n)
        yield _streamed(folder, n, "linear-time block test", ["block"])
        what = f"aggregated test, {resamples} label sets"
        yield _streamed(folder, n, what, ["aggregated", str(resamples)])


def write_rows(folder: Path, n: int) -> None:
    """Write calibrated rows of ten classes, a million per file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for k in range(n // PART):
        y_true, y_prob = dirichlet(PART, 10, seed=k)
        columns = {f"p_{c}": np.ascontiguousarray(y_prob[:, c]) for c in range(10)}
        table = pa.table({"label": y_true, **columns})
        pq.write_table(table, folder / f"part-{k:04d}.parquet", use_dictionary=False)


def _streamed(folder: str, n: int, what: str, how: list[str]) -> Row:
    command = [sys.executable, "-m", "benchmarks.streaming", folder, *how]
    done = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return Row(
        f"{what}, {n} rows x 10 of Parquet, streamed on 2 threads, p = {done['pvalue']:.3g}",
        megabytes(done["peak"]),
        f"{seconds(done['seconds'])}, {seconds(done['cpu'])} CPU",
        f"{n / done['seconds']:.3g} rows/s",
        f"< {LIMIT / 1e9:g} GB",
        done["peak"] < LIMIT,
    )


def _measure(folder: str, how: list[str]) -> dict[str, float]:
    import resource
    from time import process_time

    import calibrant as cal
    from calibrant.io import scan_predictions

    scan = scan_predictions(folder)
    start, cpu = perf_counter(), process_time()
    if how[0] == "block":
        estimator, method = cal.SKCE(block_size=2), cal.methods.AsymptoticBlock()
        result = cal.calibration_test(scan, estimator=estimator, method=method, n_jobs=2, rng=0)
    else:
        aggregated = cal.methods.Aggregated(int(how[1]))
        result = cal.calibration_test(scan, method=aggregated, n_jobs=2, rng=0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "seconds": perf_counter() - start,
        "cpu": process_time() - cpu,
        "pvalue": result.pvalue,
        "peak": peak if sys.platform == "darwin" else 1024 * peak,
    }


if __name__ == "__main__":
    print(json.dumps(_measure(sys.argv[1], sys.argv[2:])))
