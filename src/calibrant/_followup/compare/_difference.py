"""The difference between two models in one measure, and its equivalence test."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Literal, get_args

from calibrant._output import Finite, Plain
from calibrant.effects import Interval

#: the compared measures, the headline first; for accuracy more is better, for the others less
MeasureName = Literal["calibration_loss", "refinement", "log_loss", "skce", "brier", "accuracy"]
MEASURES: tuple[MeasureName, ...] = get_args(MeasureName)
#: the measure that decides which model is better calibrated
HEADLINE: MeasureName = "calibration_loss"
#: titles of the measures, and the units of margins
TITLES: Mapping[str, str] = {
    "calibration_loss": "calibration loss",
    "refinement": "refinement",
    "log_loss": "log loss",
    "skce": "SKCE",
    "brier": "Brier score",
    "accuracy": "accuracy",
}
UNITS: Mapping[str, str] = {
    "calibration_loss": "nats",
    "refinement": "nats",
    "log_loss": "nats",
    "skce": "squared kernel error",
    "brier": "0 to 2",
    "accuracy": "share of rows",
}


@dataclass(frozen=True)
class Equivalence(Plain):
    """Whether two models differ by less than a margin: two one-sided tests.

    Attributes
    ----------
    margin : float
        The margin eps, in the unit of the measure.
    pvalue : float
        P-value of |difference| ≥ margin; small values are evidence of a smaller difference. NaN if
        unknown.
    pvalue_holm : float
        The p-value adjusted for all comparisons of the measure.
    established : bool
        Whether `pvalue_holm` is at most 1 − `confidence_level`: "differs by less than margin".
        ``False`` means that this was not shown, not that the difference is larger.

    Examples
    --------
    >>> import calibrant as cal
    >>> model = cal.models.TemperatureModel(0.5, 3, temperature=2.0)  # over-confident
    >>> y_true, raw = model.sample(500, rng=0)
    >>> cool = cal.recalibration.Temperature().fit(raw, y_true).predict_proba(raw)
    >>> margins = {"calibration_loss": 0.01}
    >>> result = cal.compare(y_true, {"raw": raw, "cool": cool}, equivalence=margins, rng=0)
    >>> result.difference("raw", "cool").equivalence.established
    False

    The models are not equivalent: one has a much smaller error.
    """

    margin: Finite
    pvalue: float
    pvalue_holm: float
    established: bool


@dataclass(frozen=True, eq=False)
class Difference(Plain):
    """The difference first − second between two models in one measure, on the same rows.

    Attributes
    ----------
    first, second : str
        Names of the models.
    measure : {"calibration_loss", "refinement", "log_loss", "skce", "brier", "accuracy"}
        The measure.
    estimate : float
        The measure of the first model minus that of the second; NaN if unknown.
    interval : Interval
        Interval of the true difference, for this comparison alone.
    standard_error : float
        Standard error from the jackknife over rows; for measures with a known variance under
        calibration (calibration loss, refinement, SKCE), the larger of the two.
    pvalue : float
        Two-sided p-value of no difference; exact for accuracy without weights.
    pvalue_holm : float
        The p-value adjusted for all comparisons of the measure.
    equivalence : Equivalence or None
        Whether the difference is smaller than the given margin.
    note : str
        Why something is missing or needs caution.

    Examples
    --------
    >>> import calibrant as cal
    >>> model = cal.models.TemperatureModel(0.5, 3, temperature=2.0)  # over-confident
    >>> y_true, raw = model.sample(500, rng=0)
    >>> cool = cal.recalibration.Temperature().fit(raw, y_true).predict_proba(raw)
    >>> result = cal.compare(y_true, {"raw": raw, "cool": cool}, rng=0)
    >>> difference = result.difference("raw", "cool")
    >>> f"{difference.estimate:.2f}", difference.better
    ('0.10', 'cool')

    The model with a fitted temperature is better calibrated.
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
        """The better model according to the adjusted p-value and the interval, or None."""
        if not self.pvalue_holm <= 1.0 - self.interval.confidence_level:
            return None
        if not self.interval.is_known or 0.0 in self.interval:
            return None
        first_is_less = self.estimate < 0.0
        less_is_better = self.measure != "accuracy"
        return self.first if first_is_less == less_is_better else self.second

    @property
    def worse(self) -> str | None:
        """The worse model, or None."""
        if self.better is None:
            return None
        return self.second if self.better == self.first else self.first

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


def check_margins(equivalence: Mapping[str, float] | None) -> dict[str, float]:
    """Check and return the margins by measure."""
    if equivalence is None:
        return {}
    if not isinstance(equivalence, Mapping):
        units = ", ".join(f"{name!r} ({UNITS[name]})" for name in MEASURES)
        raise TypeError(
            "`equivalence` must map measures to margins, each in the unit of its measure; got "
            f"{equivalence!r} for all of them. Pass e.g. {{{HEADLINE!r}: 0.01}}; measures are "
            f"{units}."
        )
    for measure, margin in equivalence.items():
        if measure not in MEASURES:
            raise ValueError(
                f"`equivalence` must map measures, {', '.join(map(repr, MEASURES))}, to margins; "
                f"got {measure!r}."
            )
        if not isinstance(margin, Real) or isinstance(margin, bool) or not 0.0 < margin < math.inf:
            raise ValueError(
                f"`equivalence` must map measures to positive finite margins, e.g. 0.01; got "
                f"{margin!r} for {measure!r} ({UNITS[measure]})."
            )
    return {measure: float(margin) for measure, margin in equivalence.items()}
