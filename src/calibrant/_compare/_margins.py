"""Margins of equivalence: what a user calls a small difference, per measure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real

from calibrant._compare._difference import MEASURES


def check_margins(equivalence: float | Mapping[str, float] | None) -> dict[str, float]:
    """Return the margin of every measure that has one; one number serves for all."""
    if equivalence is None:
        return {}
    given = (
        equivalence if isinstance(equivalence, Mapping) else dict.fromkeys(MEASURES, equivalence)
    )
    for measure, margin in given.items():
        if measure not in MEASURES:
            raise ValueError(
                f"`equivalence` must map measures, {', '.join(map(repr, MEASURES))}, to margins; "
                f"got {measure!r}."
            )
        if not isinstance(margin, Real) or isinstance(margin, bool) or not 0.0 < margin < math.inf:
            raise ValueError(
                f"`equivalence` must be a positive finite margin, e.g. 0.01; got {margin!r} for "
                f"{measure!r}."
            )
    return {measure: float(margin) for measure, margin in given.items()}
