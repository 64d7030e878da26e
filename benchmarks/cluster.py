"""Two Dask workers against two threads: overhead, a killed worker, a killed client."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, process_time, sleep
from typing import TYPE_CHECKING, Any

from benchmarks.data import BANDWIDTH, dirichlet
from benchmarks.table import Row, seconds, times
from calibrant import SKCE, Parallel, Predictions
from calibrant._execution._shared_run import bundles
from calibrant.kernels import Laplacian

if TYPE_CHECKING:
    from collections.abc import Iterator

SKCE_ALL_PAIRS = SKCE(Laplacian(BANDWIDTH))
#: largest overhead of two running workers, relative to two threads
OVERHEAD = 0.15
#: largest share of work repeated after the client was killed
REPEATED = 0.10


def rows(quick: bool) -> Iterator[Row]:
    """Yield the overhead of two workers and the cost of kills; results must have the same bits."""
    n = 60_000 if quick else 200_000
    predictions = Predictions(*dirichlet(n, 10))
    with two_workers() as (cluster, client):
        SKCE_ALL_PAIRS.estimate(predictions.take(slice(0, 20_000)), Parallel(executor=client))
        row, expected = _overhead(predictions, client)
        yield row
        yield _killed_worker(predictions, client, expected)
        yield _killed_client(n, cluster.scheduler_address, expected)


@contextmanager
def two_workers() -> Iterator[tuple[Any, Any]]:
    """Yield a cluster of two workers with one thread each, and its client."""
    import distributed

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield cluster, client


def _overhead(predictions: Predictions, client: Any) -> tuple[Row, float]:
    start = perf_counter(), process_time()
    expected = SKCE_ALL_PAIRS.estimate(predictions, Parallel(n_jobs=2))
    threads = perf_counter() - start[0], process_time() - start[1]
    start = perf_counter(), _all_cpu(client)
    same = SKCE_ALL_PAIRS.estimate(predictions, Parallel(executor=client)) == expected
    workers = perf_counter() - start[0], _all_cpu(client) - start[1]
    wall, cpu = workers[0] / threads[0], workers[1] / threads[1]
    # on busy cores, compare processor time instead of elapsed time
    busy = os.getloadavg()[0] > 1.5 * (os.cpu_count() or 1)
    ratio = cpu if busy else wall
    row = Row(
        f"SKCE, n={len(predictions)}, m=10, two Dask workers : two threads, {_bits(same)}",
        f"{seconds(workers[0])}, {seconds(workers[1])} CPU",
        f"{seconds(threads[0])}, {seconds(threads[1])} CPU",
        f"{times(wall)}, {times(cpu)} CPU",
        f"<= {1 + OVERHEAD}x{' CPU: others compute' if busy else ''}, same bits",
        same and ratio <= 1 + OVERHEAD,
    )
    return row, expected


def _all_cpu(client: Any) -> float:
    """Return the processor time of client, scheduler and workers."""
    return process_time() + sum(client.run(process_time).values())


def _killed_worker(predictions: Predictions, client: Any, expected: float) -> Row:
    killed: list[int] = []

    def half_way(done: int, total: int) -> None:
        if 2 * done >= total and not killed:
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    start = perf_counter()
    found = SKCE_ALL_PAIRS.estimate(predictions, Parallel(executor=client, progress=half_way))
    same = found == expected and bool(killed)
    took = seconds(perf_counter() - start)
    what = f"the same, one worker killed half-way, {_bits(same)}"
    return Row(what, took, "-", "-", "same bits", same)


def _killed_client(n: int, address: str, expected: float) -> Row:
    with tempfile.TemporaryDirectory(prefix="calibrant-benchmark-") as folder:
        kept, half = Path(folder) / "kept", Path(folder) / "half"
        command = [sys.executable, "-m", "benchmarks.cluster", str(n), address, str(kept)]
        with subprocess.Popen([*command, str(half)]) as first:
            while not half.exists():
                if first.poll() is not None:
                    raise RuntimeError("the client ended before it could be killed")
                sleep(0.01)
            first.kill()
        done_before = float(half.read_text())
        output = subprocess.run(
            [*command, str(half), "resume"], check=True, capture_output=True, text=True
        )
    found, had = map(float, output.stdout.split())
    # both workers were in the middle of a bundle
    repeated = max(0.0, done_before - had) + 2 / len(bundles(10**6, n * n / 2 * 20))
    same = found == expected
    return Row(
        f"the same, client killed half-way and resumed, {_bits(same)} : work done twice",
        f"{repeated:.1%}",
        "-",
        "-",
        f"< {REPEATED:.0%} from 200000 rows on, same bits",
        same and (n < 200_000 or repeated < REPEATED),
    )


def _bits(same: bool) -> str:
    return "same bits" if same else "OTHER BITS"


def _client(n: int, address: str, kept: str, half: str, resume: bool) -> None:
    """Compute with a checkpoint; report when half of the work is done, or what was stored."""
    import distributed

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    calls: list[float] = []

    def told(done: int, total: int) -> None:
        calls.append(done / total)
        if not resume and 2 * done >= total:
            beside = Path(f"{half}.part")
            beside.write_text(str(done / total))
            beside.replace(half)

    predictions = Predictions(*dirichlet(n, 10))
    with distributed.Client(address) as client:
        found = SKCE_ALL_PAIRS.estimate(
            predictions, Parallel(executor=client, progress=told, checkpoint=kept)
        )
    if resume:
        print(repr(found), calls[0])


if __name__ == "__main__":
    _client(int(sys.argv[1]), *sys.argv[2:5], resume="resume" in sys.argv[5:])
