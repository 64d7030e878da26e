"""The default test of Parquet rows on two Dask workers: time, memory, bytes moved, a kill.

The run is measured, and the cost of 2·10⁸ rows is extrapolated from it, because passes over the
rows and sums of segments of 2²⁰ rows grow with the rows, while the memory of a worker does not.

python -m benchmarks.cluster_rows [--rows 5000000] [--killed 5000000] [--resamples 999] [--all]
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any

import calibrant as cal
from benchmarks import streaming
from benchmarks.cluster import two_workers
from benchmarks.table import Row, megabytes, render, seconds
from calibrant.io import scan_predictions

if TYPE_CHECKING:
    from collections.abc import Iterator

#: most bytes of a worker, and the rows of the extrapolation
LIMIT, PLANNED = 1e9, 200_000_000


def rows(quick: bool) -> Iterator[Row]:
    """Yield the default test on two workers, and the same with one of them killed."""
    yield from measure(2_000_000 if quick else 20_000_000, 2_000_000, cal.methods.Aggregated())


def measure(n: int, n_killed: int, method: Any) -> Iterator[Row]:
    """Yield time, memory and bytes for n rows, the extrapolation, and the effect of a kill.

    The worker is killed in a run of `n_killed` of the rows.
    """
    with tempfile.TemporaryDirectory(prefix="calibrant-benchmark-") as folder:
        streaming.write_rows(Path(folder), n)
        with two_workers() as (_, client):
            client.run(_count_bytes)
            run, document = _run(folder, method, client)
            moved = client.run(_bytes)
            peaks = client.run(_peak)
            most = max(peaks.values())
            sent = max(one["sent"] for one in moved.values())
            received = max(one["received"] for one in moved.values())
            sets = document["details"]["n_resamples"]
            yield Row(
                f"default test, {n} rows x 10 of Parquet, two Dask workers, {sets} label sets, "
                f"p = {document['pvalue']:.3g}",
                f"{seconds(run[0])}, {seconds(run[1])} CPU",
                f"{megabytes(most)} peak of a worker",
                f"{megabytes(sent)} sent, {megabytes(received)} received by a worker",
                f"< {LIMIT / 1e9:g} GB",
                most < LIMIT,
            )
            scale = PLANNED / n
            yield Row(
                f"{PLANNED} rows, extrapolated from these",
                f"{seconds(scale * run[0])}, {seconds(scale * run[1])} CPU",
                f"{megabytes(most)} peak of a worker",
                f"{megabytes(scale * sent)} sent by a worker",
            )
            if n_killed != n:
                folder = str(Path(folder) / "few")
                Path(folder).mkdir()
                streaming.write_rows(Path(folder), n_killed)
                _, document = _run(folder, method, client)
            yield _killed(folder, n_killed, method, client, document)


def _run(
    folder: str, method: Any, client: Any, progress: Any = None
) -> tuple[tuple[float, float], dict[str, Any]]:
    scan = scan_predictions(folder, in_memory=0)
    start, cpu = perf_counter(), _cpu(client)
    result = cal.calibration_test(scan, method=method, rng=0, executor=client, progress=progress)
    document: dict[str, Any] = result.to_dict()
    return (perf_counter() - start, _cpu(client) - cpu), document


def _killed(folder: str, n: int, method: Any, client: Any, expected: dict[str, Any]) -> Row:
    killed: list[int] = []

    def early(done: int, total: int) -> None:
        if not killed and done:
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    start = perf_counter()
    _, document = _run(folder, method, client, early)
    same = document == expected and bool(killed)
    bits = "same bits" if same else "OTHER BITS"
    took = seconds(perf_counter() - start)
    what = f"the same of {n} rows, one worker killed, {bits}"
    return Row(what, took, "-", "-", "same bits", same)


def _cpu(client: Any) -> float:
    return process_time() + sum(client.run(process_time).values())


def _peak() -> float:
    import resource

    return 1024.0 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


#: of this worker
_MOVED = {"sent": 0, "received": 0}


def _bytes() -> dict[str, int]:
    return dict(_MOVED)


def _count_bytes() -> None:
    """Count everything that goes through the sockets of a worker."""
    from tornado.iostream import IOStream

    write, read = IOStream.write_to_fd, IOStream.read_from_fd

    def counted_write(self: Any, data: Any) -> int:
        count = write(self, data)
        _MOVED["sent"] += max(count, 0)
        return count

    def counted_read(self: Any, buffer: Any) -> int | None:
        count = read(self, buffer)
        _MOVED["received"] += max(count or 0, 0)
        return count

    IOStream.write_to_fd, IOStream.read_from_fd = counted_write, counted_read


def main(arguments: list[str] | None = None) -> None:
    """Print the table for any number of rows and label sets."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster_rows", description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000, help="a multiple of a million")
    parser.add_argument("--killed", type=int, help="rows of the run with a kill; as many")
    parser.add_argument("--resamples", type=int, default=999)
    parser.add_argument("--all", action="store_true", help="draw all label sets")
    options = parser.parse_args(arguments)
    method = cal.methods.Aggregated(options.resamples, stop_after=0 if options.all else None)
    found = []
    for row in measure(options.rows, options.killed or options.rows, method):
        found.append(row)
        print("  ".join(row.cells), file=sys.stderr, flush=True)
    print(render(found))


if __name__ == "__main__":
    from benchmarks.cluster_rows import main as imported  # workers import it by this name, too

    imported()
