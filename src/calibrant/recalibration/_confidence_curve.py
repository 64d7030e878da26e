"""A confidence curve: a correction of the predicted class's probability, after another map."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from calibrant._native import FloatArray, IntArray
from calibrant._output import concise
from calibrant._predictions import Predictions
from calibrant.recalibration._isotonic import effective_weights, fit_knots
from calibrant.recalibration._map import FittedMap, Map
from calibrant.recalibration._smooth_curve import N_KNOTS, fit_smooth_curve
from calibrant.recalibration._temperature import Temperature


@concise
@dataclass(frozen=True, eq=False)
class FittedConfidenceCurve(FittedMap):
    """A fitted map, followed by an increasing, piecewise linear map of the confidence.

    Parameters
    ----------
    n_classes : int
        Number of classes.
    floor : float
        The floor of `first`.
    first : FittedMap
        The map that is applied first.
    knots : pair of arrays
        Confidences in increasing order, and their new values.
    n_parameters : int
        Those of `first`, the steps of isotonic regression, and the eight values of f.

    Examples
    --------
    >>> from calibrant.recalibration import ConfidenceCurve
    >>> fitted = ConfidenceCurve().fit([[0.8, 0.1, 0.1]] * 3, [0, 0, 1])
    >>> fitted.predict_proba([[0.7, 0.2, 0.1]]).round(3)
    array([[0.646, 0.217, 0.137]])

    Two of three predictions were right.
    """

    first: FittedMap
    knots: tuple[FloatArray, FloatArray]
    n_parameters: int = 0

    def transform(self, block: FloatArray) -> FloatArray:
        """Return the corrected confidence, with the other classes in the same proportions."""
        table = self.first.transform(block)
        top, rows = table.argmax(axis=0), np.arange(table.shape[1])
        confidence = np.interp(table[top, rows], *self.knots)
        table[top, rows] = 0.0
        rest = table.sum(axis=0)
        if not rest.all():  # without proportions, the other classes are equal
            table[:, rest == 0.0] = 1.0
            table[top, rows] = 0.0
            rest = table.sum(axis=0)
        table *= (1.0 - confidence) / rest
        table[top, rows] = confidence
        return table


@dataclass(frozen=True)
class ConfidenceCurve(Map):
    r"""Apply another map, then an increasing function to the confidence.

    The confidence becomes approximately the accuracy of rows with that confidence; the other
    classes keep their proportions. This repairs an error that often remains in networks after
    scaling the logits: confidence that is wrong by different amounts at .6 and at .99. Apart from
    changes by `first`, the predicted class changes only if the curve lowers its probability below
    that of another class. Cost: that of `first`, and O(n·m + n log n).

    Parameters
    ----------
    first : Map, default ``Temperature()``
        The first map; use `VectorScaling` or `DirichletScaling` if there are enough rows.

    Notes
    -----
    With q from the first map, its most likely class k and the curve g,

    .. math:: q'_k = g(q_k), \qquad q'_c = q_c\, \frac{1 - g(q_k)}{1 - q_k} \quad (c \ne k).

    The curve is the mean of two fits to whether the predicted class occurred. One is the fit of
    `Isotonic`, which follows any shape but is noisy. The other is smooth, and thus biased for
    rough shapes: on the scale of the logit z of the confidence it is z + f(z), with f linear
    between eight knots and constant outside them, and maximizes

    .. math:: \sum_i w_i \log P_f(\text{row } i \text{ right or wrong, as it was})
        - \int f''(z)^2\, dz - \tfrac18 |f|^2,

    where the integral is a sum over the knots. Weights are scaled to Kish's effective number of
    rows. Decreasing parts of a curve are replaced by constants, and confidences beyond the fitted
    range are treated like the nearest fitted one, so nothing becomes 0 or 1.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant.recalibration import ConfidenceCurve
    >>> rng = np.random.default_rng(0)
    >>> p = rng.dirichlet([0.2, 0.2, 0.2], 20000)
    >>> truth = np.where(p.max(axis=1, keepdims=True) > 0.9, 0.7 * p + 0.1, p)
    >>> y_true = (truth.cumsum(axis=1) < rng.random((20000, 1))).sum(axis=1)
    >>> fitted = ConfidenceCurve().fit(p, y_true)
    >>> print(fitted.predict_proba([[0.98, 0.01, 0.01]]).round(1))
    [[0.8 0.1 0.1]]

    Only very confident predictions are miscalibrated, which no temperature can repair.
    """

    first: Map = field(default_factory=Temperature)

    def __post_init__(self) -> None:
        first: object = self.first
        if not isinstance(first, Map) or isinstance(first, ConfidenceCurve):
            raise TypeError(
                "`first` must be a map of `calibrant.recalibration` other than a "
                f"`ConfidenceCurve`, for example VectorScaling(); got {first!r}."
            )

    @property
    def name(self) -> str:
        """What the map is called in results and files."""
        return f"{self.first.name} + confidence curve"

    def count_parameters(self, n_classes: int) -> None:
        """Return None: the number of steps depends on the data."""
        return

    def fit_predictions(self, predictions: Predictions) -> FittedConfidenceCurve:
        """Return the map fitted to checked predictions."""
        return self._add_curve(self.first.fit_predictions(predictions), predictions)

    def fit_folds(
        self, predictions: Predictions, folds: IntArray
    ) -> tuple[FittedMap, list[FittedMap]]:
        """Return the map fitted to all rows, and for each fold the map fitted to the others."""
        whole, others = self.first.fit_folds(predictions, folds)
        return self._add_curve(whole, predictions), [
            self._add_curve(other, predictions.take(folds != k)) for k, other in enumerate(others)
        ]

    @staticmethod
    def _add_curve(first: FittedMap, predictions: Predictions) -> FittedConfidenceCurve:
        table = first.predict_checked(predictions.y_prob)
        top = table.argmax(axis=1)
        confidence = table[np.arange(len(table)), top]
        right, weight = top == predictions.y_true, effective_weights(predictions)
        steps = fit_knots(confidence, right, weight)
        smooth = fit_smooth_curve(confidence, right, weight)
        x = np.union1d(steps[0], smooth[0])
        knots = x, (np.interp(x, *steps) + np.interp(x, *smooth)) / 2.0
        size = first.n_parameters + len(steps[0]) // 2 + N_KNOTS
        return FittedConfidenceCurve(predictions.n_classes, first.floor, first, knots, size)
