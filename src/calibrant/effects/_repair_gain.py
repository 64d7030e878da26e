"""What a repair gains in every row, by a map that has not seen the row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from calibrant._engine import sizes
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions
from calibrant.recalibration import (
    FittedMap,
    FittedTemperature,
    Identity,
    Temperature,
    VectorScaling,
    assign_folds,
    fit_folds,
)

#: above these numbers of rows there are 5 and 2 folds in place of 10
_MANY, _VERY_MANY = 20_000, 50_000
#: rows that the maps of very many rows are fitted to, for each fold
_TRAINING_ROWS = 25_000
#: a slope and an intercept for each class are tried up to this number of classes
MOST_CLASSES = 50


@dataclass(frozen=True, eq=False)
class RepairGain:
    """Scores before minus scores after a cross-fitted repair, for every row.

    Two rows of numbers: log loss and Brier score.
    """

    chosen: FloatArray  # by the map that was chosen in the row's training folds
    temperature: FloatArray  # by a temperature alone
    maps: tuple[str, ...]  # name of the chosen map, for every fold
    n_parameters: int  # of the largest map
    slope: float  # one over the temperature of one of the folds

    @classmethod
    def of(cls, predictions: Predictions) -> RepairGain:
        """Cross-fit; the same rows give the same numbers."""
        n = predictions.n_samples
        before = _scores(Identity().fit_predictions(predictions.take([0])), predictions)
        chosen, temperature = np.empty((2, n)), np.empty((2, n))
        maps, most = [], 1
        for rows, learned in _folds(predictions):
            seen = predictions.take(rows)
            best = learned.choose()
            chosen[:, rows] = before[:, rows] - _scores(best, seen)
            temperature[:, rows] = before[:, rows] - _scores(learned.temperature, seen)
            maps.append("temperature" if best is learned.temperature else "vector scaling")
            most = max(most, best.n_parameters)
        slope = float(np.asarray(learned.temperature.slopes))
        return cls(chosen, temperature, tuple(maps), most, slope)


@dataclass(frozen=True, eq=False)
class Learned:
    """Maps that were fitted to the same rows, and these rows."""

    training: Predictions
    temperature: FittedTemperature
    vector: FittedMap | None

    def choose(self) -> FittedMap:
        """Return the map of the smaller Akaike criterion on the rows that it was fitted to."""
        if self.vector is None:
            return self.temperature
        rows = self.training
        after = [_scores(one, rows)[0] for one in (self.temperature, self.vector)]
        # weights as Kish would count the rows
        weight = rows.weights * (rows.weights.sum() / np.sum(rows.weights**2))
        extra = self.vector.n_parameters - self.temperature.n_parameters
        gains = float(np.sum(weight * (after[0] - after[1]))) > extra
        return self.vector if gains else self.temperature


def _folds(predictions: Predictions) -> Iterator[tuple[IntArray, Learned]]:
    """Yield the rows of every fold with the maps fitted to the others."""
    n = predictions.n_samples
    if n > _VERY_MANY:
        yield from _two_folds(predictions)
        return
    n_folds = 5 if n > _MANY else min(10, predictions.n_clusters)
    folds = assign_folds(predictions.y_true, n_folds, clusters=predictions.clusters)
    tempers = fit_folds(Temperature(), predictions, folds)[1]
    vectors = [None] * len(tempers)
    if predictions.n_classes <= MOST_CLASSES:
        vectors = fit_folds(VectorScaling(), predictions, folds)[1]
    for k, (temperature, vector) in enumerate(zip(tempers, vectors, strict=True)):
        training = predictions.take(folds != k)
        yield np.flatnonzero(folds == k), Learned(training, temperature, vector)


def _two_folds(predictions: Predictions) -> Iterator[tuple[IntArray, Learned]]:
    """Yield two halves, each with maps fitted to some rows of the other."""
    side = np.random.default_rng(0).integers(0, 2, predictions.n_clusters)
    if predictions.cluster_index is not None:
        side = side[predictions.cluster_index]
    for k in (0, 1):
        others = np.flatnonzero(side != k)
        some = predictions.take(others[sizes.evenly_spaced(len(others), _TRAINING_ROWS)])
        yield np.flatnonzero(side == k), learn(some)


def learn(training: Predictions) -> Learned:
    """Fit both maps to some rows."""
    few = training.n_classes <= MOST_CLASSES
    vector = VectorScaling().fit_predictions(training) if few else None
    return Learned(training, Temperature().fit_predictions(training), vector)


def _scores(fitted: FittedMap, rows: Predictions) -> FloatArray:
    """Return log loss and Brier score of the repaired rows, shape (2, n)."""
    q = fitted.predict_checked(rows.y_prob)
    label = q[np.arange(len(q)), rows.y_true]
    # a steep map may leave a class no probability that a float can hold
    surprise = -np.log(np.maximum(label, np.finfo(np.float64).tiny))
    return np.stack([surprise, 1.0 - 2.0 * label + np.einsum("ic,ic->i", q, q)])
