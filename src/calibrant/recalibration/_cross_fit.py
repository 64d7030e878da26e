"""Cross-fitting: every row is recalibrated by a map that was fitted without it."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np

from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions
from calibrant.errors import DataError, Problem
from calibrant.recalibration._folds import assign_folds
from calibrant.recalibration._map import FittedMap, Map


def cross_fit(
    map: Any,  # noqa: A002 - the word of the literature
    predictions: Predictions,
    *,
    n_folds: int = 10,
    seed: int = 0,
    folds: Any = None,
) -> FloatArray:
    """Return out-of-fold probabilities, each from the map fitted to all other folds.

    The result is deterministic. Cost: one fit, plus one or two Newton steps for each fold, or a fit
    for each fold if the map is not log-linear.

    Parameters
    ----------
    map : Map, or an object with ``fit(P, y)`` and ``predict_proba(P)``
        The map. It is not changed: objects in the style of scikit-learn are copied.
    predictions : Predictions
        Labels and probabilities.
    n_folds : int, default 10
        Number of folds.
    seed : int, default 0
        Seed of `assign_folds`.
    folds : array-like of shape (n_samples,), optional
        The fold of each row, 0, 1, …, instead of `n_folds` and `seed`.

    Returns
    -------
    ndarray of float64, shape (n_samples, n_classes)

    Examples
    --------
    >>> import calibrant as cal
    >>> from calibrant.models import TemperatureModel
    >>> from calibrant.recalibration import Temperature, cross_fit
    >>> predictions = cal.Predictions(*TemperatureModel(0.5, 3, temperature=2.0).sample(500, rng=0))
    >>> repaired = cross_fit(Temperature(), predictions)
    >>> log_loss = cal.effects.log_loss
    >>> before = log_loss(predictions).estimate
    >>> after = log_loss(cal.Predictions(predictions.y_true, repaired)).estimate
    >>> print(f"{before:.2f} {after:.2f}")
    1.01 0.91

    The log loss is smaller on rows that were not used to fit their map.
    """
    if folds is None:
        chosen = assign_folds(predictions.n_samples, n_folds, seed, predictions.clusters)
    else:
        chosen = _check_folds(folds, predictions.n_samples)
    return predict_folds(fit_folds(map, predictions, chosen)[1], predictions, chosen)


def fit_folds(map: Any, predictions: Predictions, folds: IntArray) -> tuple[Any, list[Any]]:  # noqa: A002
    """Return the map fitted to all rows, and for each fold the map fitted to the others."""
    if isinstance(map, Map):
        return map.fit_folds(predictions, folds)
    parts = [predictions.take(folds != k) for k in range(int(folds.max()) + 1)]
    whole, *others = [
        fit_object(map, part.y_prob, part.y_true, part.sample_weight)
        for part in (predictions, *parts)
    ]
    return whole, others


def predict_folds(maps: list[Any], predictions: Predictions, folds: IntArray) -> FloatArray:
    """Return each row's probabilities from the map of its fold."""
    result = np.empty(predictions.y_prob.shape)
    for fold, fitted in enumerate(maps):
        rows = np.flatnonzero(folds == fold)
        result[rows] = predict(fitted, predictions.y_prob[rows])
    return result


def predict(fitted: Any, table: FloatArray) -> FloatArray:
    """Return the recalibrated rows of a checked table, after checking the output of other maps."""
    if isinstance(fitted, FittedMap):
        return fitted.predict_checked(table)
    answer = np.asarray(fitted.predict_proba(table), dtype=np.float64)
    if answer.shape != table.shape or not np.isfinite(answer).all():
        raise DataError(
            Problem.SHAPE,
            f"`predict_proba` of {type(fitted).__name__} must return finite numbers of shape "
            f"{table.shape}",
            got=f"shape {answer.shape}"
            if answer.shape != table.shape
            else "NaN or infinite values",
        )
    return answer


def fit_object(
    map: Any,  # noqa: A002
    y_prob: FloatArray,
    y_true: IntArray,
    sample_weight: FloatArray | None,
) -> Any:
    """Fit a copy of an object in the style of scikit-learn."""
    for method in ("fit", "predict_proba"):
        if not callable(getattr(map, method, None)):
            raise TypeError(
                "`map` must be a recalibration map, or an object with `fit(P, y)` and "
                f"`predict_proba(P)`; {type(map).__name__} has no {method}."
            )
    given = {} if sample_weight is None else {"sample_weight": sample_weight}
    return deepcopy(map).fit(y_prob, y_true, **given)


def _check_folds(folds: Any, n: int) -> IntArray:
    numbers = np.asarray(folds)
    if numbers.shape != (n,) or numbers.dtype.kind not in "iu":
        raise DataError(
            Problem.SHAPE,
            f"must be one integer per row, shape ({n},)",
            argument="folds",
            got=f"{numbers.dtype} of shape {numbers.shape}",
        )
    counts = np.bincount(numbers) if numbers.min() >= 0 else np.zeros(1)
    if len(counts) < 2 or not counts.all():
        raise DataError(
            Problem.RANGE,
            "must be numbers 0, 1, … of at least two folds, none of them empty",
            argument="folds",
            got=f"{np.unique(numbers)[:10].tolist()}",
        )
    return numbers.astype(np.int64)
