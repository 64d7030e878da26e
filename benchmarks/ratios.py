"""Comparison of the ratios of two runs.

``python -m benchmarks --json after.json`` writes the ratios of a run; ``python -m benchmarks.ratios
before.json after.json`` lists what got slower by more than 20 %, and exits with 1 if anything did.
Ratios, unlike seconds, are comparable between machines.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from benchmarks.table import Row

#: smallest slowdown that is reported
SLOWER = 0.2
_RATIO = re.compile(r"([0-9.eE+-]+)x")


def as_document(rows: Iterable[Row], conditions: str) -> dict[str, Any]:
    """Return the rows with a ratio, by name, without parts in parentheses, which vary by run."""
    found = {}
    for row in rows:
        number = _RATIO.fullmatch(row.ratio)
        if number:
            found[re.sub(r" \(.*?\)", "", row.what).strip()] = {
                "ratio": float(number[1]),
                "better": row.better,
                "ours": row.ours,
                "reference": row.reference,
                "required": row.required,
                "ok": row.ok,
            }
    return {"conditions": conditions, "ratios": found}


def slower(
    before: Mapping[str, Any], after: Mapping[str, Any], limit: float = SLOWER
) -> dict[str, float]:
    """Return the slowdowns above the limit, by row."""
    found = {}
    for name, new in after["ratios"].items():
        old = before["ratios"].get(name)
        if old is None or min(old["ratio"], new["ratio"]) <= 0.0:
            continue
        times = new["ratio"] / old["ratio"]
        times = 1.0 / times if new["better"] == "more" else times
        if times > 1.0 + limit:
            found[name] = times
    return found


def main(arguments: list[str] | None = None) -> int:
    """Compare two documents and print what got slower; return 1 if anything did."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ratios", description=__doc__)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--limit", type=float, default=SLOWER, help="share, 0.2 by default")
    options = parser.parse_args(arguments)
    before, after = (json.loads(path.read_text()) for path in (options.before, options.after))
    found = slower(before, after, options.limit)
    for name, times in sorted(found.items(), key=lambda item: -item[1]):
        old, new = before["ratios"][name]["ratio"], after["ratios"][name]["ratio"]
        print(f"{times:.2f} times slower: {name} ({old:g} -> {new:g})")
    missing = sorted(set(before["ratios"]) - set(after["ratios"]))
    for name in missing:
        print(f"not measured: {name}")
    if not found:
        print(f"nothing got slower by more than {100 * options.limit:g} %")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
