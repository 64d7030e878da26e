"""What ``import calibrant`` costs above ``import numpy``: fresh interpreters, in turns."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from benchmarks.table import Row, seconds, times
from benchmarks.timing import side_by_side

if TYPE_CHECKING:
    from collections.abc import Iterator

BUDGET = 0.040


def rows(quick: bool) -> Iterator[Row]:
    """Yield the least times of whole interpreters that import one or the other."""
    calls = {name: lambda name=name: _start(name) for name in ("calibrant", "numpy")}
    time = side_by_side(calls, repeats=5 if quick else 15)
    above = time["calibrant"] - time["numpy"]
    yield Row(
        f"import calibrant : import numpy (+{above * 1e3:.1f} ms)",
        seconds(time["calibrant"]),
        seconds(time["numpy"]),
        times(time["calibrant"] / time["numpy"]),
        f"<= {BUDGET * 1e3:.0f} ms above",
        above <= BUDGET,
    )


def _start(module: str) -> None:
    subprocess.run([sys.executable, "-c", f"import {module}"], check=True)
