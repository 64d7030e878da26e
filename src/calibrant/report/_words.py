"""Numbers of the summary as sentences that a reader without statistics understands."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from calibrant._result import CalibrationTestResult
from calibrant.effects._interval import number as as_float
from calibrant.plots._text import number, percent

if TYPE_CHECKING:
    from collections.abc import Mapping

#: what measures are called
NAMES = {
    "temperature": "Equivalent temperature",
    "rmsce": "Typical error of the confidence (RMSCE)",
    "ece": "ECE of the predicted label",
    "mce": "Largest error of a bin (MCE)",
    "mmce": "Kernel error of the predicted label (MMCE)",
    "ece_joint": "ECE of all classes, equal bins",
    "ece_adaptive": "ECE of all classes, adaptive bins",
    "kce": "Kernel calibration error (KCE)",
    "skce": "Squared kernel calibration error (SKCE)",
    "accuracy": "Accuracy",
    "brier": "Brier score",
    "log_loss": "Log loss",
}

#: what their values mean
_WORDS = {
    "rmsce": "A stated confidence is typically {text} away from how often the model is right; "
    "chance is already subtracted.",
    "ece": "Over 15 bins, confidence and hit rate differ by {text} on average.{chance}",
    "mce": "In the worst bin a class is off by {text}; often a bin of few rows.{chance}",
    "mmce": "Error of the confidence without bins, at least 0.{chance}",
    "ece_joint": "Average distance of whole predicted distributions and label frequencies.{chance}",
    "ece_adaptive": "The same with bins of at least 100 rows, less noisy.{chance}",
    "kce": "Error of whole distributions without bins, at least 0.{chance}",
    "skce": "Error of whole distributions, unbiased: 0 on average for a calibrated model, so it "
    "may be negative.",
    "accuracy": "The most probable class occurred in {share} of rows.",
    "brier": "Mean squared distance of prediction and outcome, 0 (best) to 2; mixes calibration "
    "with how much the model knows.",
    "log_loss": "Mean surprise at the labels in nats, 0 is best; mixes calibration with how much "
    "the model knows.",
}


def verdict(test: Mapping[str, Any]) -> str:
    """Return the verdict of a test with p, effect and interval, in one sentence."""
    result = CalibrationTestResult.from_dict(test)
    sentence = result.summary().splitlines()[0].rstrip(".")
    temperature = result.effects.get("temperature")
    if temperature is None or math.isnan(temperature.estimate):
        return f"{sentence}."
    interval = ""
    if temperature.interval.is_known:
        low, high = number(temperature.interval.low), number(temperature.interval.high)
        interval = f" ({percent(temperature.interval.level)} interval {low} to {high})"
    return (
        f"{sentence}; equivalent temperature {number(temperature.estimate)}{interval}, where 1 is "
        "neither over- nor under-confident."
    )


def shown(value: Any) -> str:
    """Return a number of the summary as text; a dash where it is not known."""
    found = as_float(value)
    if math.isnan(found):
        return "–"
    if math.isinf(found):
        return "∞" if found > 0 else "−∞"
    return number(found)


def interval_text(interval: Mapping[str, Any]) -> str:
    """Return an interval as text; a dash where there is none."""
    if interval["low"] is None:
        return "–"
    return f"{shown(interval['low'])} to {shown(interval['high'])}"


def floor_text(floor: Mapping[str, Any] | None) -> str:
    """Return the noise floor as text; a dash where there is none."""
    if floor is None or not floor["n_resamples"]:
        return "–"
    return f"{shown(floor['mean'])} ± {shown(floor['sd'])}"


def meaning(measure: Mapping[str, Any], floor: Mapping[str, Any] | None) -> str:
    """Say what a measured number means, in plain words."""
    value, text = as_float(measure["estimate"]), shown(measure["estimate"])
    if math.isnan(value):
        return measure["note"] or "Not known from these data."
    if measure["name"] == "temperature":
        sentence = _temperature(measure, value, text)
    else:
        chance = ""
        if floor is not None and floor["n_resamples"]:
            chance = f" A calibrated model would show {shown(floor['mean'])} by chance."
        words = _WORDS.get(measure["name"], f"{measure['meaning']}.")
        sentence = words.format(text=text, share=percent(value), chance=chance)
    return f"{sentence} {measure['note']}".strip()


def _temperature(measure: Mapping[str, Any], value: float, text: str) -> str:
    low, high = (as_float(measure["interval"][end]) for end in ("low", "high"))
    if low <= 1.0 <= high:
        return "The interval holds 1: neither over- nor under-confidence is shown."
    if value > 1.0:
        return f"Over-confident: the logits are too large, dividing them by {text} fits best."
    return f"Under-confident: the logits are too small, dividing them by {text} fits best."
