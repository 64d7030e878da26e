"""Peak additional memory of one call, measured in a separate process."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.table import Row, megabytes, times

if TYPE_CHECKING:
    from collections.abc import Iterator

STATUS = Path("/proc/self/status")


def rows(quick: bool) -> Iterator[Row]:
    """Yield the peak at n = 10,000 relative to the naive version's, and at n = 100,000."""
    n = 4_000 if quick else 10_000
    ours, naive = _peak("ours", n, 10), _peak("naive", n, 10)
    yield Row(
        f"peak extra memory, n={n}, m=10 : naive NumPy",
        megabytes(ours),
        megabytes(naive),
        times(naive / max(ours, 1)),
        "< 100 MB",
        ours < 100e6,
        better="more",
    )
    n = 30_000 if quick else 100_000
    ours = _peak("ours", n, 10)
    yield Row(
        f"peak extra memory, n={n}, m=10 : one n x n array",
        megabytes(ours),
        megabytes(8.0 * n * n),
        times(8.0 * n * n / max(ours, 1)),
        "< 500 MB",
        ours < 500e6,
        better="more",
    )


def _peak(which: str, n: int, m: int) -> float:
    command = [sys.executable, "-m", "benchmarks.memory", which, str(n), str(m)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def _measure(which: str, n: int, m: int) -> int:
    from benchmarks.data import BANDWIDTH, dirichlet
    from benchmarks.naive import naive_skce
    from calibrant import SKCE
    from calibrant.kernels import Laplacian

    y_true, y_prob = dirichlet(n, m)
    before = _start()
    if which == "ours":
        SKCE(Laplacian(BANDWIDTH))(y_true, y_prob, n_jobs=2)
    else:
        naive_skce(y_true, y_prob, BANDWIDTH)
    return _highest() - before


def _start() -> int:
    """Reset the peak, if the system can, and return the memory in use."""
    if not STATUS.exists():
        return _highest()
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def _highest() -> int:
    if STATUS.exists():
        return _status("VmHWM")
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def _status(field: str) -> int:
    found = re.search(rf"{field}:\s+(\d+) kB", STATUS.read_text())
    if found is None:
        raise RuntimeError(f"{STATUS} has no {field}; memory cannot be measured here")
    return 1024 * int(found[1])


if __name__ == "__main__":
    print(_measure(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
