"""The calibration slope: how the true log-odds grow with the predicted ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from calibrant._output import number
from calibrant._predictions import Predictions
from calibrant.effects._interval import Effect, Interval, check_confidence_level
from calibrant.effects._robust import Spread
from calibrant.effects._row_sums import RowsInMemory, RowSums
from calibrant.effects._rows import rows_that_weigh
from calibrant.effects._slope_fit import SlopeFit, SlopeProblem

SLOPE_MEANING = (
    "slope of the label's log-odds in the predicted ones: 1 for a calibrated model, below 1 "
    "if predictions are too extreme, above 1 if they are not extreme enough"
)
_ONE_CLASS = "only one class occurs: there is no slope"
_CONSTANT = "the predictions do not vary enough to tell a slope from an intercept"
_SEPARATED = "the predictions separate the labels perfectly: no finite slope fits best"


def slope(predictions: Predictions, confidence_level: float = 0.95) -> Effect:
    r"""Return the slope of a logistic regression of the label on the predicted log-odds.

    1 means that differences in log-odds are as large as predicted. Below 1 the predictions are too
    extreme (over-confident), above 1 not extreme enough, and below 0 they point the wrong way.
    Unlike `temperature`, it ignores shifts of the classes, which have separate intercepts. Cost:
    one or two passes of O(n·m²) and about ten of O(n·m); memory of m² numbers and a fixed block.

    Parameters
    ----------
    predictions : Predictions
        Labels and probabilities.
    confidence_level : float, default 0.95
        Coverage of the interval.

    Returns
    -------
    Effect
        `details` contains the intercepts given the slope: with two classes, one with its interval
        (``intercept``); with more, those of all classes that occur, the first fixed at 0
        (``intercepts``). ``model_interval`` is the slope's interval if the regression is right.

    Notes
    -----
    With two classes :math:`logit\, P(Y=1) = a + b\, logit\, p`; with more, a multinomial
    regression with one common slope, :math:`P(Y=c) \propto \exp(a_c + b \log p_c)`. Classes that
    do not occur are left out, which is the limit of maximum likelihood. Probabilities have the same
    floor as in `temperature`. The interval uses the sandwich variance, with Student's t for few
    rows, and is at least as wide as that of the likelihood.

    References
    ----------
    Cox, "Two further applications of a model for binary regression", Biometrika 1958.
    Van Calster et al., "Calibration: the Achilles heel of predictive analytics", BMC Medicine
    2019.

    Examples
    --------
    >>> from calibrant import Predictions
    >>> from calibrant.effects import slope
    >>> from calibrant.models import TemperatureModel
    >>> y_true, y_prob = TemperatureModel(0.5, 2, temperature=2.0).sample(2000, rng=0)
    >>> effect = slope(Predictions(y_true, y_prob))
    >>> f"{effect.estimate:.2f} [{effect.interval.low:.2f}, {effect.interval.high:.2f}]"
    '0.49 [0.44, 0.55]'

    The predictions are too extreme: their log-odds are about twice as large as they should be.
    """
    check_confidence_level(confidence_level)
    return slope_effect(RowsInMemory(rows_that_weigh(predictions)), confidence_level)


def slope_effect(source: RowSums, confidence_level: float = 0.95) -> Effect:
    """Return the `slope` effect from sums over rows."""
    problem = SlopeProblem.of(source)
    if len(problem.seen) < 2:
        return _unknown(math.nan, _ONE_CLASS, confidence_level)
    fit = problem.fit()
    if fit.is_separated:
        return _unknown(math.copysign(math.inf, fit.slope), _SEPARATED, confidence_level)
    if not fit.is_known:
        return _unknown(math.nan, _CONSTANT, confidence_level)
    spread = problem.spread(fit, 0)
    model = Spread(source.n_rows, 0.0, 0.0, spread.model).half_width(confidence_level)
    details = {
        "model_interval": [fit.slope - model, fit.slope + model],
        **_intercepts(problem, fit, confidence_level),
    }
    return Effect(
        "slope",
        fit.slope,
        spread.interval(fit.slope, confidence_level),
        SLOPE_MEANING,
        spread.error,
        "" if len(problem.seen) == source.n_classes else _left_out(problem),
        details,
    )


def describe_slope(effect: Effect) -> str:
    """Describe a slope for readers without statistics."""
    if not effect.interval.is_known or 1.0 in effect.interval:
        return "The interval contains 1: differences of log-odds are as large as predicted."
    text = number(effect.estimate)
    if effect.estimate < 0.0:
        return f"The predictions point the wrong way: slope {text} in place of 1."
    how = "too extreme" if effect.estimate < 1.0 else "not extreme enough"
    return f"The predictions are {how}: log-odds should be {text} times as large."


def _intercepts(problem: SlopeProblem, fit: SlopeFit, confidence_level: float) -> dict[str, Any]:
    if len(fit.parameters) == 2 and problem.source.n_classes == 2:
        value = float(fit.parameters[1])
        interval = problem.spread(fit, 1).interval(value, confidence_level)
        return {"intercept": {"estimate": value, "low": interval.low, "high": interval.high}}
    names = [problem.source.classes[c] for c in problem.seen.tolist()]
    values = np.concatenate([[0.0], fit.parameters[1:]]).tolist()
    table = [{"class": name, "estimate": value} for name, value in zip(names, values, strict=True)]
    return {"intercepts": table}


def _left_out(problem: SlopeProblem) -> str:
    missing = problem.source.n_classes - len(problem.seen)
    return f"{missing} of {problem.source.n_classes} classes do not occur and are left out"


def _unknown(estimate: float, note: str, confidence_level: float) -> Effect:
    interval = Interval.unknown(confidence_level)
    return Effect("slope", estimate, interval, SLOPE_MEANING, note=note)
