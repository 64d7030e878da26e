"""The effect that explains the evidence of a test, in one sentence."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from calibrant._engine import CLEAR, CONFLICTS, name_direction
from calibrant._output import estimate_text, number, percent
from calibrant._predictions import PREDICTED, name_text
from calibrant.effects import Effect, upper_bound

#: confidence of the upper bounds in sentences
CONFIDENCE = 0.95
#: keys of the directions of confidence in the details, with those of their scores
_DIRECTIONS = {"brier": "brier_z", "log": "log_z"}
_SCORES = {"brier": "the Brier score", "log": "the log score"}


def headline(effects: Mapping[str, Effect], details: Mapping[str, Any]) -> Effect | None:
    """Return the effect furthest from no effect, or None if no effect is clear.

    The bias and the temperature compete: a model that predicts a class too rarely also looks over-
    or under-confident, and the sentence must name the clearest error. If class totals are the
    strongest evidence, a clear bias is named regardless of the temperature. A temperature must
    agree with the direction of the test, unless the test has no directions among its components. If
    directions contradict each other, only the typical error remains.
    """
    direction = details.get("direction")
    asked = any(key in details for key in _DIRECTIONS.values())
    names = ["bias", *(["temperature"] if direction or not asked else [])]
    names = [] if direction in CONFLICTS else names
    clear = {name: clearness(effects[name]) for name in names if name in effects}
    first = details.get("component")  # an effect of this name is the one behind the evidence
    for name in sorted(clear, key=lambda name: (name == first, clear[name]), reverse=True):
        if clear[name] > 1.0:
            return effects[name]
    error = effects.get("rmsce")
    if error is not None and error.interval.is_known and error.interval.low > 0.0:
        return error
    return None


def tell(effects: Mapping[str, Effect], details: Mapping[str, Any]) -> str:
    """Return the headline in words, or an empty text."""
    direction = details.get("direction")
    if direction in CONFLICTS:
        return f"the direction is {direction}"
    effect = headline(effects, details)
    score = _tell_score(details) if effect is None or effect.name == "rmsce" else ""
    told = "" if effect is None else _SENTENCES[effect.name](effect)
    return "; ".join(filter(None, [score, told]))


def _tell_score(details: Mapping[str, Any]) -> str:
    """Describe the direction of the strongest score, if the other score contradicts it."""
    score = str(details.get("component"))
    direction = name_direction(details.get(_DIRECTIONS.get(score, ""), 0.0), CLEAR)
    if direction is None:
        return ""
    other = next(name for name in _DIRECTIONS if name != score)
    return f"the predictions are {direction} by {_SCORES[score]}, but not by {_SCORES[other]}"


def order_text(details: Mapping[str, Any]) -> str:
    """Describe the error of the spread along the class order, if that is the clearest finding."""
    how = details.get("ordered_direction")
    if how is None or details.get("component") != "ranked":
        return ""
    return f"the spread along the order of the classes is {how}"


def bound_text(effects: Mapping[str, Effect]) -> str:
    """Return the upper bound of the typical error in words, or an empty text if it is unknown."""
    if "rmsce" not in effects:
        return ""
    bound = upper_bound(effects["rmsce"], CONFIDENCE)
    if not bound > 0.0:  # NaN or degenerate: no data can show that an error is exactly 0
        return ""
    error = _typical_error(effects["rmsce"])
    return f"with {percent(CONFIDENCE)} confidence {error} is below {number(bound)}"


def clearness(effect: Effect) -> float:
    """Return the distance from no effect over the interval's half-width; above 1 excludes it."""
    neutral, scale = _NEUTRAL[effect.name]
    numbers = (effect.interval.low, effect.estimate, effect.interval.high)
    if not all(math.isfinite(value) for value in numbers):
        return 0.0
    low, estimate, high = (scale(value) for value in numbers)
    reach = estimate - low if estimate > neutral else high - estimate
    return abs(estimate - neutral) / reach if reach > 0.0 else 0.0


def is_clear(effect: Effect) -> bool:
    """Return whether the interval of a bias, slope or temperature excludes no effect."""
    return effect.name in _NEUTRAL and clearness(effect) > 1.0


def _same(value: float) -> float:
    return value


def _log(value: float) -> float:
    return math.log(value) if value > 0.0 else -math.inf


#: the value of no effect, and a scale on which the interval is about symmetric
_NEUTRAL: dict[str, tuple[float, Callable[[float], float]]] = {
    "bias": (0.0, _same),
    "temperature": (0.0, _log),
    "slope": (1.0, _same),
    "intercept": (0.0, _same),
    "calibration_loss": (0.0, _same),
}


def _tell_bias(effect: Effect) -> str:
    often = "rarely" if effect.estimate < 0.0 else "often"
    details: Mapping[str, Any] = effect.details
    if details.get("event") == PREDICTED:
        less = "less" if effect.estimate > 0.0 else "more"
        return f"the predicted label is right {less} often than stated: {_named(effect)}"
    return f"class {name_text(details.get('class'))} is predicted too {often}: {_named(effect)}"


def _tell_temperature(effect: Effect) -> str:
    how = "over-confident" if effect.estimate > 1.0 else "under-confident"
    bound = f" ({effect.remark})" if effect.remark else ""
    return f"the predictions are {how}: {_named(effect)}{bound}"


def _tell_typical_error(effect: Effect) -> str:
    return f"{_typical_error(effect)} is {_with_interval(effect)}"


def _typical_error(effect: Effect) -> str:
    # single classes may be further off than the predicted label
    of = " of the predicted label" if effect.details.get("event") == PREDICTED else ""
    return f"the typical error{of}"


_SENTENCES: dict[str, Callable[[Effect], str]] = {
    "bias": _tell_bias,
    "temperature": _tell_temperature,
    "rmsce": _tell_typical_error,
}


def _named(effect: Effect) -> str:
    return f"{effect.name} {_with_interval(effect)}"


def _with_interval(effect: Effect) -> str:
    return estimate_text(effect.estimate, effect.interval.low, effect.interval.high)
