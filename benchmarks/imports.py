"""The time of ``import calibrant`` compared with ``import numpy``, in fresh interpreters."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks.table import Row, seconds, times
from benchmarks.timing import side_by_side

if TYPE_CHECKING:
    from collections.abc import Iterator

BUDGET = 0.040


def rows(quick: bool) -> Iterator[Row]:
    """Yield the minimum times of whole interpreters that import one or the other."""
    with TemporaryDirectory() as cache:
        calls = {name: partial(_start, name, cache) for name in ("calibrant", "numpy")}
        time = side_by_side(calls, repeats=10 if quick else 20)
    above = time["calibrant"] - time["numpy"]
    yield Row(
        f"import calibrant : import numpy (+{above * 1e3:.1f} ms)",
        seconds(time["calibrant"]),
        seconds(time["numpy"]),
        times(time["calibrant"] / time["numpy"]),
        f"<= {BUDGET * 1e3:.0f} ms above",
        above <= BUDGET,
    )


def _start(module: str, cache: str) -> None:
    # installed packages have bytecode; a checkout may not, or may not be allowed to write it
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": cache}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run([sys.executable, "-c", f"import {module}"], check=True, env=environment)
