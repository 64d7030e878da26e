"""The plain-text table, with one row for every measured ratio."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

HEADER = ("what", "ours", "reference", "ratio", "required", "")


@dataclass(frozen=True)
class Row:
    """One measurement: what was compared, the two figures, their ratio and the requirement."""

    what: str
    ours: str
    reference: str
    ratio: str
    required: str = "-"  # no requirement
    ok: bool | None = None
    #: which ratios are better: for times relative to the reference less, for speed-ups more
    better: Literal["less", "more"] = "less"

    @property
    def verdict(self) -> str:
        """`ok`, `MISSED`, or nothing without a requirement."""
        if self.ok is None:
            return ""
        return "ok" if self.ok else "MISSED"

    @property
    def cells(self) -> tuple[str, ...]:
        """The row as texts, in the order of the header."""
        return (self.what, self.ours, self.reference, self.ratio, self.required, self.verdict)


def render(rows: Sequence[Row]) -> str:
    """Return the table with aligned columns: texts left, figures right."""
    lines = [HEADER, *(row.cells for row in rows)]
    widths = [max(len(line[c]) for line in lines) for c in range(len(HEADER))]
    rule = tuple("-" * width for width in widths)
    return "\n".join(_line(cells, widths) for cells in (HEADER, rule, *lines[1:]))


def seconds(value: float) -> str:
    """Return a time with three digits and a readable unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def megabytes(value: float) -> str:
    """Return a number of bytes in MB (10⁶)."""
    return f"{value / 1e6:.4g} MB"


def times(value: float) -> str:
    """Return a ratio as text."""
    return f"{value:.3g}x"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    aligned = [
        cell.rjust(width) if 1 <= column <= 3 else cell.ljust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(aligned).rstrip()
