"""Tests before and after a repair, each answering a question."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from calibrant._calibration_test import CalibrationTestResult, calibration_test
from calibrant._engine import FEWEST_CLUSTERS
from calibrant._native import FloatArray, IntArray
from calibrant._output import Count, Plain, Probability
from calibrant._predictions import Predictions, assemble
from calibrant.effects import bias, temperature
from calibrant.methods import Aggregated
from calibrant.recalibration import (
    BetaScaling,
    ClassPrior,
    ConfidenceCurve,
    DirichletScaling,
    Temperature,
    VectorScaling,
    assign_folds,
    fit_folds,
    predict,
)

Question = Literal[
    "the model as it is", "the fitted map, on unseen rows", "left beyond this family"
]
#: most rows of a test: enough to detect relevant errors within seconds
MOST_ROWS = 20_000


@dataclass(frozen=True)
class Check(Plain):
    """A test of calibration before or after the repair.

    Attributes
    ----------
    question : str
        The question that the test answers.
    pvalue : float
        The p-value.
    n_samples : int
        Number of rows that were tested.
    direction : str or None
        ``over-confident`` or ``under-confident`` if that is clear, and clearer than the bias of
        any class.

    Examples
    --------
    >>> import calibrant as cal
    >>> model = cal.models.TemperatureModel(0.5, 3, temperature=2.0)  # over-confident
    >>> result = cal.repair(*model.sample(500, rng=0), n_resamples=99, rng=0)
    >>> check = result.checks[0]
    >>> check.question, check.pvalue, check.direction
    ('the model as it is', 0.01, 'over-confident')

    Before the repair, there is evidence against calibration.
    """

    question: Question
    pvalue: Probability
    n_samples: Count
    direction: str | None = None


@dataclass(frozen=True, eq=False)
class Checker:
    """The settings of the tests: number of label sets, randomness and parallelism."""

    clusters: IntArray | None
    n_resamples: int
    rng: np.random.Generator
    n_jobs: int | None
    most_rows: int = MOST_ROWS

    def check(self, question: Question, predictions: Predictions, rows: IntArray) -> Check:
        """Test at most MOST_ROWS of some rows, or whole clusters if there are any.

        With fewer clusters than a test needs, one row of each is tested as an independent row.
        """
        chosen = predictions.take(self._some(rows))
        if chosen.n_clusters < FEWEST_CLUSTERS:
            chosen = self._one_of_each(chosen)
        result = calibration_test(
            chosen,
            method=Aggregated(self.n_resamples),
            rng=self.rng,
            n_jobs=self.n_jobs,
            effects=False,
        )
        direction = _direction(result, chosen) if result.reject() else None
        return Check(question, result.pvalue, chosen.n_samples, direction)

    def check_split(self, map: Any, predictions: Predictions, seed: int) -> Check:  # noqa: A002
        """Fit a map to one half of the rows and test it on the other half.

        The test is exact for the map fitted to the half. The halves are random: if both had equal
        class frequencies, the labels of the other half would depend on the map.
        """
        halves = assign_folds(predictions.n_samples, 2, seed, self.clusters)
        _, (fitted, _) = fit_folds(map, predictions, halves)
        unseen = np.flatnonzero(halves == 0)
        repaired = with_probabilities(
            predictions.take(unseen), predict(fitted, predictions.y_prob[unseen])
        )
        there = replace(self, clusters=None if self.clusters is None else self.clusters[unseen])
        everything = np.arange(len(unseen))
        return there.check("the fitted map, on unseen rows", repaired, everything)

    def _one_of_each(self, rows: Predictions) -> Predictions:
        if rows.clusters is None:
            return rows
        order = self.rng.permutation(rows.n_samples)
        first = np.unique(rows.clusters[order], return_index=True)[1]
        return rows.take(np.sort(order[first])).without_clusters()

    def _some(self, rows: IntArray) -> IntArray:
        if self.clusters is None:
            return np.sort(self.rng.permutation(rows)[: self.most_rows])
        numbers = self.rng.permutation(int(self.clusters.max()) + 1)
        sizes = np.bincount(self.clusters[rows], minlength=len(numbers))
        kept = np.cumsum(sizes[numbers]) <= self.most_rows
        kept[0] = True
        return rows[np.isin(self.clusters[rows], numbers[kept])]


def keeps_level(map: Any) -> bool:  # noqa: A002
    """Return whether a test of all out-of-fold rows keeps its level after a map of this family.

    This is known from simulations with a correct family: out-of-fold residuals are negatively
    correlated, which makes the test conservative unless the map follows the noise of the rows.
    """
    if isinstance(map, ConfidenceCurve):
        return keeps_level(map.first)
    if isinstance(map, VectorScaling):
        return map.penalty is None
    if isinstance(map, DirichletScaling):
        return map.penalty is None and map.off_diagonal is None
    return isinstance(map, Temperature | ClassPrior | BetaScaling)


def _direction(result: CalibrationTestResult, rows: Predictions) -> str | None:
    """Return the direction of the test, unless the bias of a class is clearer."""
    told = replace(result, effects={"bias": bias(rows), "temperature": temperature(rows)}).headline
    return None if told is not None and told.name == "bias" else result.details.get("direction")


def with_probabilities(predictions: Predictions, table: FloatArray) -> Predictions:
    """Return the same rows with other probabilities."""
    return assemble(
        predictions.y_true,
        table,
        predictions.sample_weight,
        predictions.classes,
        clusters=predictions.clusters,
        ordered=predictions.ordered,
    )
