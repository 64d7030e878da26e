"""All comparisons of one measure: a family, adjusted for its size."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibrant._compare._difference import Difference, Equivalence
from calibrant._compare._paired import paired
from calibrant._compare._pvalues import holm

if TYPE_CHECKING:
    from collections.abc import Mapping

    from calibrant._compare._measured import Measured

#: names of two models, first and second
Pair = tuple[str, str]


def family(
    measured: Mapping[str, Measured],
    pairs: list[Pair],
    measure: str,
    level: float,
    margin: float | None,
) -> list[Difference]:
    """Return first − second of every pair, with p-values that hold for all of them."""
    found = [paired(measured[a], measured[b], measure, level) for a, b in pairs]
    adjusted = holm([difference.pvalue for difference in found])
    verdicts: list[Equivalence | None] = [None] * len(found)
    if margin is not None:
        closeness = [difference.equivalence_pvalue(margin) for difference in found]
        verdicts = [
            Equivalence(margin, p, p_holm, p_holm <= 1.0 - level)
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
