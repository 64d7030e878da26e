"""The calibration intercept: how much the log-odds of a class are too low overall."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from calibrant._native import FloatArray
from calibrant._output import number
from calibrant._predictions import PREDICTED, Predictions, event_name, name_text
from calibrant.effects._headline import ClassIntervals, each_level
from calibrant.effects._interval import Effect, Interval, check_confidence_level, normal_quantile
from calibrant.effects._robust import Spread
from calibrant.effects._row_sums import RowsInMemory, RowSums
from calibrant.effects._rows import rows_that_weigh
from calibrant.effects._shift_fit import ShiftProblem

INTERCEPT_MEANING = (
    "shift of the log-odds that would fit best (with more than two classes, of the worst "
    "class): 0 for a calibrated model, positive if the class is predicted too rarely"
)


def intercept(predictions: Predictions, confidence_level: float = 0.95) -> Effect:
    r"""Return the shift of the log-odds that matches a class's mean prediction to its frequency.

    0 means that no shift is needed; 0.7 that the odds should be twice as large. With two classes,
    it is the intercept of the positive class (calibration in the large). With more, each class is
    compared with all others, as in ``one_vs_rest``, and the estimate is for the class furthest from
    0 among those whose intervals exclude 0. Cost: about eight passes of O(n·m); memory of a fixed
    block.

    Parameters
    ----------
    predictions : Predictions
        Labels and probabilities.
    confidence_level : float, default 0.95
        Joint confidence of the intervals of all classes.

    Returns
    -------
    Effect
        `details` contains the class of the estimate (``class``) and every class with its interval
        (``classes``); with two classes also ``model_interval``, valid if a shift is the only error.
        The intercept given the slope is among the details of `slope`.

    Notes
    -----
    :math:`logit\, P(Y = c) = a_c + logit\, p_c` with the slope fixed at 1, so that
    :math:`\sum_i w_i (1[y_i = c] - P(Y_i = c)) = 0`. Probabilities have the same floor as in
    `temperature`. Intervals use the sandwich variance, with Student's t for few rows, and are at
    least as wide as those of the likelihood; with m > 2 classes each has confidence 1 − (1 −
    confidence_level)/m (Bonferroni). A class that never occurs has intercept −∞, and its interval
    ends where z² labels would be expected.

    Examples
    --------
    >>> from calibrant import Predictions
    >>> from calibrant.effects import intercept
    >>> effect = intercept(Predictions([1] * 60 + [0] * 40, [0.5] * 100))
    >>> f"{effect.estimate:.3f} [{effect.interval.low:.3f}, {effect.interval.high:.3f}]"
    '0.405 [0.003, 0.808]'

    Odds of 60 to 40 are e^0.405 = 1.5 times those predicted.
    """
    check_confidence_level(confidence_level)
    return intercept_effect(RowsInMemory(rows_that_weigh(predictions)), confidence_level)


def intercept_effect(source: RowSums, confidence_level: float = 0.95) -> Effect:
    """Return the `intercept` effect from sums over rows."""
    two = source.n_classes == 2
    confidence = confidence_level if two else each_level(confidence_level, source.n_classes)
    problem = ShiftProblem.of(source, np.array([1]) if two else np.arange(source.n_classes))
    shift = problem.fit()
    spreads = problem.spreads(shift)
    every = _intervals(problem, shift, spreads, confidence)
    c = every.headline()
    details = {
        "event": event_name(source.classes, ranked=source.ranked) if two else "the worst class",
        "class": every.classes[c],
        "classes": every.to_list(),
    }
    if two:
        half = normal_quantile(confidence) * math.sqrt(spreads[0].model)
        details["model_interval"] = [every.estimate[0] - half, every.estimate[0] + half]
    else:
        details["remark"] = f"class {name_text(every.classes[c])}"
    infinite = not math.isfinite(every.estimate[c])
    return Effect(
        "intercept",
        every.estimate[c],
        Interval(every.low[c], every.high[c], confidence_level),
        INTERCEPT_MEANING,
        math.nan if infinite else spreads[c].error,
        "all labels are of one class: no finite shift fits best" if infinite else "",
        details,
    )


def describe_intercept(effect: Effect) -> str:
    """Describe an intercept for readers without statistics."""
    if not effect.interval.is_known or 0.0 in effect.interval:
        return "The interval contains 0: no shift of the odds is shown."
    details = effect.details
    name = PREDICTED if details["event"] == PREDICTED else f"class {details['class']}"
    factor = number(math.exp(effect.estimate))
    often = "rarely" if effect.estimate > 0.0 else "often"
    return f"The odds of {name} should be {factor} times as large: it is predicted too {often}."


def _intervals(
    problem: ShiftProblem, shift: FloatArray, spreads: list[Spread], confidence: float
) -> ClassIntervals:
    """Return the intervals of all classes, open where the best shift is infinite."""
    half = np.nan_to_num([one.half_width(confidence) for one in spreads], nan=math.inf)
    center = np.where(np.isfinite(shift), shift, 0.0)
    half = np.where(np.isfinite(shift), half, math.inf)
    low, high = center - half, center + half
    z2 = normal_quantile(confidence) ** 2
    for k in np.flatnonzero(shift == -math.inf).tolist():
        high[k] = problem.open_end(k, z2)
    for k in np.flatnonzero(shift == math.inf).tolist():
        rest = replace(problem, columns=problem.columns[k : k + 1], against=True)
        low[k] = -rest.open_end(0, z2)
    names = [problem.source.classes[c] for c in problem.columns.tolist()]
    return ClassIntervals(names, shift, low, high)
