"""The command on a large file: peak memory and time of its process, and the time of --help.

``python -m benchmarks.command ROWS RESAMPLES`` measures one run: `calibrant test` on a Parquet
file of float32 probabilities of ten classes, which is written in parts to a temporary folder.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING

from benchmarks.table import Row, megabytes, seconds, times
from benchmarks.timing import side_by_side

if TYPE_CHECKING:
    from collections.abc import Iterator

N_CLASSES = 10
#: rows that are generated at a time
PART = 250_000
LIMIT = 1e9


@dataclass(frozen=True)
class Run:
    """The memory and time of one process."""

    code: int
    peak: int  # bytes
    wall: float
    processor: float


def rows(quick: bool) -> Iterator[Row]:
    """Yield the time of --help relative to `import numpy`, and the peak for a large file."""
    calls = {
        "help": partial(_quiet, "-m", "calibrant", "--help"),
        "numpy": partial(_quiet, "-c", "import numpy"),
    }
    time = side_by_side(calls, repeats=5 if quick else 10)
    yield Row(
        "calibrant --help : import numpy",
        seconds(time["help"]),
        seconds(time["numpy"]),
        times(time["help"] / time["numpy"]),
        "< 300 ms",
        time["help"] < 0.3,
    )
    n, resamples = (200_000, 99) if quick else (5_000_000, 199)
    run = measured(n, resamples)
    table = 8.0 * n * N_CLASSES
    yield Row(
        f"peak of calibrant test, Parquet n={n}, m={N_CLASSES}, {resamples} resamples "
        f"({run.wall:.0f} s) : the table in float64",
        megabytes(run.peak),
        megabytes(table),
        times(run.peak / table),
        f"< {megabytes(LIMIT)}",
        run.code == 0 and run.peak < LIMIT,
    )


def measured(n_rows: int, n_resamples: int) -> Run:
    """Write a file, run the command on it and return the memory and time of the process."""
    with TemporaryDirectory(prefix="calibrant-") as folder:
        path = Path(folder) / "large.parquet"
        # in a process of its own: the peak of a child begins at the size of its parent
        _quiet("-c", f"from benchmarks.command import write; write({str(path)!r}, {n_rows})")
        options = ["--resamples", str(n_resamples), "--quiet", "--json", "-"]
        start = perf_counter()
        with subprocess.Popen(
            [sys.executable, "-m", "calibrant", "test", str(path), *options],
            stdout=subprocess.DEVNULL,
        ) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        wall = perf_counter() - start
    peak = usage.ru_maxrss if sys.platform == "darwin" else 1024 * usage.ru_maxrss
    return Run(process.returncode, peak, wall, usage.ru_utime + usage.ru_stime)


def write(path: str, n_rows: int) -> None:
    """Write slightly over-confident predictions, part by part."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    from calibrant.models import TemperatureModel

    model = TemperatureModel(0.3, N_CLASSES, temperature=1.02)
    writer = None
    for number, start in enumerate(range(0, n_rows, PART)):
        y_true, y_prob = model.sample(min(PART, n_rows - start), rng=number)
        columns = {f"p_{c}": y_prob[:, c].astype(np.float32) for c in range(N_CLASSES)}
        part = pa.table({"label": y_true.astype(np.int32), **columns})
        writer = writer or pq.ParquetWriter(path, part.schema)
        writer.write_table(part)
    if writer is not None:
        writer.close()


def _quiet(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    run = measured(int(sys.argv[1]), int(sys.argv[2]))
    print(f"exit code    {run.code}")
    print(f"peak memory  {run.peak / 1e6:.0f} MB")
    print(f"time         {run.wall:.0f} s ({run.processor:.0f} s of the processors)")
    print(f"load         {', '.join(f'{load:.1f}' for load in os.getloadavg())}")
