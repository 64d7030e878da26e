"""The bias: predicted minus observed frequency of a class."""

from __future__ import annotations

import math

import numpy as np

from calibrant._native import FloatArray, IntArray
from calibrant._output import number
from calibrant._predictions import PREDICTED, Predictions, event_name, name_text, row_blocks
from calibrant.effects._headline import ClassIntervals, each_level
from calibrant.effects._interval import Effect, Interval, check_confidence_level, normal_quantile
from calibrant.effects._observed_expected import observed_expected, ratio_effect
from calibrant.effects._row_sums import RowsInMemory, RowSums
from calibrant.effects._rows import rows_that_weigh

BIAS_MEANING = (
    "mean predicted probability minus frequency (with more than two classes, of the worst "
    "class): 0 for a calibrated model, negative if the class is predicted too rarely"
)
#: relative rounding error of a sum of squares that cancels
_ROUNDING = 1e-14


def bias(predictions: Predictions, confidence_level: float = 0.95) -> Effect:
    r"""Return the mean predicted probability minus the frequency (calibration in the large).

    In [−1, 1]; 0 means that overall the class is predicted as often as it occurs; negative values
    mean that it is predicted too rarely. With two classes, it is the bias of the positive class.
    With more, it is the bias of the class furthest from 0 among those whose intervals exclude 0, or
    the closest to that if there is none. Cost O(n·m).

    Parameters
    ----------
    predictions : Predictions
        Labels and probabilities.
    confidence_level : float, default 0.95
        Joint confidence of the intervals of all classes.

    Returns
    -------
    Effect
        `details` contains the class of the estimate (``class``), its mean prediction and
        frequency, and every class with its interval (``classes``). With two classes also the
        observed/expected ratio (``observed_expected``) with its interval.

    Notes
    -----
    .. math:: b_c = \frac{\sum_i w_i (p_{ic} - 1[y_i = c])}{\sum_i w_i}

    with the standard error of a weighted mean, but at least that of a calibrated model,
    :math:`\sqrt{\sum w_i^2 p_{ic}(1 - p_{ic})}/\sum w_i`. Otherwise the error would be 0 for a
    class that did not occur in the sample. With m > 2 classes each interval has confidence 1 − (1 −
    confidence_level)/m (Bonferroni). The ratio O/E of frequency and mean prediction has the
    interval :math:`\log(O/E) \pm z\sqrt{(1 - \bar y)/(n \bar y)}`, where n is Kish's effective
    number of rows. With clusters, the errors are those of cluster sums, with Student's t.

    Examples
    --------
    >>> from calibrant import Predictions
    >>> from calibrant.effects import bias
    >>> effect = bias(Predictions([1] * 60 + [0] * 40, [0.4] * 100))
    >>> f"{effect.estimate:.2f} [{effect.interval.low:.2f}, {effect.interval.high:.2f}]"
    '-0.20 [-0.30, -0.10]'
    >>> f"{effect.details['observed_expected']['estimate']:.2f}"
    '1.50'

    The positive class occurs 1.5 times as often as predicted.
    """
    check_confidence_level(confidence_level)
    return bias_effect(RowsInMemory(rows_that_weigh(predictions)), confidence_level)


def bias_effect(source: RowSums, confidence_level: float = 0.95) -> Effect:
    """Return the `bias` effect from sums over rows."""
    two = source.n_classes == 2
    mean, frequency, error = _moments(source)
    confidence = confidence_level if two else each_level(confidence_level, source.n_classes)
    half = _quantile(source.cluster_index, confidence) * error
    # no frequency is below 0 or above 1
    low, high = np.maximum(mean - frequency - half, mean - 1.0), mean - frequency + half
    every = ClassIntervals(source.classes, mean - frequency, low, np.minimum(high, mean))
    c = 1 if two else every.headline()
    known = bool(error[c] > 0.0)
    details = {
        "event": _event(source),
        "class": source.classes[c],
        "predicted": float(mean[c]),
        "occurred": float(frequency[c]),
        "classes": every.to_list(),
    }
    if two:
        if isinstance(source, RowsInMemory):
            ratio = observed_expected(source.rows, confidence_level)
        else:
            n, event = source.weight * source.scale, str(details["event"])
            ratio = ratio_effect(float(mean[1]), float(frequency[1]), n, event, confidence_level)
        ends = {"low": ratio.interval.low, "high": ratio.interval.high}
        details["observed_expected"] = {"estimate": ratio.estimate, **ends}
    else:
        details["remark"] = f"class {name_text(source.classes[c])}"
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
    """Describe how often a class is predicted and how often it occurs."""
    details = effect.details
    predicted, occurred = number(details["predicted"]), number(details["occurred"])
    name = "The predicted label" if details["event"] == PREDICTED else f"Class {details['class']}"
    text = f"{name} is predicted at {predicted} on average and occurs at "
    if not effect.interval.is_known or 0.0 in effect.interval:
        return f"{text}{occurred}: no difference is shown."
    often = "rarely" if effect.estimate < 0.0 else "often"
    return f"{text}{occurred}: predicted too {often}."


def _event(source: RowSums) -> str:
    if source.n_classes == 2:
        return event_name(source.classes, ranked=source.ranked)
    return "the worst class"


def _moments(source: RowSums) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return, by class, mean prediction, frequency and the standard error of their difference."""
    n, scale = source.n_rows, 1.0 / source.weight
    mean, frequency, noise, first, second, total = source.add(_bias_sums, scale)
    away = mean - frequency
    # Σ share²(d − b)² of the differences d, without the rounding error of equal ones
    squares = second - 2.0 * away * first + away**2 * total
    squares[squares <= _ROUNDING * second] = 0.0
    index = source.cluster_index
    if index is not None:
        n = int(index.max()) + 1
        sums = np.zeros((n, len(mean)))
        np.add.at(sums, index, source.gather(_deviations, scale, away))
        squares = np.sum(sums**2, axis=0)
    if source.soft:
        noise = np.zeros_like(noise)
    spread = n / (n - 1) * squares if n > 1 else squares
    return mean, frequency, np.asarray(np.sqrt(np.maximum(spread, noise)))


def _bias_sums(rows: Predictions, scale: float) -> FloatArray:
    """Return sums over rows, by class, of weights times `scale`, shape (6, m).

    Σwp, Σw1[y = c], Σw²p(1 − p), and Σw²d, Σw²d², Σw² of d = p − 1[y = c].
    """
    n, m = rows.y_prob.shape
    sums = np.zeros((6, m))
    for some in row_blocks(n, m):
        part = rows.take(some)
        p, w = part.distributions, scale * part.weights
        square, labels = w**2, part.y_true
        sums[0] += w @ p
        sums[1] += np.bincount(labels, w, m)
        sums[2] += square @ (p * (1.0 - p))
        away = p.copy()
        away[np.arange(len(away)), labels] -= 1.0
        sums[3] += square @ away
        sums[4] += square @ away**2
        sums[5] += square.sum()
    return sums


def _deviations(rows: Predictions, scale: float, away: FloatArray) -> FloatArray:
    """Return each row's contribution to p − 1[y = c] minus its mean, shape (n, m)."""
    found = rows.distributions - away
    found[np.arange(len(found)), rows.y_true] -= 1.0
    return np.asarray(scale * rows.weights[:, None] * found)


def _quantile(index: IntArray | None, confidence: float) -> float:
    """Return the normal quantile, or with clusters Student's t quantile for their number."""
    if index is None:
        return normal_quantile(confidence)
    from scipy.special import stdtrit

    return float(stdtrit(max(int(index.max()), 1), 0.5 + 0.5 * confidence))
