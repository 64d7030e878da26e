"""The difference of two models in one measure, and whether it is smaller than a margin."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

from calibrant._output import Finite, Plain
from calibrant.effects import Interval

#: what is compared; of accuracy more is better, of the others less
MeasureName = Literal["skce", "brier", "log_loss", "accuracy"]
MEASURES: tuple[MeasureName, ...] = get_args(MeasureName)


@dataclass(frozen=True)
class Equivalence(Plain):
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
        Whether `pvalue_holm` is at most 1 − `confidence_level`: "differs by less than margin".
        ``False`` says that this was not shown, not that the difference is larger.
    """

    margin: Finite
    pvalue: float
    pvalue_holm: float
    established: bool


@dataclass(frozen=True, eq=False)
class Difference(Plain):
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
    measure: MeasureName
    estimate: float
    interval: Interval
    standard_error: float
    pvalue: float
    pvalue_holm: float
    equivalence: Equivalence | None = None
    note: str = ""

    @property
    def better(self) -> str | None:
        """The model that the data show to be better, as surely as the interval, or None."""
        if not self.pvalue_holm <= 1.0 - self.interval.confidence_level:
            return None
        first_is_less = self.estimate < 0.0
        less_is_better = self.measure != "accuracy"
        return self.first if first_is_less == less_is_better else self.second

    def swapped(self) -> Difference:
        """Return the same difference as second − first."""
        turned = self.interval
        if turned.is_known:
            turned = Interval(0.0 - turned.high, 0.0 - turned.low, turned.confidence_level)
        return replace(
            self,
            first=self.second,
            second=self.first,
            estimate=0.0 - self.estimate,
            interval=turned,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Difference) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.first, self.second, self.measure))
