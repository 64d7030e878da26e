"""The change by a map: the mean of paired score differences, with its standard error."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from calibrant._native import FloatArray, IntArray
from calibrant._output import Plain
from calibrant._predictions import Predictions
from calibrant.effects import Effect, Interval

#: replaces a probability of 0 in the log loss
_SMALLEST = 1e-300

LOG_LOSS_MEANING = "change of the log loss by the map on unseen rows, in nats: negative is better"
BRIER_MEANING = "change of the Brier score by the map on unseen rows: negative is better"


@dataclass(frozen=True, eq=False)
class Change(Plain):
    """A measure before and after the repair, on unseen rows.

    Attributes
    ----------
    name : str
        Name of the measure.
    before, after : Effect
        Its values before and after the repair.

    Examples
    --------
    >>> import calibrant as cal
    >>> model = cal.models.TemperatureModel(0.5, 3, temperature=2.0)  # over-confident
    >>> result = cal.repair(*model.sample(500, rng=0), n_resamples=99, rng=0)
    >>> change = result.measures[0]
    >>> change.name, f"{change.before.estimate:.2f}", f"{change.after.estimate:.2f}"
    ('ece', '0.14', '0.04')

    The repair removes most of the error.
    """

    name: str
    before: Effect
    after: Effect


@dataclass(frozen=True, eq=False)
class Scores:
    """Log loss and Brier score of every row, and the mean log loss of a surprise.

    A surprise is a label that the model predicted to be second most likely.
    """

    log_loss: FloatArray
    brier: FloatArray
    surprise: float


def score(predictions: Predictions, table: FloatArray) -> Scores:
    """Return the scores of the labels with other probabilities."""
    rows = np.arange(len(table))
    hit = table[rows, predictions.y_true]
    norms = np.einsum("ic,ic->i", table, table)
    second = table[rows, np.argpartition(predictions.y_prob, -2, axis=1)[:, -2]]
    surprise = np.average(-np.log(np.maximum(second, _SMALLEST)), weights=predictions.weights)
    losses = -np.log(np.maximum(hit, _SMALLEST))
    return Scores(losses, 1.0 - 2.0 * hit + norms, float(surprise))


@dataclass(frozen=True, eq=False)
class Rows:
    """The weights and clusters of the rows."""

    weight: FloatArray
    clusters: IntArray | None = None

    def mean(self, values: FloatArray) -> tuple[float, float]:
        r"""Return the weighted mean and its standard error.

        :math:`\sqrt{\frac{G}{G-1} \sum_g \big(\sum_{i \in g} w_i (d_i - \bar d)\big)^2} / \sum w`
        over clusters g, which are single rows by default. NaN for a single cluster.
        """
        total = float(self.weight.sum())
        mean = float(self.weight @ values) / total
        parts = self.weight * (values - mean)
        if self.clusters is not None:
            parts = np.bincount(self.clusters, parts).astype(np.float64)
        size = len(parts)
        if size < 2:
            return mean, math.nan
        return mean, math.sqrt(size / (size - 1) * float(parts @ parts)) / total

    def with_one_more(self) -> Rows:
        """Add an independent row of average weight."""
        weight = np.append(self.weight, self.weight.mean())
        if self.clusters is None:
            return Rows(weight)
        return Rows(weight, np.append(self.clusters, self.clusters.max() + 1))

    def take(self, rows: IntArray) -> Rows:
        """Select some rows."""
        if self.clusters is None:
            return Rows(self.weight[rows])
        return Rows(self.weight[rows], np.unique(self.clusters[rows], return_inverse=True)[1])

    def change(
        self,
        before: FloatArray,
        after: FloatArray,
        name: str,
        meaning: str,
        confidence_level: float,
    ) -> Effect:
        """Return the mean of after − before as an effect."""
        mean, error = self.mean(after - before)
        interval = Interval.normal(mean, error, confidence_level)
        return Effect(name, mean, interval, meaning, standard_error=error)

    def changes(
        self, before: Scores, after: Scores, confidence_level: float
    ) -> tuple[Effect, Effect]:
        """Return the changes of log loss and Brier score."""
        return (
            self.change(
                before.log_loss, after.log_loss, "log_loss", LOG_LOSS_MEANING, confidence_level
            ),
            self.change(before.brier, after.brier, "brier", BRIER_MEANING, confidence_level),
        )


def choose(scores: list[Scores], rows: Rows) -> int:
    """Return the first map whose log loss is within one standard error of the smallest.

    The standard error is that of the paired difference to the best map. An additional row with a
    surprising label is included: rows on which the model was always right would otherwise suggest
    unlimited confidence.
    """
    rows = rows.with_one_more()
    losses = [np.append(one.log_loss, one.surprise) for one in scores]
    means = [rows.mean(loss)[0] for loss in losses]
    best = int(np.argmin(means))
    for k, loss in enumerate(losses):
        behind, error = rows.mean(loss - losses[best])
        if k == best or behind <= error:
            return k
    return best
