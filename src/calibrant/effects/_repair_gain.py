"""The gain of a repair in every row, from a map that was not fitted to the row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from calibrant._engine import label_logs, sizes, tempered_moments
from calibrant._execution import limits, spans
from calibrant._native import BoolArray, FloatArray, IntArray
from calibrant._predictions import Predictions, effective_count, label_probabilities
from calibrant.effects._robust import Spread
from calibrant.effects._tempering import PART
from calibrant.recalibration import (
    FittedMap,
    FittedTemperature,
    Identity,
    LogLinear,
    Temperature,
    VectorScaling,
    assign_folds,
    fit_folds,
)

#: minimum number of rows for cross-fitting
FEWEST_ROWS = 10
#: above this number of rows there are 5 folds instead of 10
_MANY = 20_000
#: largest number of classes for which a slope and an intercept for each class are tried
MOST_CLASSES = 50


@dataclass(frozen=True)
class RepairMaps:
    """A summary of the maps of all folds."""

    maps: tuple[str, ...]  # name of the chosen map, for every fold
    n_parameters: int  # of the largest map
    slope: float  # one over the temperature of one of the folds

    @classmethod
    def describe(cls, learned: Sequence[Learned]) -> RepairMaps:
        """Summarize the maps of all folds."""
        return cls(
            tuple(one.name for one in learned),
            max(one.chosen.n_parameters for one in learned),
            float(np.asarray(learned[-1].temperature.slopes)),
        )


@dataclass(frozen=True, eq=False)
class RepairGain(RepairMaps):
    """Scores before minus scores after a cross-fitted repair, for every row.

    Two rows of numbers: log loss and Brier score.
    """

    chosen: FloatArray  # with the map chosen in the row's training folds
    temperature: FloatArray  # with a temperature alone
    fitted: tuple[tuple[IntArray, FittedMap], ...]  # rows of every fold, and their chosen map

    @classmethod
    def of(cls, predictions: Predictions) -> RepairGain | None:
        """Cross-fit deterministically; None if there are too few rows."""
        if predictions.n_samples < FEWEST_ROWS:
            return None
        chosen, temperature = np.empty((2, 2, predictions.n_samples))
        every, fitted = [], []
        for rows, learned in _folds(predictions):
            chosen[:, rows], temperature[:, rows] = learned.gains(predictions.take(rows))
            every.append(learned)
            fitted.append((rows, learned.chosen))
        known = RepairMaps.describe(every)
        return cls(known.maps, known.n_parameters, known.slope, chosen, temperature, tuple(fitted))

    def repair(self, rows: IntArray, y_prob: FloatArray) -> FloatArray:
        """Return repaired probabilities of some rows, each from the map fitted without it."""
        repaired = np.empty_like(y_prob)
        for fold, fitted in self.fitted:
            inside = np.isin(rows, fold, assume_unique=True)
            repaired[inside] = fitted.predict_checked(y_prob[inside])
        return repaired


@dataclass(frozen=True)
class GainMoments:
    """The mean gain of all rows, the mean squared gain, and the spread of the mean."""

    mean: float
    square: float
    spread: Spread

    @classmethod
    def of(
        cls, values: FloatArray, share: FloatArray, clusters: IntArray | None = None
    ) -> GainMoments:
        """Average the gains of all rows, given their shares of the weight."""
        mean = float(share @ values)
        spread = Spread.of(share * (values - mean), clusters=clusters)
        return cls(mean, float(share @ values**2), spread)


@dataclass(frozen=True, eq=False)
class Learned:
    """Maps fitted to the same rows, and the one to use."""

    temperature: FittedTemperature
    chosen: FittedMap

    @classmethod
    def choose(
        cls, rows: Predictions, temperature: FittedTemperature, vector: FittedMap | None
    ) -> Learned:
        """Choose the map with the smaller Akaike criterion on the training rows."""
        if vector is None:
            return cls(temperature, temperature)
        after = [_scores(one, rows)[0] for one in (temperature, vector)]
        # weights that sum to Kish's number of rows
        weight = rows.weights * (effective_count(rows.weights) / rows.weights.sum())
        extra = vector.n_parameters - temperature.n_parameters
        gains = float(np.sum(weight * (after[0] - after[1]))) > extra
        return cls(temperature, vector if gains else temperature)

    @property
    def name(self) -> str:
        """The name of the chosen map."""
        return "temperature" if self.chosen is self.temperature else "vector scaling"

    def gains(self, rows: Predictions) -> tuple[FloatArray, FloatArray]:
        """Return the gains of the chosen map and of the temperature in every row, (2, n) each."""
        before = _scores(Identity().fit_predictions(rows.take([0])), rows)
        tempered = before - _scores(self.temperature, rows)
        if self.chosen is self.temperature:
            return tempered, tempered
        return before - _scores(self.chosen, rows), tempered


def _folds(predictions: Predictions) -> Iterator[tuple[IntArray, Learned]]:
    """Yield the rows of every fold with the maps fitted to the others."""
    n = predictions.n_samples
    if n > limits().two_fold_rows:
        yield from _two_folds(predictions)
        return
    n_folds = 5 if n > _MANY else min(10, predictions.n_clusters)
    folds = assign_folds(n, n_folds, clusters=predictions.clusters)
    tempers = fit_folds(Temperature(), predictions, folds)[1]
    vectors = [None] * len(tempers)
    if predictions.n_classes <= MOST_CLASSES:
        vectors = fit_folds(VectorScaling(), predictions, folds)[1]
    for k, (temperature, vector) in enumerate(zip(tempers, vectors, strict=True)):
        chosen = Learned(temperature, temperature)
        if vector is not None:
            chosen = Learned.choose(predictions.take(folds != k), temperature, vector)
        yield np.flatnonzero(folds == k), chosen


def _two_folds(predictions: Predictions) -> Iterator[tuple[IntArray, Learned]]:
    """Yield two halves, each with maps fitted to some rows of the other."""
    side = assign_halves(predictions.n_clusters)
    if predictions.cluster_index is not None:
        side = side[predictions.cluster_index]
    for k in (0, 1):
        yield np.flatnonzero(side == k), learn(predictions.take(training_rows(side, k)))


def assign_halves(n_rows: int) -> BoolArray:
    """Assign every row to one of two halves at random, with a fixed seed."""
    rng, step = np.random.default_rng(0), 1 << 20
    sizes_of = [min(step, n_rows - start) for start in range(0, n_rows, step)]
    return np.concatenate([rng.integers(0, 2, size).astype(bool) for size in sizes_of])


def training_rows(side: BoolArray, k: int) -> IntArray:
    """Return the training rows of half k, which are in the other half."""
    others = np.flatnonzero(side != k)
    return np.asarray(others[sizes.evenly_spaced(len(others), limits().training_rows)])


def learn(training: Predictions) -> Learned:
    """Fit both maps to some rows and choose one of them."""
    few = training.n_classes <= MOST_CLASSES
    vector = VectorScaling().fit_predictions(training) if few else None
    return Learned.choose(training, Temperature().fit_predictions(training), vector)


def _scores(fitted: FittedMap, rows: Predictions) -> FloatArray:
    """Return log loss and Brier score of the repaired rows, shape (2, n)."""
    if isinstance(fitted, LogLinear) and fitted.keeps_ranking:
        return _tempered_scores(fitted, rows)
    q = fitted.predict_checked(rows.y_prob)
    label = q[np.arange(len(q)), rows.y_true]
    # a steep map may underflow the probability of a class
    surprise = -np.log(np.maximum(label, np.finfo(np.float64).tiny))
    return np.stack([surprise, 1.0 - 2.0 * label + np.einsum("ic,ic->i", q, q)])


def _tempered_scores(fitted: LogLinear, rows: Predictions) -> FloatArray:
    """Return the scores with a temperature, without a table of repaired rows."""
    labels, beta, floor = label_probabilities(rows), float(fitted.slopes), fitted.floor
    scores, every = np.empty((2, len(rows))), np.arange(len(rows))
    for part in spans(len(rows), PART):
        found = tempered_moments(rows.y_prob, beta, floor, rows=every[part], relative=False)
        z = label_logs(labels[part], found.log_largest, np.ones(1), floor)
        surprise = found.log_total - beta * z
        scores[:, part] = surprise, 1.0 - 2.0 * np.exp(-surprise) + found.concentration
    return scores
