"""All comparisons of one measure: a family, adjusted for its size, and its margin."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real

from calibrant._compare._difference import MEASURES, Difference, Equivalence, MeasureName
from calibrant._compare._measured import Measured
from calibrant._compare._paired import paired
from calibrant._compare._pvalues import holm

#: names of two models, first and second
Pair = tuple[str, str]


def family(
    measured: Mapping[str, Measured],
    pairs: list[Pair],
    measure: MeasureName,
    confidence_level: float,
    margin: float | None,
) -> list[Difference]:
    """Return first − second of every pair, with p-values that hold for all of them."""
    found = [paired(measured[a], measured[b], measure, confidence_level) for a, b in pairs]
    adjusted = holm([difference.pvalue for difference in found])
    verdicts: list[Equivalence | None] = [None] * len(found)
    if margin is not None:
        closeness = [difference.equivalence_pvalue(margin) for difference in found]
        verdicts = [
            Equivalence(margin, p, p_holm, p_holm <= 1.0 - confidence_level)
            for p, p_holm in zip(closeness, holm(closeness), strict=True)
        ]
    return [
        Difference(
            first=first,
            second=second,
            measure=measure,
            estimate=difference.estimate,
            interval=difference.interval,
            standard_error=difference.standard_error,
            pvalue=difference.pvalue,
            pvalue_holm=p_holm,
            equivalence=verdict,
            note=difference.note,
        )
        for (first, second), difference, p_holm, verdict in zip(
            pairs, found, adjusted, verdicts, strict=True
        )
    ]


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
