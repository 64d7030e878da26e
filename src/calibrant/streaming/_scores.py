"""Accuracy, Brier score, log loss and the directions of confidence in one pass."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrant._engine import floored_log
from calibrant._native import FloatArray
from calibrant._predictions import Predictions, brier_scores, hits, log_losses, weight_sums
from calibrant.effects import (
    BRIER_MEANING,
    LOG_LOSS_MEANING,
    RPS_MEANING,
    Direction,
    Effect,
    Interval,
    Spread,
    accuracy_effect,
    direction_of,
    direction_sums,
)
from calibrant.estimators import ranked_scores
from calibrant.streaming._base import Accumulator


@dataclass(frozen=True)
class Scores:
    """The result of `StreamingScores`.

    Parameters
    ----------
    accuracy, brier, log_loss : Effect
        The scores with 95 % confidence intervals.
    brier_direction, log_direction : Direction
        Standardized deviations of the two scores from those expected under calibration: negative
        for over-confident models, standard normal for calibrated ones.
    rps : Effect, optional
        The ranked probability score, for more than two ordered classes.

    Examples
    --------
    >>> from calibrant.streaming import StreamingScores
    >>> scores = StreamingScores()
    >>> scores.update([1, 0, 1, 0, 1, 0], [0.8, 0.3, 0.5, 0.5, 0.7, 0.1])
    >>> found = scores.result()
    >>> round(found.brier_direction.z, 5), found.brier_direction.verdict
    (1.03024, 'under-confident')
    """

    accuracy: Effect
    brier: Effect
    log_loss: Effect
    brier_direction: Direction
    log_direction: Direction
    rps: Effect | None = None


class StreamingScores(Accumulator):
    """Accuracy, Brier score, log loss, and the directions of miscalibration, for streamed rows.

    The estimates equal those of ``calibrant.effects`` on all rows, up to rounding, in any order of
    the rows. In the log-score direction, probabilities below 0.001 count as 0.001, as in
    `methods.Aggregated`. Memory of about a dozen numbers.

    Examples
    --------
    >>> import calibrant as cal
    >>> from calibrant.streaming import StreamingScores
    >>> model = cal.models.TemperatureModel(0.1, 10, temperature=1.5)  # over-confident
    >>> scores = StreamingScores()
    >>> for day in range(5):
    ...     scores.update(*model.sample(200, rng=day))
    >>> found = scores.result()
    >>> found.brier_direction.verdict, found.brier_direction.pvalue < 0.01
    ('over-confident', True)
    """

    def result(self) -> Scores:
        """Return the scores of all rows so far, with 95 % intervals."""
        self._require_rows()
        sums = self._sums
        count, total, squares, _ = self.weights
        if not count:
            raise ValueError("there is no result before the first row with positive weight.")
        return Scores(
            accuracy_effect(sums["hits"] / total, total**2 / squares),
            _mean("brier", BRIER_MEANING, sums["weights"], sums["brier"], 2.0),
            _log_loss(sums),
            direction_of(*sums["brier_direction"].tolist()),
            direction_of(*sums["log_direction"].tolist()),
            _mean("rps", RPS_MEANING, sums["weights"], sums["rps"], math.inf)
            if "rps" in sums
            else None,
        )

    @property
    def weights(self) -> tuple[float, float, float, float]:
        """The number of rows with positive weight, Σw, Σw² and Σ_{i≠j} w_i w_j."""
        count, total, squares, pairs = self._sums.get("weights", np.zeros(4)).tolist()
        return count, total, squares, pairs

    @property
    def impossible(self) -> float:
        """The number of labels whose predicted probability was 0."""
        return float(self._sums.get("impossible", 0.0))

    def _configuration(self) -> tuple[Any, ...]:
        return ()

    def _add_rows(self, predictions: Predictions) -> None:
        w = predictions.weights
        if not w.any():
            return  # all weights of a part may be 0
        losses = log_losses(predictions)
        possible = np.isfinite(losses)
        impossible = float(np.count_nonzero(~possible & (w > 0)))
        order = {"rps": _moments(ranked_scores(predictions), w)} if predictions.has_order else {}
        self._add_sums(
            {
                **order,
                "weights": weight_sums(w),
                "hits": float(np.sum(w[hits(predictions)])),
                "brier": _moments(brier_scores(predictions), w),
                "log_loss": _moments(np.where(possible, losses, 0.0), np.where(possible, w, 0.0)),
                "impossible": impossible,
                "brier_direction": np.array(direction_sums(predictions)),
                "log_direction": np.array(direction_sums(predictions, floored_log)),
            }
        )


def _moments(values: FloatArray, w: FloatArray) -> FloatArray:
    """Return Σwv, Σw²vᵏ for k = 0, 1, 2 and Σw⁴vᵏ for k = 0, …, 4, for the spread of a mean."""
    powers = values ** np.arange(5)[:, None]
    return np.array([np.sum(w * values), *(powers[:3] @ w**2), *(powers @ w**4)])


def _mean(
    name: str, meaning: str, weights: FloatArray, moments: FloatArray, highest: float
) -> Effect:
    count, total, *_ = weights.tolist()
    first, *others = moments.tolist()
    mean = first / total
    squares, fourths = _centered(others[:3], mean), _centered(others[3:], mean)
    known = count > 1 and squares > 1e-14 * others[2]
    spread = Spread(int(count), squares / total**2, max(fourths, 0.0) / total**4)
    spread = spread if known else Spread(0, 0.0, 0.0)
    interval = spread.positive_interval(mean, 0.95).clip(0.0, highest)
    return Effect(name, mean, interval, meaning, spread.error)


def _centered(moments: list[float], mean: float) -> float:
    """Return Σ c(v − mean)ᵏ from Σ c vʲ for j = 0, …, k."""
    k = len(moments) - 1
    return sum(math.comb(k, j) * moments[j] * (-mean) ** (k - j) for j in range(k + 1))


def _log_loss(sums: dict[str, Any]) -> Effect:
    if not sums["impossible"]:
        return _mean("log_loss", LOG_LOSS_MEANING, sums["weights"], sums["log_loss"], math.inf)
    count = int(sums["impossible"])
    note = f"{count} labels had predicted probability 0"
    details = {"impossible": count}
    unknown = Interval.unknown()
    return Effect("log_loss", math.inf, unknown, LOG_LOSS_MEANING, note=note, details=details)
