"""The ratio of observed to expected events."""

from __future__ import annotations

import math

import numpy as np

from calibrant._output import number
from calibrant._predictions import Predictions, event_name
from calibrant.effects._interval import Effect, Interval, check_confidence_level, normal_quantile
from calibrant.effects._rows import clustered_size, rows_that_weigh

OBSERVED_EXPECTED_MEANING = (
    "observed over expected events of {event}: 1 for a calibrated model, above 1 if it is "
    "predicted too rarely"
)


def observed_expected(predictions: Predictions, confidence_level: float = 0.95) -> Effect:
    r"""Return the ratio O/E of the event's frequency to its mean prediction.

    At least 0; 1 means that overall the event is predicted as often as it occurs, a larger value
    that it is predicted too rarely. The event is that of `Predictions.event`. Cost O(n·m).

    Parameters
    ----------
    predictions : Predictions
        Labels and probabilities.
    confidence_level : float, default 0.95
        Coverage of the interval.

    Returns
    -------
    Effect

    Notes
    -----
    The interval is :math:`\log(O/E) \pm z\sqrt{(1 - \bar y)/(n \bar y)}`, where n is Kish's
    effective number of rows or, with clusters, the equivalent number of independent rows. It is
    unknown if no event was observed or expected.

    Examples
    --------
    >>> from calibrant import Predictions
    >>> from calibrant.effects import observed_expected
    >>> effect = observed_expected(Predictions([1] * 60 + [0] * 40, [0.4] * 100))
    >>> f"{effect.estimate:.2f} [{effect.interval.low:.2f}, {effect.interval.high:.2f}]"
    '1.50 [1.28, 1.76]'

    The positive class occurs 1.5 times as often as predicted.
    """
    check_confidence_level(confidence_level)
    rows = rows_that_weigh(predictions)
    event = rows.event()
    name = event_name(rows.classes, ranked=rows.ranked)
    expected, observed = (
        float(np.average(values, weights=event.sample_weight))
        for values in (event.distributions[:, 1], event.y_true)
    )
    parts = event.weights / event.weights.sum() * (event.y_true - observed)
    n = clustered_size(event, observed, parts)
    return ratio_effect(expected, observed, n, name, confidence_level)


def ratio_effect(
    expected: float, observed: float, n: float, event: str, confidence_level: float
) -> Effect:
    """Return the effect from mean prediction and frequency with n effective rows."""
    meaning = OBSERVED_EXPECTED_MEANING.format(event=event)
    details = {"event": event, "predicted": expected, "occurred": observed}
    if not (expected > 0.0 and observed > 0.0):
        ratio = observed / expected if expected > 0.0 else math.inf if observed > 0.0 else math.nan
        note = "without events, observed or expected, the ratio has no interval"
        unknown = Interval.unknown(confidence_level)
        return Effect("observed_expected", ratio, unknown, meaning, note=note, details=details)
    error = math.sqrt(max(1.0 - observed, 0.0) / (n * observed))
    reach = math.exp(normal_quantile(confidence_level) * error)
    ratio = observed / expected
    interval = Interval(ratio / reach, ratio * reach, confidence_level).holding(ratio)
    return Effect("observed_expected", ratio, interval, meaning, ratio * error, details=details)


def describe_observed_expected(effect: Effect) -> str:
    """Describe how many events occur for each expected one."""
    return f"For each event that was predicted, {number(effect.estimate)} occur."
