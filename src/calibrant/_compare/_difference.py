"""The difference of two models in one measure, and whether it is smaller than a margin."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from calibrant.effects import Interval
from calibrant.effects._interval import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

#: what is compared; of accuracy more is better, of the others less
MEASURES = ("skce", "brier", "log_loss", "accuracy")


@dataclass(frozen=True)
class Equivalence:
    """Whether two models differ by less than a margin: two one-sided tests.

    Attributes
    ----------
    margin : float
        The margin eps, in the unit of the measure.
    pvalue : float
        Of |difference| ≥ margin; small values speak for a smaller difference. NaN if unknown.
    pvalue_holm : float
        Adjusted for all comparisons of the measure.
    established : bool
        Whether `pvalue_holm` is at most 1 − level: "differs by less than margin". ``False``
        says that this was not shown, not that the difference is larger.
    """

    margin: float
    pvalue: float
    pvalue_holm: float
    established: bool

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; NaN becomes None."""
        return {
            "margin": self.margin,
            "pvalue": plain(self.pvalue),
            "pvalue_holm": plain(self.pvalue_holm),
            "established": self.established,
        }

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> Equivalence:
        """Read what `to_dict` wrote."""
        return cls(
            float(table["margin"]),
            as_float(table["pvalue"]),
            as_float(table["pvalue_holm"]),
            bool(table["established"]),
        )


@dataclass(frozen=True, eq=False)
class Difference:
    """What two models differ by in one measure, on the same rows: first − second.

    Attributes
    ----------
    first, second : str
        Names of the models.
    measure : {"skce", "brier", "log_loss", "accuracy"}
    estimate : float
        Measure of the first minus that of the second; NaN where there is none.
    interval : Interval
        For the true difference, of this comparison alone: not adjusted for several.
    standard_error : float
        From the jackknife over rows.
    pvalue : float
        Two-sided, of no difference; exact for accuracy without weights.
    pvalue_holm : float
        Adjusted for all comparisons of the measure.
    equivalence : Equivalence or None
        Whether the difference is smaller than the margin that was given.
    note : str
        Why something is missing or to be read with care.
    """

    first: str
    second: str
    measure: str
    estimate: float
    interval: Interval
    standard_error: float
    pvalue: float
    pvalue_holm: float
    equivalence: Equivalence | None = None
    note: str = ""

    @property
    def better(self) -> str | None:
        """The model that the data show to be better at the level of the interval, or None."""
        if not self.pvalue_holm <= 1.0 - self.interval.level:
            return None
        first_is_less = self.estimate < 0.0
        less_is_better = self.measure != "accuracy"
        return self.first if first_is_less == less_is_better else self.second

    def swapped(self) -> Difference:
        """Return the same difference as second − first."""
        turned = self.interval
        if turned.is_known:
            turned = Interval(0.0 - turned.high, 0.0 - turned.low, turned.level)
        return replace(
            self,
            first=self.second,
            second=self.first,
            estimate=0.0 - self.estimate,
            interval=turned,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that strict JSON can hold; NaN becomes None."""
        return {
            "first": self.first,
            "second": self.second,
            "measure": self.measure,
            "estimate": plain(self.estimate),
            "interval": self.interval.to_dict(),
            "standard_error": plain(self.standard_error),
            "pvalue": plain(self.pvalue),
            "pvalue_holm": plain(self.pvalue_holm),
            "equivalence": self.equivalence and self.equivalence.to_dict(),
            "note": self.note,
        }

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> Difference:
        """Read what `to_dict` wrote."""
        numbers = ("estimate", "standard_error", "pvalue", "pvalue_holm")
        equivalence = table["equivalence"]
        values = {
            **table,
            **{name: as_float(table[name]) for name in numbers},
            "interval": Interval.from_dict(table["interval"]),
            "equivalence": equivalence and Equivalence.from_dict(equivalence),
        }
        return cls(**values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Difference) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.first, self.second, self.measure))


def as_float(value: Any) -> float:
    """Read a number of `plain`: None is NaN."""
    return math.nan if value is None else float(value)
