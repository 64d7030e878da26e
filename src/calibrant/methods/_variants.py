"""How the aggregated test computes its families, depending only on the rows and classes."""

from __future__ import annotations

from typing import Literal

from calibrant._engine import sizes

#: "full": all pairs; "lines": exact by sorting; "features": random features and cells
Variant = Literal["full", "lines", "features"]


def variant_for(n_samples: int, n_classes: int) -> Variant:
    """Return how the aggregated test computes its families."""
    if n_classes == 2:
        return "lines"
    return "full" if n_samples <= sizes.full_rows(n_classes) else "features"


def reason_for(variant: Variant, n_classes: int) -> str:
    """Return the reason, in words."""
    rows = sizes.full_rows(n_classes)
    if variant == "lines":
        return "two classes lie on a line, where all pairs are summed exactly by sorting"
    if variant == "full":
        return f"up to {rows:,} rows all pairs are computed for every label set"
    return (
        f"above {rows:,} rows its kernel family uses random features and grids and its class-wise "
        "family cells, in time linear in the rows"
    )
