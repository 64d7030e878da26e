"""Answers to a decision maker's questions, in one or two sentences each."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from calibrant._calibration_test import PLANNED, CalibrationTestResult, is_clear, rounded_rows
from calibrant._engine import CLEAR
from calibrant._followup.repair import RepairResult
from calibrant._followup.where import Finding, WhereResult
from calibrant._output import counted, estimate_text, number, pvalue_text
from calibrant._predictions import PREDICTED, name_text
from calibrant.effects import Effect

#: the question for every field of `Answers`, in order
QUESTIONS = {
    "calibrated": "Is it calibrated?",
    "size": "How far off?",
    "where": "Where?",
    "repair": "What to do?",
    "ship": "Good enough?",
    "rows": "Enough rows?",
}
#: the question about several models
WHICH = "Which is better?"
_POINTS = "percentage points"
#: confidence of the upper bounds, in words
_CONFIDENT = "with 95 % confidence"
#: probabilities this close to 0 or 1 would need too many digits
_SHOWN_DISTANCE = 5e-9
#: most places that are named
_NAMED = 2


@dataclass(frozen=True)
class Answers:
    """Answers to a decision maker's questions about one model.

    Attributes
    ----------
    calibrated, size, where, repair, ship, rows : str
        Whether it is calibrated, how large the error is, where it is, what repairs it, whether it
        is good enough, and whether the rows are enough to tell.

    Examples
    --------
    >>> import calibrant as cal
    >>> model = cal.models.TemperatureModel(0.5, 3, temperature=2.0)  # over-confident
    >>> report = cal.Report(*model.sample(500, rng=0), n_resamples=99, rng=0)
    >>> for question, answer in report.answers["model"].items():
    ...     print(question)
    Is it calibrated?
    How far off?
    Where?
    What to do?
    Good enough?
    Enough rows?
    """

    calibrated: str
    size: str
    where: str
    repair: str
    ship: str
    rows: str

    def items(self) -> list[tuple[str, str]]:
        """Return questions and answers."""
        return [(QUESTIONS[f.name], getattr(self, f.name)) for f in fields(self)]


def answer(
    test: CalibrationTestResult,
    places: WhereResult,
    repair: RepairResult | None,
    limit: float | None,
) -> Answers:
    """Answer all questions about one model consistently."""
    return Answers(
        calibrated=test.verdict,
        size=_size(test, places),
        where=_where(test, places),
        repair=_repair(test, places, repair),
        ship=_ship(test, limit),
        rows=_rows(test),
    )


def _size(test: CalibrationTestResult, places: WhereResult) -> str:
    """Describe the size of the error in percentage points, with an example from the data."""
    if not test.reject():
        bound = test.upper_bound()
        if math.isnan(bound):
            return "No error is shown, but these rows do not limit how large it could be."
        return f"No error is shown; {_CONFIDENT} the typical error is below {_points(bound)}."
    biased = _biased_class(test)
    if biased is not None:
        return _bias_size(biased)
    error = test.effects.get("rmsce")
    example = _example(test, places)
    if error is not None and error.interval.low > 0.0:
        return f"Typically {_points_interval(error)}. {example}".strip()
    headline = test.headline
    if headline is not None and headline.name == "bias":
        return _bias_size(headline)
    return f"{_at_most(test.upper_bound())} {example}".strip()


def _at_most(bound: float) -> str:
    """Describe the upper bound of the typical error, which may be near 0."""
    if math.isnan(bound):
        return "Unknown: these rows do not bound the error."
    return (
        f"The typical error is below {_points(bound)} (95 % confidence), and may be much smaller."
    )


def _bias_size(effect: Effect) -> str:
    details = effect.details
    often = "more" if effect.estimate < 0.0 else "less"
    predicted, occurred = _share(details["predicted"]), _share(details["occurred"])
    return (
        f"Class {name_text(details['class'])} occurs {often} often than predicted, by "
        f"{_points_interval(effect)}: it was predicted at {predicted} on average and occurred in "
        f"{occurred} of rows."
    )


def _example(test: CalibrationTestResult, places: WhereResult) -> str:
    """Return the region furthest off among those that agree with the verdict."""
    regions = [
        one
        for one in places.significant
        if one.kind == "region"
        and abs(one.frequency_z) >= CLEAR
        and not _opposes(one, test.headline)
    ]
    if not regions:
        return ""
    one = max(regions, key=_gap)
    error = test.effects.get("rmsce")
    predicted = one.target is None or (error and error.details.get("event") == PREDICTED)
    what = "it was right" if predicted else f"class {name_text(one.target)} occurred"
    return (
        f"When it said {_share(one.predicted)} on average ({counted(one.n_samples, 'row')}), "
        f"{what} {_share(one.observed)} of the time."
    )


def _where(test: CalibrationTestResult, places: WhereResult) -> str:
    """Describe which places stand out, and whether a single cause explains them."""
    named = places.significant
    if not named:
        others = ", region or group" if places.groups else " or region"
        return f"No single class{others} stands out."
    if not test.reject():
        verb = "stands" if len(named) == 1 else "stand"
        return (
            f"Only a hint, without overall evidence: {_titles(named)} {verb} out "
            f"(adjusted {pvalue_text(named[0].adjusted_pvalue, places.n_resamples)})."
        )
    return f"{_stand_out(places)}{_opposed(test, named)}"


def _stand_out(places: WhereResult) -> str:
    named, beyond = places.significant, places.beyond
    count = f"{len(named):,} of {len(places.findings):,} {_kinds(places)} stand out"
    if len(named) == 1:
        count = f"{_titles(named)} stands out"
    groups = [one for one in named if one.kind == "group"]
    furthest = f" {_furthest(groups)}" if groups else ""
    if beyond is None:
        first = "" if len(named) == 1 else f", most clearly {_titles(named)}"
        return f"{count}{first}.{furthest}"
    if beyond.significant:
        return f"{count}; beyond {beyond.taken_out}: {_titles(beyond.significant)}.{furthest}"
    return f"{count}, {'not' if len(named) == 1 else 'none'} beyond {beyond.taken_out}.{furthest}"


def _opposed(test: CalibrationTestResult, named: tuple[Finding, ...]) -> str:
    """Name regions whose direction differs from the verdict."""
    regions = [one for one in named if one.kind == "region" and _opposes(one, test.headline)]
    return f" The error has the opposite direction for {_titles(regions)}." if regions else ""


def _opposes(region: Finding, effect: Effect | None) -> bool:
    """Return whether a region is clearly off in another direction than a bias or temperature."""
    if effect is None or not abs(region.frequency_z) >= CLEAR:
        return False
    more = region.frequency_z > 0.0  # the target occurred more often than predicted
    if effect.name == "bias":
        return region.target is not None and more == (effect.estimate > 0.0)
    # with two classes, a region may have probabilities on both sides of 0.5
    predicted = effect.name == "temperature" and region.target is None
    return predicted and more == (effect.estimate > 1.0)


def _furthest(groups: list[Finding]) -> str:
    """Name the group whose mean prediction is furthest from its frequency."""
    one = max(groups, key=_gap)
    what = "right" if one.target is None else f"class {name_text(one.target)} occurred"
    predicted, observed = _share(one.predicted), _share(one.observed)
    return (
        f"The largest gap is in {one.title}: predicted {predicted} on average, {what} {observed} "
        "of the time."
    )


def _gap(finding: Finding) -> float:
    return abs(finding.observed - finding.predicted)


def _repair(test: CalibrationTestResult, places: WhereResult, repair: RepairResult | None) -> str:
    """Describe what to do about the error, with the recommendation of `repair` if requested."""
    against = test.reject()
    if repair is not None:
        text = _leave(repair, against) if repair.is_identity else _recommend(repair, against)
        return f"{text}{_not_repaired(places)}"
    loss = test.effects.get("calibration_loss")
    if not against:
        return "Nothing needs repair."
    if loss is None or not loss.interval.low > 0.0:
        return f"No simple repair is shown to help.{_not_repaired(places)}"
    gain = estimate_text(loss.estimate, loss.interval.low, loss.interval.high)
    return (
        f"Recalibrate: it would lower the log loss by about {gain}. Run a repair to get the "
        f"map.{_not_repaired(places)}"
    )


def _recommend(repair: RepairResult, against: bool) -> str:
    needless = "" if against else "Nothing needs repair, but this may help. "
    return f"{needless}{repair.verdict}"


def _leave(repair: RepairResult, against: bool) -> str:
    """Describe why no map is chosen, without the p-value of a second test of the same model."""
    if not any(one.log_loss for one in repair.candidates if one.name != repair.chosen):
        return f"Leave it as it is: {counted(repair.n_samples, 'row')} are too few to fit a repair."
    if against:
        return "Leave it as it is for now: none of the maps tried is shown to help."
    return "Leave it as it is: no candidate helps."


def _not_repaired(places: WhereResult) -> str:
    """Name the groups that a single map cannot repair."""
    if places.beyond is None:
        return ""
    groups = [one for one in places.beyond.significant if one.kind == "group"]
    if not groups:
        return ""
    names = ", ".join(dict.fromkeys(name_text(one.grouping) for one in groups))
    return f" One map for all rows does not suit every {names}: look at each one separately."


def _ship(test: CalibrationTestResult, limit: float | None) -> str:
    """Describe how large an error must be acceptable, or whether it is within the limit."""
    largest = _largest_error(test)
    if math.isnan(largest.high):
        return "Unknown: these rows do not bound the error."
    if limit is not None:
        return _compare_with(limit, largest)
    bound = f"errors of up to {_points(largest.high)}{largest.place} are acceptable"
    return f"Not unless {bound}." if test.reject() else f"Only if {bound}."


def _compare_with(limit: float, largest: _LargestError) -> str:
    allowed, name = f"the limit of {_points(limit)}", largest.name
    if largest.high <= limit:
        below = f"below {_points(largest.high)} (95 % confidence)"
        return f"Yes: {name} is {below}, within {allowed}."
    if largest.low > limit:
        return f"No: {name} is above {_points(largest.low)}, beyond {allowed}."
    return (
        f"Not shown: {name} may be up to {_points(largest.high)}, more than {allowed}. More rows "
        "would settle it."
    )


def _rows(test: CalibrationTestResult) -> str:
    """Describe whether these rows can detect a small error, and how many rows could."""
    planned = test.details.get("rows_for_temperature")
    seen = "For this verdict, yes. " if test.reject() else ""
    if planned:
        size = f"a temperature of {number(planned['temperature'])}"
        needed = f"takes about {rounded_rows(planned['n_samples'])} like these (80 % power)"
        return f"{seen}Detecting {size} {needed}." if seen else f"No: detecting {size} {needed}."
    over = (test.details.get("detectable_temperature") or {}).get("over")
    if over is not None and over > PLANNED and "clusters" in test.details:
        detected = f"rows in clusters like these reveal temperatures above {number(over)}"
        return f"{seen or 'No: '}{detected if not seen else detected.capitalize()} (80 % power)."
    if over is None or over > PLANNED:
        return f"{seen}No number of rows like these can reveal a temperature of {PLANNED}."
    return f"Yes: they would reveal a temperature of {PLANNED} (80 % power)."


@dataclass(frozen=True)
class _LargestError:
    """Bounds of the decisive error, and what it belongs to."""

    low: float
    high: float
    name: str = "the typical error"
    place: str = ""


def _largest_error(test: CalibrationTestResult) -> _LargestError:
    """Return bounds of the typical error, or of the bias of a class if that is larger."""
    error = test.effects.get("rmsce")
    low, high = (math.nan if error is None else error.interval.low), test.upper_bound()
    bias = test.effects.get("bias")
    # with more than two classes, one class may be further off than the predicted label
    if bias is not None and test.n_classes > 2 and is_clear(bias):
        least, most = sorted((abs(bias.interval.low), abs(bias.interval.high)))
        if not most <= high:
            place = f"class {name_text(bias.details['class'])}"
            return _LargestError(least, most, f"the bias of {place}", f" for {place}")
    return _LargestError(low, high)


def _biased_class(test: CalibrationTestResult) -> Effect | None:
    """Return the bias of one of several classes, if the verdict is about it."""
    effect = test.headline
    if effect is None or effect.name != "bias" or effect.details.get("event") == PREDICTED:
        return None
    return effect if test.n_classes > 2 else None


def _titles(findings: tuple[Finding, ...] | list[Finding]) -> str:
    titles = [one.title for one in findings[:_NAMED]]
    more = len(findings) - len(titles)
    return ", ".join(titles) + (f" and {more} more" if more > 0 else "")


def _kinds(places: WhereResult) -> str:
    return "classes, regions and groups" if places.groups else "classes and regions"


def _share(probability: float) -> str:
    """Return a probability in percent, with enough digits to distinguish it from 0 and 100 %."""
    distance = min(probability, 1.0 - probability)
    if 0.0 < distance < _SHOWN_DISTANCE:
        return f"nearly {100 * round(probability)} %"
    digits = 0
    if 0.0 < distance < 0.01:
        digits = min(6, -math.floor(math.log10(distance)) - 2)
    return f"{100 * probability:.{digits}f} %"


def _points(value: float) -> str:
    """Return a difference of probabilities in percentage points."""
    return f"{number(100 * value, 2)} {_POINTS}"


def _points_interval(effect: Effect) -> str:
    """Return the size of an effect, without its sign, in percentage points."""
    sign = math.copysign(100.0, effect.estimate)
    low, high = sorted((sign * effect.interval.low, sign * effect.interval.high))
    return f"{estimate_text(sign * effect.estimate, low, high, 2)} {_POINTS}"
