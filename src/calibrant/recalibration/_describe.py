"""Descriptions of fitted maps."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

import numpy as np

from calibrant._native import FloatArray
from calibrant._output import counted, number
from calibrant._predictions import name_text
from calibrant.recalibration._calibrator import Calibrator
from calibrant.recalibration._confidence_curve import FittedConfidenceCurve
from calibrant.recalibration._isotonic import FittedIsotonic
from calibrant.recalibration._log_linear import LogLinear
from calibrant.recalibration._map import FittedMap


def describe(calibrator: Calibrator) -> str:
    """Return what a fitted map does, as an imperative phrase without a period."""
    fitted = calibrator.map
    if isinstance(fitted, FittedIsotonic) and fitted.n_classes == 2:
        name = _name(calibrator.classes[1])
        return f"Replace the probability of {name} step by step {_examples(fitted)}"
    if isinstance(fitted, FittedIsotonic):
        steps = counted(fitted.n_parameters, "step")
        return f"Replace each probability by an increasing function of it ({steps} in all)"
    if isinstance(fitted, FittedConfidenceCurve):
        correct = f"orrect the probability of the predicted class {_corrections(fitted)}"
        first = describe(replace(calibrator, map=fitted.first))
        return f"C{correct}" if _is_identity(fitted.first) else f"{first}, then c{correct}"
    if not isinstance(fitted, LogLinear):
        return f"Apply {calibrator.name}"
    if _is_identity(fitted):
        return "Leave the probabilities as they are"
    if fitted.slopes.ndim == 2:
        return "Multiply the logits by a full matrix, then shift them"
    return _diagonal(calibrator, fitted)


def _diagonal(calibrator: Calibrator, fitted: LogLinear) -> str:
    slopes = np.broadcast_to(fitted.slopes, fitted.n_classes)
    common = float(slopes[0]) if (slopes == slopes[0]).all() else None
    if common and not fitted.intercepts.any():
        return f"Divide the logits by {number(1.0 / common)}"
    if fitted.n_classes == 2:
        return _two_classes(calibrator, fitted, common)
    shifts = fitted.intercepts - fitted.intercepts.mean()
    largest = int(np.argmax(np.abs(shifts)))
    how = f"{number(float(shifts[largest]), 2)} for {_name(calibrator.classes[largest])}"
    what = "Shift" if common == 1.0 else "Scale and shift"
    return f"{what} the logit of each class (the largest shift is {how})"


def _two_classes(calibrator: Calibrator, fitted: LogLinear, common: float | None) -> str:
    name = _name(calibrator.classes[1])
    if common is None:
        return f"Bend the logit of {name} {_examples(fitted)}"
    shift = float(fitted.intercepts[1] - fitted.intercepts[0])
    add, to = ("add", "to") if shift >= 0.0 else ("subtract", "from")
    if common == 1.0:
        return f"{add.capitalize()} {number(abs(shift))} {to} the logit of {name}"
    return f"Multiply the logit of {name} by {number(common)}, then {add} {number(abs(shift))}"


def _name(label: Hashable) -> str:
    return f"class {name_text(label)}"


def _examples(fitted: FittedMap) -> str:
    """Describe the new values of some probabilities of the positive class."""
    p = np.array([0.1, 0.5, 0.9])
    return _becomes(p, fitted.predict_checked(np.column_stack([1.0 - p, p]))[:, 1])


def _corrections(fitted: FittedConfidenceCurve) -> str:
    p = np.array([0.6, 0.9, 0.99])
    return _becomes(p, np.interp(p, *fitted.knots))


def _becomes(before: FloatArray, after: FloatArray) -> str:
    pairs = zip(before.tolist(), after.tolist(), strict=True)
    return f"({', '.join(f'{number(p)} becomes {number(q)}' for p, q in pairs)})"


def _is_identity(fitted: FittedMap) -> bool:
    return (
        isinstance(fitted, LogLinear)
        and fitted.slopes.ndim < 2
        and bool((fitted.slopes == 1.0).all())
        and not fitted.intercepts.any()
    )
