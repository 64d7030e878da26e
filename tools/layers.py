"""The layers of the package, its import graph, and a drawing of both.

``python tools/layers.py`` redraws ``docs/_static/layers.svg``; with ``--check`` it only checks that
the drawing is current, and fails if it is not. tests/test_layers.py enforces the layers.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path

REPOSITORY = Path(__file__).parents[1]
ROOT = REPOSITORY / "src" / "calibrant"
PICTURE = REPOSITORY / "docs" / "_static" / "layers.svg"

#: from top to bottom; a part imports from its own layer or from lower ones
LAYERS = [
    ["__main__", "cli", "mlflow"],
    ["paper", "report"],
    ["plots"],
    ["_followup"],
    ["testing", "_calibration_test", "streaming"],
    ["methods", "effects"],
    ["torch", "estimators", "models", "demo"],
    ["kernels", "binning", "recalibration", "_engine"],
    ["_predictions", "io"],
    ["_execution", "_output", "_native", "errors"],
]


def modules(root: Path = ROOT) -> list[Path]:
    """Return every module but the package itself, which exports names of all parts."""
    return sorted(path for path in root.rglob("*.py") if path != root / "__init__.py")


def part_of(path: Path, root: Path = ROOT) -> str:
    """Return the folder or file directly below the package."""
    return path.relative_to(root).parts[0].removesuffix(".py")


@cache
def imports(path: Path) -> tuple[str, ...]:
    """Return all dotted names of calibrant that a module imports, at any level."""
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return tuple(name for name in names if name.startswith("calibrant."))


def edges(root: Path = ROOT) -> set[tuple[str, str]]:
    """Return pairs of parts, of which the first imports the second."""
    return {
        (part_of(path, root), name.split(".")[1])
        for path in modules(root)
        for name in imports(path)
        if name.split(".")[1] != part_of(path, root)
    }


def direct(pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the transitive reduction, without imports implied by others."""
    below = {a: {b for x, b in pairs if x == a} for a in {a for a, _ in pairs}}

    def reach(part: str) -> set[str]:
        return set().union(*(({b} | reach(b)) for b in below.get(part, ())), set())

    return {(a, b) for a, b in pairs if not any(b in reach(c) for c in below[a] if c != b)}


WIDTH, ROW, BOX, GAP, TOP = 960, 68, 36, 96, 16
#: x and y of the upper left corner, and the width
Place = tuple[float, float, float]


def draw() -> str:
    """Return the drawing, with a row per layer, a box per part and a line per direct import."""
    places = dict(_places())
    height = TOP + ROW * len(LAYERS)
    lines = [_line(places[a], places[b]) for a, b in sorted(direct(edges()))]
    boxes = [
        f'<rect x="{x}" y="{y}" width="{width}" height="{BOX}" rx="6" '
        f'class="{"private" if part[0] == "_" else "public"}"/>'
        f'<text x="{x + width / 2:g}" y="{y + 23}">{escape(part)}</text>'
        for part, (x, y, width) in places.items()
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"'
            ' aria-label="The parts of calibrant in ten layers; imports go down">',
            "<style>rect{stroke:#4477aa;stroke-width:1.2}.public{fill:#dde8f4}"
            ".private{fill:#f4f4f4}line{stroke:#999;stroke-width:1}"
            "text{font:14px monospace;text-anchor:middle;fill:#222}</style>",
            f'<rect width="{WIDTH}" height="{height}" style="fill:#fff;stroke:none"/>',
            *lines,
            *boxes,
            "</svg>\n",
        ]
    )


def _places() -> Iterator[tuple[str, Place]]:
    for row, parts in enumerate(LAYERS):
        widths = [9 * len(part) + 28 for part in parts]
        x = (WIDTH - sum(widths) - GAP * (len(parts) - 1)) / 2
        for part, width in zip(parts, widths, strict=True):
            yield part, (x, TOP + ROW * row, width)
            x += width + GAP


def _line(above: Place, below: Place) -> str:
    """Return a line from the bottom of a box to the top of another, or between neighbors."""
    (x, y, width), (x2, y2, width2) = above, below
    if y == y2:
        left, right = sorted([above, below])
        return (
            f'<line x1="{left[0] + left[2]:g}" y1="{y + BOX / 2:g}" '
            f'x2="{right[0]:g}" y2="{y + BOX / 2:g}"/>'
        )
    return f'<line x1="{x + width / 2:g}" y1="{y + BOX}" x2="{x2 + width2 / 2:g}" y2="{y2}"/>'


def main() -> int:
    """Draw the layers, or check that the drawing is current."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    if not parser.parse_args().check:
        PICTURE.write_text(draw(), "utf-8")
    elif PICTURE.read_text("utf-8") != draw():
        print("docs/_static/layers.svg is not current: run python tools/layers.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
