"""``python -m benchmarks [--quick] [--only NAME] [--json FILE]``: measure, then print one table.

The figures are informative: nothing fails, and the exit code is always 0. With ``--json`` the
ratios are also written to a file, and ``python -m benchmarks.ratios`` compares two.
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from benchmarks.ratios import as_document
from benchmarks.table import Row, render

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: the modules that measure, in the order of the table
NAMES = (
    "naive",
    "machine",
    "memory",
    "growth",
    "rates",
    "published",
    "lines",
    "many",
    "label_sets",
    "bandwidths",
    "small_calls",
    "classes",
    "imports",
    "command",
    "reports",
    "streaming",
    "cluster",
    "cluster_rows",
)


def main(arguments: list[str] | None = None) -> None:
    """Run the selected measurements and print the table."""
    options = _parser().parse_args(arguments)
    rows: list[Row] = []
    start = perf_counter()
    try:
        for name in options.only or NAMES:
            measure: Callable[[bool], Iterator[Row]] = import_module(f"benchmarks.{name}").rows
            _say(f"{name} ({perf_counter() - start:.0f} s so far)")
            for row in measure(options.quick):
                rows.append(row)
                _say(f"{name}: {row.what.strip()} ({perf_counter() - start:.0f} s so far)")
    except KeyboardInterrupt:
        _say("interrupted: the table holds what was measured\n")
    _say("")
    conditions = _conditions()
    print(conditions)
    print(render(rows))
    if options.json:
        document = as_document(rows, conditions)
        options.json.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="about a minute, fewer repetitions")
    parser.add_argument("--only", action="append", choices=NAMES, help="may be given repeatedly")
    parser.add_argument("--json", type=Path, help="also write the ratios to this file")
    return parser


def _conditions() -> str:
    import os
    import platform

    import numpy as np

    from calibrant import core_info

    info = core_info()
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"{info['core']} core ({info['simd']}), {os.cpu_count()} cores{load}, "
        f"Python {platform.python_version()}, NumPy {np.__version__}; "
        "least of interleaved repetitions"
    )


def _say(text: str) -> None:
    # one line that overwrites itself on a terminal; a log gets one line for each step
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text[:100]}", end="", file=sys.stderr, flush=True)
    elif text:
        print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
