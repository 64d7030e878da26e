"""The bias: how much more often a class is predicted than it occurs."""

from __future__ import annotations

import math

import numpy as np

from calibrant._native import FloatArray
from calibrant._output import number
from calibrant._predictions import PREDICTED, Predictions, event_name, name_text, row_blocks
from calibrant.effects._headline import ClassIntervals, each_level
from calibrant.effects._interval import Effect, Interval, check_confidence_level, normal_quantile
from calibrant.effects._observed_expected import observed_expected
from calibrant.effects._rows import counted

BIAS_MEANING = (
    "mean predicted probability minus frequency (with more than two classes, of the class furthest "
    "off): 0 for a calibrated model, below 0 where it is predicted too rarely"
)


def bias(predictions: Predictions, confidence_level: float = 0.95) -> Effect:
    r"""Return the mean predicted probability minus the frequency (calibration in the large).

    In [−1, 1]; 0 means that on the whole the class is predicted as often as it occurs, a negative
    number that it is predicted too rarely. With two classes it is that of the last one; with more
    that of the class furthest from 0 among those whose intervals are clear of it. Cost O(n·m).

    Parameters
    ----------
    predictions : Predictions
    confidence_level : float, default 0.95
        With which the intervals of all classes hold together.

    Returns
    -------
    Effect
        `details` has the class that the estimate is of (``class``), its mean prediction and
        frequency, and every class with its interval (``classes``). With two classes also the
        observed/expected ratio (``observed_expected``) with its interval.

    Notes
    -----
    .. math:: b_c = \frac{\sum_i w_i (p_{ic} - 1[y_i = c])}{\sum_i w_i}

    with the standard error of a weighted mean, but at least the one of a calibrated model,
    :math:`\sqrt{\sum w_i^2 p_{ic}(1 - p_{ic})}/\sum w_i`: a class that did not occur in the
    sample would otherwise seem to be known exactly. With m > 2 classes each interval has
    confidence 1 − (1 − confidence_level)/m (Bonferroni). The ratio O/E of frequency and mean
    prediction has the interval :math:`\log(O/E) \pm z\sqrt{(1 - \bar y)/(n \bar y)}`, n being
    Kish's effective number of rows. With clusters the errors are those of the sums of clusters,
    with Student's t.

    Examples
    --------
    >>> from calibrant import Predictions
    >>> from calibrant.effects import bias
    >>> effect = bias(Predictions([1] * 60 + [0] * 40, [0.4] * 100))
    >>> f"{effect.estimate:.2f} [{effect.interval.low:.2f}, {effect.interval.high:.2f}]"
    '-0.20 [-0.30, -0.10]'
    >>> f"{effect.details['observed_expected']['estimate']:.2f}"
    '1.50'

    The positive class occurs half as often again as predicted.
    """
    check_confidence_level(confidence_level)
    rows = counted(predictions)
    two = rows.n_classes == 2
    mean, frequency, error = _moments(rows)
    level = confidence_level if two else each_level(confidence_level, rows.n_classes)
    half = _quantile(rows, level) * error
    # no frequency is below 0 or above 1
    low, high = np.maximum(mean - frequency - half, mean - 1.0), mean - frequency + half
    every = ClassIntervals(rows.classes, mean - frequency, low, np.minimum(high, mean))
    c = 1 if two else every.headline()
    known = bool(error[c] > 0.0)
    details = {
        "event": _event(rows),
        "class": rows.classes[c],
        "predicted": float(mean[c]),
        "occurred": float(frequency[c]),
        "classes": every.to_list(),
    }
    if two:
        ratio = observed_expected(rows, confidence_level)
        ends = {"low": ratio.interval.low, "high": ratio.interval.high}
        details["observed_expected"] = {"estimate": ratio.estimate, **ends}
    else:
        details["remark"] = f"class {name_text(rows.classes[c])}"
    interval = Interval(every.low[c], every.high[c], confidence_level).holding(every.estimate[c])
    return Effect(
        "bias",
        every.estimate[c],
        interval if known else Interval.unknown(confidence_level),
        BIAS_MEANING,
        error[c] if known else math.nan,
        "" if known else "every prediction is certain and right: there is no variation",
        details,
    )


def describe_bias(effect: Effect) -> str:
    """Say how often a class is predicted and how often it occurs."""
    details = effect.details
    predicted, occurred = number(details["predicted"]), number(details["occurred"])
    name = "The predicted label" if details["event"] == PREDICTED else f"Class {details['class']}"
    text = f"{name} is predicted at {predicted} on average and occurs at "
    if not effect.interval.is_known or 0.0 in effect.interval:
        return f"{text}{occurred}: no difference is shown."
    often = "rarely" if effect.estimate < 0.0 else "often"
    return f"{text}{occurred}: predicted too {often}."


def _event(rows: Predictions) -> str:
    if rows.n_classes == 2:
        return event_name(rows.classes, ranked=rows.ranked)
    return "the class furthest off"


def _moments(rows: Predictions) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return mean prediction, frequency and standard error of their difference, by class."""
    n, m = rows.y_prob.shape
    share = rows.weights / rows.weights.sum()
    mean, noise, squares = np.zeros(m), np.zeros(m), np.zeros(m)
    frequency: FloatArray = np.bincount(rows.y_true, share, m).astype(np.float64)
    for some in row_blocks(n):
        p, w = rows.take(some).distributions, share[some]
        mean += w @ p
        noise += w**2 @ (p * (1.0 - p))
    index = rows.cluster_index
    count = n if index is None else int(index.max()) + 1
    sums = np.zeros((0 if index is None else count, m))
    for some in row_blocks(n):
        away = rows.take(some).distributions - (mean - frequency)
        away[np.arange(len(away)), rows.y_true[some]] -= 1.0
        if index is None:
            squares += share[some] ** 2 @ away**2
        else:
            np.add.at(sums, index[some], share[some, None] * away)
    if index is not None:
        squares = np.sum(sums**2, axis=0)
    spread = count / (count - 1) * squares if count > 1 else squares
    return mean, frequency, np.asarray(np.sqrt(np.maximum(spread, noise)))


def _quantile(rows: Predictions, level: float) -> float:
    """Return the normal quantile, or with clusters Student's for their number."""
    if rows.clusters is None:
        return normal_quantile(level)
    from scipy.special import stdtrit

    return float(stdtrit(max(rows.n_clusters - 1, 1), 0.5 + 0.5 * level))
