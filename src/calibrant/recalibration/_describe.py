"""What a fitted map does to the predictions, in a phrase."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from calibrant._native import FloatArray
from calibrant._output import counted, number
from calibrant.recalibration._confidence_curve import FittedConfidenceCurve
from calibrant.recalibration._isotonic import FittedIsotonic
from calibrant.recalibration._log_linear import LogLinear
from calibrant.recalibration._map import FittedMap

if TYPE_CHECKING:
    from calibrant.recalibration._calibrator import Calibrator


def describe(calibrator: Calibrator) -> str:
    """Return an imperative phrase, without a full stop."""
    fitted = calibrator.map
    if isinstance(fitted, FittedIsotonic):
        steps = counted(fitted.n_parameters, "step")
        return f"Replace the probabilities by increasing functions of them ({steps})"
    if isinstance(fitted, FittedConfidenceCurve):
        steps = counted(len(fitted.knots[0]) // 2, "step")
        curve = f"orrect the probability of the predicted class by an increasing curve ({steps})"
        first = describe(replace(calibrator, map=fitted.first))
        return f"C{curve}" if _is_identity(fitted.first) else f"{first}, then c{curve}"
    if not isinstance(fitted, LogLinear):
        return f"Apply {calibrator.name}"
    if _is_identity(fitted):
        return "Leave the probabilities as they are"
    if fitted.slopes.ndim == 2:
        return "Mix the logits of all classes by a matrix, and shift them"
    slopes = np.broadcast_to(fitted.slopes, fitted.n_classes)
    common = float(slopes[0]) if (slopes == slopes[0]).all() else None
    if common is not None and not fitted.intercepts.any():
        return f"Divide the logits by {number(1.0 / common)}" if common else ""
    return _shifted(calibrator, fitted.intercepts - fitted.intercepts.mean(), common)


def _is_identity(fitted: FittedMap) -> bool:
    return (
        isinstance(fitted, LogLinear)
        and fitted.slopes.ndim < 2
        and bool((fitted.slopes == 1.0).all())
        and not fitted.intercepts.any()
    )


def _shifted(calibrator: Calibrator, shifts: FloatArray, common: float | None) -> str:
    largest = int(np.argmax(np.abs(shifts)))
    how = f"{calibrator.classes[largest]} most of all, by {number(float(shifts[largest]), 2)}"
    if common == 1.0:
        return f"Shift the logits of the classes, {how}"
    if common is not None and len(shifts) == 2:
        name, shift = calibrator.classes[1], number(float(shifts[1] - shifts[0]))
        return f"Multiply the logit of {name} by {number(common)} and add {shift}"
    return f"Scale and shift the logit of every class, {how}"
