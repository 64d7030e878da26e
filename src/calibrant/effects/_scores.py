"""Well-known scores: accuracy, Brier score and log loss, with intervals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from calibrant._native import FloatArray
from calibrant._output import number
from calibrant._predictions import (
    Predictions,
    brier_scores,
    hits,
    label_probabilities,
    log_losses,
    squared_norms,
)
from calibrant.binning import bin_sums
from calibrant.effects._event_bins import EventBins
from calibrant.effects._interval import Effect, Interval, check_confidence_level, normal_quantile
from calibrant.effects._robust import Spread
from calibrant.effects._rows import clustered_size, effective_size, rows_that_weigh
from calibrant.estimators import ranked_scores

ACCURACY_MEANING = "share of rows whose most probable class occurred: 1 is best"
BRIER_MEANING = "mean squared distance of prediction and outcome, from 0 (best) to 2"
RPS_MEANING = "ranked probability score, for classes in their order: 0 is best"
LOG_LOSS_MEANING = "mean of −log of the probability of the label, in nats: 0 is best"


def accuracy(predictions: Predictions, confidence_level: float = 0.95) -> Effect:
    """Return the share of rows whose most probable class occurred, with Wilson's interval.

    In [0, 1]. Ties between equally probable classes go to the first. After the lenses `top_label`
    and `top_k` it is the accuracy of the original predictions. With weights, the interval uses
    Kish's effective number of rows; with clusters, the equivalent number of independent rows. Cost
    O(n·m).

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
    The ends are (p + z²/2n ± z√(p(1−p)/n + z²/4n²))/(1 + z²/n), which are in [0, 1] even if no row
    or every row is a hit.

    Examples
    --------
    >>> from calibrant import Predictions
    >>> from calibrant.effects import accuracy
    >>> effect = accuracy(Predictions([1, 1, 0, 1], [0.9, 0.8, 0.2, 0.7]))
    >>> effect.estimate, round(effect.interval.low, 2)
    (1.0, 0.51)

    Four hits in four rows are consistent with an accuracy of one half.
    """
    check_confidence_level(confidence_level)
    rows = rows_that_weigh(predictions)
    right = hits(rows)
    share = float(np.average(right, weights=rows.sample_weight))
    if rows.clusters is None:
        return accuracy_effect(share, effective_size(rows), confidence_level)
    parts = rows.weights / rows.weights.sum() * (right - share)
    return accuracy_effect(share, clustered_size(rows, share, parts), confidence_level)


def accuracy_effect(share: float, n: float, confidence_level: float = 0.95) -> Effect:
    """Return a share of hits with Wilson's interval for n effective rows."""
    z2 = normal_quantile(confidence_level) ** 2
    center = (share + 0.5 * z2 / n) / (1.0 + z2 / n)
    half = math.sqrt(z2 * share * (1.0 - share) / n + 0.25 * (z2 / n) ** 2) / (1.0 + z2 / n)
    interval = Interval(center - half, center + half, confidence_level).clip(0.0, 1.0)
    error = math.sqrt(share * (1.0 - share) / n)
    return Effect("accuracy", share, interval, ACCURACY_MEANING, error)


def brier(predictions: Predictions, confidence_level: float = 0.95) -> Effect:
    r"""Return the multi-class Brier score with its calibration–refinement decomposition.

    In [0, 2]; 0 means certain and right in every row. With two classes it is twice the usual
    score of scikit-learn, which is in the details (``half``). Cost O(n·(m + log n)).

    Parameters
    ----------
    predictions : Predictions
        Labels and probabilities.
    confidence_level : float, default 0.95
        Coverage of the interval.

    Returns
    -------
    Effect
        `details` contains the five terms of the decomposition and the number of bins. Because of
        noise in the bins, the reliability is positive even for a calibrated model;
        ``reliability_debiased`` corrects for this noise, and may be negative.

    Notes
    -----
    The score is the mean of :math:`|e_{y_i} - p_i|^2`. Its interval is symmetric on the logarithmic
    scale, with Student's t if few rows dominate the spread. Over the bins of `rmsce`, with weights
    :math:`\pi_b`, mean predictions :math:`\bar p_b` and label frequencies :math:`\bar y_b`, the
    decomposition is exactly

    .. math:: BS = \underbrace{\sum_b \pi_b |\bar p_b - \bar y_b|^2}_{reliability}
        - \underbrace{\sum_b \pi_b |\bar y_b - \bar y|^2}_{resolution}
        + \underbrace{1 - |\bar y|^2}_{uncertainty}
        + \underbrace{\overline{|p_i - \bar p_b|^2}}_{within\ variance}
        - 2\,\underbrace{\overline{\langle p_i - \bar p_b, e_{y_i} - \bar y_b\rangle}}_{within\
        covariance}.

    References
    ----------
    Stephenson, Coelho and Jolliffe, "Two extra components in the Brier score decomposition",
    Weather and Forecasting 2008.

    Examples
    --------
    >>> from calibrant import Predictions
    >>> from calibrant.effects import brier
    >>> effect = brier(Predictions([0, 1, 1, 1], [0.5, 0.5, 1.0, 1.0]))
    >>> effect.estimate, effect.details["reliability"], effect.details["resolution"]
    (0.25, 0.0, 0.125)

    Miscalibration costs nothing, and the bins separate the labels.
    """
    check_confidence_level(confidence_level)
    rows = rows_that_weigh(predictions)
    mean, spread, note = _mean(brier_scores(rows), rows)
    details = {**_decomposition(rows), **brier_remark(mean, rows.n_classes)}
    interval = spread.positive_interval(mean, confidence_level).clip(0.0, 2.0)
    return Effect("brier", mean, interval, BRIER_MEANING, spread.error, note, details)


