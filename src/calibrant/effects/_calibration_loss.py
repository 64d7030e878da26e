"""The calibration loss: the part of the log loss that a repair would remove."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibrant._engine import FEWEST_CLUSTERS
from calibrant._native import FloatArray
from calibrant._output import counted, estimate_text
from calibrant._predictions import Predictions, label_probabilities
from calibrant.effects._interval import Effect, Interval, check_confidence_level
from calibrant.effects._repair_gain import FEWEST_ROWS, GainMoments, RepairGain, RepairMaps
from calibrant.effects._row_sums import RowsInMemory, RowSums
from calibrant.effects._rows import rows_that_weigh
from calibrant.effects._score_interval import score_interval
from calibrant.effects._temperature import (
    Likelihood,
    likelihood_scores,
    likelihood_sums,
    logit_floor,
    smallest_probability,
)

CALIBRATION_LOSS_MEANING = (
    "log loss that recalibration would save on new rows, in nats: at 0 or less, it would not help"
)


def calibration_loss(predictions: Predictions, confidence_level: float = 0.95) -> Effect:
    r"""Return how much a cross-fitted repair lowers the log loss, in nats.

    Any number: negative values are not clipped, and mean that a repair learned from so small a
    sample does harm. The rest of the log loss is refinement, which only a different model could
    lower. The result is deterministic. Cost: a few passes of O(n·m²), about 0.2 s for 10,000 rows
    and ten classes.

    Parameters
    ----------
    predictions : Predictions
        Labels and probabilities.
    confidence_level : float, default 0.95
        Coverage of the interval.

    Returns
    -------
    Effect
        `details` contains the gain of a temperature alone (``temperature``) and the gain in Brier
        score (``brier``), each with its interval, the remaining log loss (``refinement``), and the
        chosen maps with their number of folds (``maps``).

    Notes
    -----
    With folds k(i) and maps :math:`\hat M_{-k}` fitted to the other folds, the estimate is the mean
    of

    .. math:: d_i = -\log p_i(y_i) + \log \hat M_{-k(i)}(p_i)(y_i),

    with probabilities of at least 1e-12. The map is a temperature, or a slope and an intercept for
    each class (penalized, up to 50 classes), whichever has the smaller Akaike criterion on the
    training rows, so that no row influences the choice of its map. There are 10 folds, 5 above
    20,000 rows, and above 50,000 rows two halves with maps fitted to 25,000 rows each. The estimate
    describes maps fitted to that many rows, not the best possible map.

    The interval contains both that of the mean d, with Student's t for few rows, and that of
    `score_interval`, because a gain near 0 is noisier than the spread of the d suggests: they all
    vanish with it. A map with k parameters, learned from n rows, loses about c = k/(2n) against the
    best one. So :math:`\bar d + c` estimates a gain that is never negative; for a calibrated model
    the gain is 0, with variance :math:`k/(2n^2)`. The variance grows with the gain by at least
    :math:`2\kappa/n`, where κ is the variance of the temperature's scores divided by the variance
    that the likelihood expects. With weights, Kish's effective number of rows replaces n. Clusters
    stay in one fold, their gains are added before they are squared, and n is divided by their
    design effect on the temperature's scores; with fewer than 10 clusters there is no interval.

    Examples
    --------
    >>> from calibrant import Predictions
    >>> from calibrant.effects import calibration_loss
    >>> from calibrant.models import TemperatureModel
    >>> y_true, y_prob = TemperatureModel(0.5, 4, temperature=2.0).sample(2000, rng=0)
    >>> effect = calibration_loss(Predictions(y_true, y_prob))
    >>> f"{effect.estimate:.3f} [{effect.interval.low:.3f}, {effect.interval.high:.3f}]"
    '0.128 [0.102, 0.158]'
    >>> effect.details["maps"]
    {'temperature': 10}

    A repair would lower the log loss by 0.13; a temperature is enough.
    """
    check_confidence_level(confidence_level)
    rows = rows_that_weigh(predictions)
    return calibration_loss_effect(rows, RepairGain.of(rows), confidence_level)


def calibration_loss_effect(
    rows: Predictions, gain: RepairGain | None, confidence_level: float
) -> Effect:
    """Return the effect from the gain of every row."""
    if gain is None:
        note = f"a repair needs at least {FEWEST_ROWS} rows with positive weight; got {len(rows)}"
        return Effect(
            "calibration_loss",
            math.nan,
            Interval.unknown(confidence_level),
            CALIBRATION_LOSS_MEANING,
            note=note,
        )
    share = rows.weights / rows.weights.sum()
    values = (gain.chosen[0], gain.temperature[0], gain.chosen[1])
    moments = [GainMoments.of(one, share, rows.cluster_index) for one in values]
    design = repair_design_effect(rows, gain.slope)
    effect = gain_effect(RowsInMemory(rows), gain, moments, confidence_level, design)
    few = rows.clusters is not None and rows.n_clusters < FEWEST_CLUSTERS
    return _without_interval(effect, rows.n_clusters) if few else effect


def _without_interval(effect: Effect, n_clusters: int) -> Effect:
    """Return the effect for too few clusters to estimate the spread or the design effect."""
    note = f"an interval needs at least {FEWEST_CLUSTERS} clusters; got {n_clusters}"
    unknown = {"low": math.nan, "high": math.nan}
    details = dict(effect.details)
    details |= {name: {**details[name], **unknown} for name in ("temperature", "brier")}
    return replace(
        effect,
        interval=Interval.unknown(effect.interval.confidence_level),
        standard_error=math.nan,
        note="; ".join(filter(None, [effect.note, note])),
        details=details,
    )


def gain_effect(
    source: RowSums,
    gain: RepairMaps,
    moments: Sequence[GainMoments],
    confidence_level: float,
    design_effect: float = 1.0,
) -> Effect:
    """Return the effect from the moments of three gains.

    These are the log-loss gains of the chosen maps and of a temperature, and the Brier-score gain
    of the chosen maps.
    """
    n = source.weight * source.scale / design_effect
    growth = 2.0 * _inflation(source, gain.slope) / n
    log = _Gain.of(moments[0], n, gain.n_parameters, growth, confidence_level)
    temperature = _Gain.of(moments[1], n, 1, growth, confidence_level)
    brier = _Gain.of(moments[2], n, gain.n_parameters, growth, confidence_level, log)
    loss, floored = source.add(_loss_sums, 1.0 / source.weight).tolist()
    note = f"{counted(int(floored), 'label')} of probability 0 taken as 1e-12" if floored else ""
    details = {
        "temperature": temperature.to_dict(),
        "brier": brier.to_dict(),
        "refinement": loss - log.estimate,
        "maps": {name: gain.maps.count(name) for name in dict.fromkeys(gain.maps)},
    }
    return Effect(
        "calibration_loss",
        log.estimate,
        log.interval,
        CALIBRATION_LOSS_MEANING,
        log.error,
        note,
        details,
    )


def describe_calibration_loss(effect: Effect) -> str:
    """Describe the gain of a repair for readers without statistics."""
    low, high = effect.interval.low, effect.interval.high
    text = estimate_text(effect.estimate, low, high)
    if low > 0.0:
        return f"A repair would lower the log loss by {text}."
    if high < 0.0:
        return f"A repair learned from so few rows would raise the log loss: {text}."
    return f"No repair is shown to help: it would change the log loss by {text}."


@dataclass(frozen=True)
class _Gain:
    """A mean gain with its interval."""

    estimate: float
    interval: Interval
    error: float
    mean_square: float

    @classmethod
    def of(
        cls,
        moments: GainMoments,
        n: float,
        n_parameters: int,
        growth: float,
        confidence_level: float,
        nats: _Gain | None = None,
    ) -> _Gain:
        """Return the mean gain of n rows, in log loss or, given its `nats`, in another score."""
        mean, square, spread = moments.mean, moments.square, moments.spread
        half = np.nan_to_num(spread.half_width(confidence_level))
        # the value of one nat in the other score
        unit = 1.0 if nats is None else math.sqrt(square / max(nats.mean_square, 1e-300))
        cost, null = unit * n_parameters / (2.0 * n), unit**2 * n_parameters / (2.0 * n**2)
        around = score_interval(
            mean + cost,
            np.nan_to_num(spread.error),
            null,
            confidence_level,
            least_growth=unit * growth,
        )
        # the spread of the rows is right for large gains, with Student's t for few rows
        interval = Interval(
            min(around.low - cost, mean - half),
            max(around.high - cost, mean + half),
            confidence_level,
        )
        return cls(mean, interval, spread.error, square)

    def to_dict(self) -> dict[str, float]:
        """Return the estimate and the ends of its interval."""
        return {"estimate": self.estimate, "low": self.interval.low, "high": self.interval.high}


def _inflation(source: RowSums, slope: float) -> float:
    """Return the variance of a temperature's scores, relative to the likelihood's expectation."""
    here = Likelihood(*source.add(likelihood_sums, source.floor, slope, source.scale).tolist())
    return max(here.squares / here.expected, 1.0) if here.expected > 0.0 else 1.0


def _loss_sums(rows: Predictions, scale: float) -> FloatArray:
    """Return the mean log loss and the number of labels with probability 0."""
    label = label_probabilities(rows)
    losses = -np.log(np.clip(label / rows.y_prob.sum(axis=1), 1e-12, 1.0))
    return np.array([scale * (rows.weights @ losses), np.count_nonzero(label == 0.0)])


def repair_design_effect(rows: Predictions, slope: float) -> float:
    """Return the factor by which clusters raise the variance of a temperature's scores, ≥ 1."""
    index = rows.cluster_index
    if index is None:
        return 1.0
    floor = logit_floor(smallest_probability(rows), rows.n_classes)
    scores = likelihood_scores(rows, floor, slope)
    between, alone = np.bincount(index, scores), float(scores @ scores)
    return max(float(between @ between) / alone, 1.0) if alone > 0.0 else 1.0
