"""Isotonic regression: an increasing map, with steps joined by lines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibrant._engine import pool_adjacent
from calibrant._native import BoolArray, FloatArray
from calibrant._output import concise
from calibrant._predictions import Predictions, effective_count
from calibrant.recalibration._map import FLOOR, FittedMap, Map


@concise
@dataclass(frozen=True, eq=False)
class FittedIsotonic(FittedMap):
    """Increasing, piecewise linear maps: one for two classes, else one for each class.

    Parameters
    ----------
    n_classes : int
        Number of classes.
    floor : float
        Not used, because no knot is at 0.
    knots : tuple of pairs of arrays
        Predicted probabilities in increasing order, and their new values, for each class; with
        two classes, only for the last one.
    n_parameters : int
        The number of steps.

    Examples
    --------
    >>> from calibrant.recalibration import Isotonic
    >>> fitted = Isotonic(smooth=False).fit([0.1, 0.2, 0.3, 0.9], [0, 1, 0, 1])
    >>> fitted.predict_proba([0.25, 0.6])[:, 1]
    array([0.5 , 0.75])

    The step from 0.2 to 0.3 has the value 0.5, and a line connects it to the next.
    """

    knots: tuple[tuple[FloatArray, FloatArray], ...]
    n_parameters: int = 0

    def transform(self, block: FloatArray) -> FloatArray:
        """Return the values of the lines, divided by their sum if there are several classes."""
        if self.n_classes == 2:
            positive = np.interp(block[1], *self.knots[0])
            return np.stack([1.0 - positive, positive])
        curves = np.stack(
            [np.interp(p, *knots) for p, knots in zip(block, self.knots, strict=True)]
        )
        total = curves.sum(axis=0)
        # without smoothing all curves can be 0: then all classes are equally probable
        return np.where(total > 0, curves / np.where(total > 0, total, 1.0), 1.0 / self.n_classes)


@dataclass(frozen=True)
class Isotonic(Map):
    """Replace probabilities by an increasing function of them (Zadrozny and Elkan 2002).

    Two classes have one function. With more, there is one function for each class against the rest,
    and rows are divided by their sums. This is weak, because the division changes the fitted
    values, and it overfits with rare classes. The ranking of the classes within a row may change,
    and rows may become equal. Cost O(m·n log n).

    Parameters
    ----------
    smooth : bool, default True
        Replace the rate k/n of a step with n rows and k hits by (k + ½)/(n + 1), so that no
        probability becomes 0 or 1; steps that are then out of order are pooled again. With
        weights, n is Kish's effective number of rows.

    Notes
    -----
    Steps are the blocks of pooled adjacent violators. The function is linear between two steps and
    constant beyond the first and the last, as in scikit-learn.

    Examples
    --------
    >>> from calibrant.recalibration import Isotonic
    >>> fitted = Isotonic().fit([0.1, 0.2, 0.3, 0.9], [0, 0, 0, 1])
    >>> fitted.predict_proba([0.0, 1.0])[:, 1]
    array([0.125, 0.75 ])

    No event in three rows gives a probability of 1/8 instead of 0.
    """

    smooth: bool = True

    @property
    def name(self) -> str:
        """What the map is called in results and files."""
        return "isotonic"

    def count_parameters(self, n_classes: int) -> None:
        """Return None: the number of steps depends on the data."""
        return

    def fit_predictions(self, predictions: Predictions) -> FittedIsotonic:
        """Return the map fitted to checked predictions."""
        m = predictions.n_classes
        classes = [1] if m == 2 else range(m)
        weight = effective_weights(predictions)
        knots = [
            fit_knots(predictions.y_prob[:, c], predictions.y_true == c, weight, self.smooth)
            for c in classes
        ]
        return FittedIsotonic(m, FLOOR, tuple(knots), sum(len(x) // 2 for x, _ in knots))


def effective_weights(predictions: Predictions) -> FloatArray:
    """Return weights that sum to Kish's effective number of rows."""
    weight = predictions.weights
    return np.asarray(weight * (effective_count(weight) / weight.sum()))


def fit_knots(
    p: FloatArray, hit: BoolArray, weight: FloatArray, smooth: bool = True
) -> tuple[FloatArray, FloatArray]:
    """Return the first and last point of every step of the best increasing function."""
    x, index = np.unique(p[weight > 0], return_inverse=True)
    weights = np.bincount(index, weight[weight > 0]).astype(np.float64)
    hits = np.bincount(index, (weight * hit)[weight > 0]).astype(np.float64)
    rates, sizes, starts = pool_adjacent(hits[None], weights)
    if smooth:
        smoothed = (rates * sizes + 0.5) / (sizes + 1.0)
        rates, _, joined = pool_adjacent((smoothed * sizes)[None], sizes)
        starts = starts[joined]
    ends = np.append(starts[1:], len(x)) - 1
    points = np.column_stack([x[starts], x[ends]]).ravel()
    return points, np.repeat(rates, 2)