def brier_remark(score: float, n_classes: int) -> dict[str, Any]:
    """Return, as details, scikit-learn's two-class score, which counts only one of the classes."""
    if n_classes != 2:
        return {}
    return {"half": 0.5 * score, "remark": f"half of it, as scikit-learn: {number(0.5 * score)}"}


def log_loss(predictions: Predictions, confidence_level: float = 0.95) -> Effect:
    """Return the mean of −log p(y), in nats; infinite if a label had probability 0.

    0 means certain and right in every row. The interval is symmetric on the logarithmic scale, with
    Student's t if few rows dominate the spread. Cost O(n).

    Parameters
    ----------
    predictions : Predictions
        Labels and probabilities; rows are divided by their sums.
    confidence_level : float, default 0.95
        Coverage of the interval.

    Returns
    -------
    Effect
        `details` contains the number of labels with probability 0 and the mean over the other rows.

    Examples
    --------
    >>> from calibrant import Predictions
    >>> from calibrant.effects import log_loss
    >>> effect = log_loss(Predictions([1, 0, 0], [0.5, 0.5, 1.0]))
    >>> effect.estimate, effect.details["impossible"], round(effect.details["finite_mean"], 4)
    (inf, 1, 0.6931)

    One label was predicted to be impossible; the other two have a mean loss of one bit.
    """
    check_confidence_level(confidence_level)
    rows = rows_that_weigh(predictions)
    losses = log_losses(rows)
    possible = np.isfinite(losses)
    impossible = int(np.count_nonzero(~possible))
    meaning = LOG_LOSS_MEANING
    if impossible == len(rows):
        details = {"impossible": impossible, "finite_mean": math.nan}
        note = "every label had probability 0"
        unknown = Interval.unknown(confidence_level)
        return Effect("log_loss", math.inf, unknown, meaning, note=note, details=details)
    some = rows if impossible == 0 else rows.take(possible)
    mean, spread, note = _mean(losses[possible], some)
    details = {"impossible": impossible, "finite_mean": mean}
    interval, error = spread.positive_interval(mean, confidence_level), spread.error
    if impossible:
        mean = error = math.inf
        note = f"{impossible} of {len(rows)} labels had predicted probability 0"
        interval = Interval.unknown(confidence_level)
    return Effect("log_loss", mean, interval, meaning, error, note, details)


def rps(predictions: Predictions, confidence_level: float = 0.95) -> Effect:
    r"""Return the ranked probability score of ordered classes.

    In [0, n_classes − 1]; 0 means certain and right in every row. Distant errors cost more than
    near ones. The interval is symmetric on the logarithmic scale, with Student's t if few rows
    dominate the spread. Cost O(n·m).

    Parameters
    ----------
    predictions : Predictions
        Labels and probabilities, with the classes in increasing order.
    confidence_level : float, default 0.95
        Coverage of the interval.

    Returns
    -------
    Effect

    Notes
    -----
    The mean of :math:`\sum_{k < m} (P(Y \le k) - 1[y \le k])^2`, as in `calibrant.estimators.RPS`.

    Examples
    --------
    >>> from calibrant import Predictions
    >>> from calibrant.effects import rps
    >>> stars = Predictions([0, 2, 2], [[0.5, 0.5, 0.0]] * 3, ordered=True)
    >>> rps(stars).estimate
    0.916...

    Each label 2 costs 1.25, the label 0 only 0.25: distant errors cost more.
    """
    check_confidence_level(confidence_level)
    rows = rows_that_weigh(predictions)
    mean, spread, note = _mean(ranked_scores(rows), rows)
    interval = spread.positive_interval(mean, confidence_level).clip(0.0, rows.n_classes - 1.0)
    return Effect("rps", mean, interval, RPS_MEANING, spread.error, note)


def _mean(values: FloatArray, rows: Predictions) -> tuple[float, Spread, str]:
    """Return mean, spread and a note if there is no spread; unit weights give sd/√n with n − 1."""
    mean, n = float(_average(values, rows)), len(values)
    none = Spread(n, 0.0, 0.0)
    if n < 2:
        return mean, none, "an interval needs at least two rows with positive weight; got 1"
    if values.min() == values.max():
        return mean, none, "all rows have the same score: no variation to build an interval from"
    share = rows.weights / rows.weights.sum()
    return mean, Spread.of(share * (values - mean), clusters=rows.cluster_index), ""


def _average(values: FloatArray, rows: Predictions) -> float:
    return float(np.average(values, weights=rows.sample_weight))


def _decomposition(rows: Predictions) -> dict[str, float]:
    mean_square = _average(squared_norms(rows), rows)
    mean_label = _average(label_probabilities(rows), rows)
    ids = EventBins.of(rows).ids
    _, weight, p, y = bin_sums(rows.y_prob, rows.y_true, rows.sample_weight, ids)
    share = weight / weight.sum()
    overall = share @ y
    squared = np.bincount(ids, rows.weights**2) / weight**2
    # the noise of a bin's frequencies, unknown in a bin with a single row
    noise = np.where(squared < 1.0, squared / np.maximum(1.0 - squared, 1e-9), 0.0)
    noise *= 1.0 - np.sum(y * y, axis=1)
    return {
        "reliability": float(share @ np.sum((p - y) ** 2, axis=1)),
        "reliability_debiased": float(share @ (np.sum((p - y) ** 2, axis=1) - noise)),
        "resolution": float(share @ np.sum((y - overall) ** 2, axis=1)),
        "uncertainty": float(1.0 - overall @ overall),
        "within_variance": float(mean_square - share @ np.sum(p * p, axis=1)),
        "within_covariance": float(mean_label - share @ np.sum(p * y, axis=1)),
        "n_bins": len(weight),
    }
