"""The calibration loss: how much of the log loss a repair would take away."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from calibrant._native import FloatArray
from calibrant._output import estimate_text
from calibrant._predictions import Predictions, label_probabilities
from calibrant.effects._interval import Effect, Interval, check_confidence_level
from calibrant.effects._repair_gain import RepairGain
from calibrant.effects._robust import Spread
from calibrant.effects._rows import counted, effective_size

CALIBRATION_LOSS_MEANING = (
    "log loss that a recalibration map would save on new rows, in nats: 0 or less, none would help"
)
#: fewer rows cannot be fitted and judged in turn
_FEWEST_ROWS = 10


def calibration_loss(predictions: Predictions, confidence_level: float = 0.95) -> Effect:
    r"""Return how much a cross-fitted repair lowers the log loss, in nats.

    Any number: negative values are reported as they are, and mean that a repair learned from so
    few rows does harm. What is left of the log loss is refinement, which only another model could
    lower. Deterministic. Cost: a few passes of O(n·m²), about 0.2 s for 10 000 rows of ten
    classes.

    Parameters
    ----------
    predictions : Predictions
    confidence_level : float, default 0.95

    Returns
    -------
    Effect
        `details` has the gain of a temperature alone (``temperature``), the gain in Brier score
        (``brier``), each with its interval, the ``refinement`` that is left of the log loss, and
        the maps that were chosen, with their number of folds.

    Notes
    -----
    With folds k(i) and maps :math:`\hat M_{-k}` fitted to the other folds, the mean of

    .. math:: d_i = -\log p_i(y_i) + \log \hat M_{-k(i)}(p_i)(y_i),

    probabilities being at least 1e-12. The map is a temperature, or a slope and an intercept for
    each class (penalized, up to 50 classes): whichever has the smaller Akaike criterion on the
    rows that it was fitted to, so that no row takes part in choosing its own map. There are 10
    folds, 5 above 20 000 rows, and above 50 000 rows two halves whose maps are fitted to 25 000
    rows each. The estimate is for maps that are fitted to as many rows, not for the best map
    there is.

    The interval is that of the mean d, with Student's t for few rows. Where there is nothing to
    gain all d vanish together and their spread says nothing, so the variance is at least that of
    a calibrated model, :math:`k/(2 n^2)` for k parameters.

    Examples
    --------
    >>> from calibrant import Predictions
    >>> from calibrant.effects import calibration_loss
    >>> from calibrant.models import TemperatureModel
    >>> y_true, y_prob = TemperatureModel(0.5, 4, temperature=2.0).sample(2000, rng=0)
    >>> effect = calibration_loss(Predictions(y_true, y_prob))
    >>> f"{effect.estimate:.3f} [{effect.interval.low:.3f}, {effect.interval.high:.3f}]"
    '0.138 [0.110, 0.166]'
    >>> effect.details["maps"]
    {'temperature': 10}

    A repair would lower the log loss by 0.14; a temperature is all it needs.
    """
    check_confidence_level(confidence_level)
    rows = counted(predictions)
    return calibration_loss_effect(rows, gain_of(rows), confidence_level)


def gain_of(rows: Predictions) -> RepairGain | None:
    """Return what a repair gains in every row; None where rows are too few."""
    return RepairGain.of(rows) if len(rows) >= _FEWEST_ROWS else None


def calibration_loss_effect(
    rows: Predictions, gain: RepairGain | None, confidence_level: float
) -> Effect:
    """Return the effect from what every row gains."""
    if gain is None:
        note = f"a repair needs at least {_FEWEST_ROWS} rows that count; got {len(rows)}"
        return Effect(
            "calibration_loss",
            math.nan,
            Interval.unknown(confidence_level),
            CALIBRATION_LOSS_MEANING,
            note=note,
        )
    floor = 0.5 / effective_size(rows) ** 2
    least = gain.n_parameters * floor
    estimate, interval, error = _mean(gain.chosen[0], rows, least, confidence_level)
    # the Brier score gains in its own unit
    unit = float(np.mean(gain.chosen[1] ** 2) / max(np.mean(gain.chosen[0] ** 2), 1e-300))
    brier = _mean(gain.chosen[1], rows, least * unit, confidence_level)
    temperature = _mean(gain.temperature[0], rows, floor, confidence_level)
    floored = int(np.count_nonzero(label_probabilities(rows) == 0.0))
    note = f"{floored} labels of probability 0 count as 1e-12" if floored else ""
    details = {
        "temperature": _plain(temperature),
        "brier": _plain(brier),
        "refinement": _loss(rows) - estimate,
        "maps": {name: gain.maps.count(name) for name in dict.fromkeys(gain.maps)},
    }
    return Effect(
        "calibration_loss", estimate, interval, CALIBRATION_LOSS_MEANING, error, note, details
    )


def describe_calibration_loss(effect: Effect) -> str:
    """Say what a repair would gain, to a reader without statistics."""
    low, high = effect.interval.low, effect.interval.high
    text = estimate_text(effect.estimate, low, high)
    if low > 0.0:
        return f"A repair would lower the log loss by {text}."
    if high < 0.0:
        return f"A repair learned from so few rows would raise the log loss: {text}."
    return f"No repair is shown to help: it would change the log loss by {text}."


def _mean(
    values: FloatArray, rows: Predictions, floor: float, confidence_level: float
) -> tuple[float, Interval, float]:
    share = rows.weights / rows.weights.sum()
    mean = float(share @ values)
    spread = Spread.of(share * (values - mean), floor)
    half = spread.half_width(confidence_level)
    return mean, Interval(mean - half, mean + half, confidence_level), spread.error


def _loss(rows: Predictions) -> float:
    share = label_probabilities(rows) / rows.y_prob.sum(axis=1)
    losses = -np.log(np.clip(share, 1e-12, 1.0))
    return float(np.average(losses, weights=rows.sample_weight))


def _plain(mean: tuple[float, Interval, float]) -> dict[str, Any]:
    estimate, interval, _ = mean
    return {"estimate": estimate, "low": interval.low, "high": interval.high}
