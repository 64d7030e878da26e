"""The temperature: the factor by which the logits are too large."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from calibrant._native import FloatArray
from calibrant._output import number
from calibrant._predictions import Predictions, label_probabilities
from calibrant.effects._interval import Effect, Interval, check_confidence_level, normal_quantile
from calibrant.effects._robust import Spread
from calibrant.effects._root import Root, find_root
from calibrant.effects._rows import effective_size, rows_that_weigh
from calibrant.effects._tempering import tempered_parts
from calibrant.recalibration import HIGHEST_TEMPERATURE as HIGHEST, LOWEST_TEMPERATURE as LOWEST

#: the floor of a probability is at least this and at most _LARGEST_FLOOR / n_classes
_SMALLEST_FLOOR, _LARGEST_FLOOR = 1e-12, 1e-3

#: rows that give the search its starting point
_START_ROWS = 10_000

TEMPERATURE_MEANING = (
    "factor by which the logits are too large: 1 for a calibrated model, above 1 "
    "over-confident, below 1 under-confident"
)


def temperature(predictions: Predictions, confidence_level: float = 0.95) -> Effect:
    r"""Return the maximum-likelihood temperature with its interval.

    In [0.05, 20]. 1 means neither over- nor under-confident overall; 2 means that the logits are
    twice as large as they should be. Cost: about ten passes of O(n·m); memory of a fixed block.

    Parameters
    ----------
    predictions : Predictions
        Labels and probabilities.
    confidence_level : float, default 0.95
        Coverage of the interval.

    Returns
    -------
    Effect
        NaN if every prediction is uniform, because then all temperatures are equivalent. `note` and
        `details` say if the estimate or an end of the interval is at a bound.

    Notes
    -----
    .. math:: \hat\tau = \arg\max_\tau \sum_i w_i \log
        \mathrm{softmax}\big(\log \max(p_i, \epsilon) / \tau\big)_{y_i}

    is concave in :math:`\beta = 1/\tau`, with slope :math:`\sum w_i (z_{iy_i} - E_\beta z_i)` and
    curvature :math:`-\sum w_i Var_\beta z_i = -J`. The interval is the sandwich on the logarithmic
    scale, :math:`\log \hat\tau \pm t \sqrt{\sum U_i^2} / (J \hat\beta)` with the scores
    :math:`U_i = w_i (z_{iy_i} - E_\beta z_i)`. It is valid even if the error is not just a
    temperature. For few rows the quantile is that of Student's t, and the standard error is at
    least that of the likelihood, :math:`1 / (\sqrt J \hat\beta)`. An estimate at a bound has a
    likelihood-ratio interval instead. With clusters, the scores of a cluster are added before they
    are squared.

    The floor :math:`\epsilon`, relative to the row's sum, is half of the smallest positive
    probability (about the size of values rounded to 0), but at least 1e-12 and at most 1e-3/m. A
    label of predicted probability 0 thus counts as an unlikely one; `details` contains their
    number. If there are many, the estimate depends on the floor.

    Examples
    --------
    >>> from calibrant import Predictions
    >>> from calibrant.effects import temperature
    >>> from calibrant.models import TemperatureModel
    >>> y_true, y_prob = TemperatureModel(0.5, 4, temperature=2.0).sample(2000, rng=0)
    >>> effect = temperature(Predictions(y_true, y_prob))
    >>> f"{effect.estimate:.2f} [{effect.interval.low:.2f}, {effect.interval.high:.2f}]"
    '2.13 [1.95, 2.31]'

    The model is over-confident: its logits are about twice as large as they should be.
    """
    check_confidence_level(confidence_level)
    rows = rows_that_weigh(predictions)
    floor = logit_floor(smallest_probability(rows), rows.n_classes)
    scale = effective_size(rows) / float(rows.weights.sum())

    def at(beta: float, step: int = 1) -> Likelihood:
        return Likelihood(*likelihood_sums(rows, floor, beta, scale, step).tolist())

    start, n = 1.0, rows.n_samples
    if n > _START_ROWS:  # every k-th row gives a good start
        start = _solve(lambda beta: at(beta, -(-n // _START_ROWS)), 1.0).x
    index = rows.cluster_index

    def spread_at(beta: float) -> Spread:
        here = at(beta)
        if index is None:
            return here.spread(beta, n)
        scores = likelihood_scores(rows, floor, beta, scale)
        unit = beta * here.curvature
        # the likelihood expects the noise of labels, which soft labels do not have
        expected = 0.0 if rows.soft else here.expected
        return Spread.of(scores / unit, expected / unit**2, index)

    effect = temperature_effect(at, start, floor, n, confidence_level, spread_at)
    return add_labels_at_floor(effect, labels_at_floor(rows, floor))


def describe_temperature(effect: Effect) -> str:
    """Describe a temperature for readers without statistics."""
    if not effect.interval.is_known or 1.0 in effect.interval:
        return "The interval contains 1: neither over- nor under-confidence is shown."
    side, size = ("Over", "large") if effect.estimate > 1.0 else ("Under", "small")
    text = effect.remark or number(effect.estimate)
    return f"{side}-confident: the logits are too {size}, dividing them by {text} fits best."


def temperature_effect(
    at: Callable[[float], Likelihood],
    start: float,
    floor: float,
    n_rows: int,
    confidence_level: float,
    spread_at: Callable[[float], Spread] | None = None,
) -> Effect:
    """Return the effect from a likelihood, which is evaluated at about ten values of β.

    `spread_at` returns the spread of log β if it is not that of independent rows.
    """
    first = at(1.0)
    if first.curvature == 0.0 and first.slope == 0.0:
        note = "every prediction is uniform: all temperatures give the same probabilities"
        unknown = Interval.unknown(confidence_level)
        return Effect("temperature", math.nan, unknown, TEMPERATURE_MEANING, note=note)
    best, error = _solve(at, start), math.nan
    if best.at_bound:
        ends = _ends(at, best, 0.5 * normal_quantile(confidence_level) ** 2)
    else:
        spread = at(best.x).spread(best.x, n_rows) if spread_at is None else spread_at(best.x)
        ends, error = _around(best.x, spread.half_width(confidence_level)), spread.error / best.x
    interval = Interval(1.0 / ends[1].x, 1.0 / ends[0].x, confidence_level)
    details: dict[str, Any] = {
        "at_bound": best.at_bound,
        "interval_at_bound": [ends[1].at_bound, ends[0].at_bound],
        "floor": floor,
    }
    if best.at_bound:
        details["remark"] = f"{1.0 / best.x:g} or {'less' if best.x > 1.0 else 'more'}"
    note = _note(best, ends)
    return Effect("temperature", 1.0 / best.x, interval, TEMPERATURE_MEANING, error, note, details)


def add_labels_at_floor(effect: Effect, count: int) -> Effect:
    """Return the effect with the number of labels whose probability was raised to the floor."""
    if not effect.details:
        return effect
    return replace(effect, details={**effect.details, "labels_at_floor": count})


def smallest_probability(predictions: Predictions) -> float:
    """Return the smallest probability above 0."""
    p = predictions.y_prob
    return float(np.min(p, initial=1.0, where=p > 0))


def logit_floor(smallest: float, n_classes: int) -> float:
    """Return the floor for probabilities of 0, from the smallest positive probability."""
    return min(max(0.5 * smallest, _SMALLEST_FLOOR), _LARGEST_FLOOR / n_classes)


def labels_at_floor(predictions: Predictions, floor: float) -> int:
    """Count the labels whose predicted probability is raised to the floor."""
    floors = floor * predictions.y_prob.sum(axis=1)
    return int(np.count_nonzero(label_probabilities(predictions) < floors))


@dataclass(frozen=True)
class Likelihood:
    """The log-likelihood of all labels at one β = 1/τ, and the scores of its rows."""

    value: float
    slope: float
    curvature: float  # minus the second derivative, ≥ 0
    expected: float  # the likelihood's expectation of `squares`
    squares: float  # Σ U² of the scores U, whose sum is the slope
    fourths: float

    def spread(self, beta: float, n_rows: int) -> Spread:
        """Return the spread of log β."""
        scale = (beta * self.curvature) ** 2
        return Spread(n_rows, self.squares / scale, self.fourths / scale**2, self.expected / scale)


def likelihood_sums(
    predictions: Predictions, floor: float, beta: float, scale: float = 1.0, step: int = 1
) -> FloatArray:
    """Return the fields of `Likelihood` for weights times `scale`, shape (6,); they add up."""
    sums = np.zeros(6)
    for part in tempered_parts(predictions, floor, beta, step):
        w, variance = scale * part.weight, part.moments.variance
        score = w * part.score
        squares = score * score
        sums += [
            np.sum(w * part.log_likelihood),
            np.sum(score),
            np.sum(w * variance),
            np.sum(w * w * variance),
            np.sum(squares),
            np.sum(squares * squares),
        ]
    return sums


def likelihood_scores(
    predictions: Predictions, floor: float, beta: float, scale: float = 1.0
) -> FloatArray:
    """Return the score U of every row, whose sum is the slope of the likelihood, shape (n,)."""
    parts = tempered_parts(predictions, floor, beta)
    return np.concatenate([scale * part.weight * part.score for part in parts])


def _solve(at: Callable[[float], Likelihood], start: float) -> Root:
    def falling_slope(beta: float) -> tuple[float, float]:
        here = at(beta)
        return -here.slope, here.curvature

    return find_root(falling_slope, start, 1.0 / HIGHEST, 1.0 / LOWEST)


def _around(beta: float, half: float) -> tuple[Root, Root]:
    """Return the ends of an interval of log β, limited to the bounds."""
    if math.isnan(half):
        half = math.inf
    low, high = (beta * math.exp(min(end, 100.0)) for end in (-half, half))
    smallest, largest = 1.0 / HIGHEST, 1.0 / LOWEST
    return (
        Root(max(low, smallest), at_bound=low <= smallest),
        Root(min(high, largest), at_bound=high >= largest),
    )


def _ends(at: Callable[[float], Likelihood], best: Root, drop: float) -> tuple[Root, Root]:
    top = at(best.x)
    half = math.sqrt(2.0 * drop / top.curvature) if top.curvature > 0 else math.inf
    target = top.value - drop

    def above(beta: float) -> tuple[float, float]:
        here = at(beta)
        return target - here.value, -here.slope

    def below(beta: float) -> tuple[float, float]:
        here = at(beta)
        return here.value - target, here.slope

    smallest, largest = 1.0 / HIGHEST, 1.0 / LOWEST
    low, high = Root(smallest, at_bound=True), Root(largest, at_bound=True)
    if best.x > smallest:
        low = find_root(below, best.x - half, smallest, best.x)
    if best.x < largest:
        high = find_root(above, best.x + half, best.x, largest)
    return low, high


def _note(best: Root, ends: tuple[Root, Root]) -> str:
    if best.at_bound:
        return f"the likelihood has no maximum in [{LOWEST:g}, {HIGHEST:g}]"
    reached = [f"{1.0 / end.x:g}" for end in (ends[1], ends[0]) if end.at_bound]
    if reached:
        return f"the interval is open: it ends at the bound {' and '.join(reached)}"
    return ""
