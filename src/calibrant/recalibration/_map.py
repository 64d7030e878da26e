"""The base classes of recalibration maps and fitted maps."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrant._execution import spans
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions, as_predictions, check_probabilities, read
from calibrant.errors import DataError, Problem

#: smaller probabilities are raised to this, because log 0 is infinite
FLOOR = 1e-12

#: entries in a block, whose temporaries stay in the cache
BLOCK = 1 << 15


@dataclass(frozen=True, eq=False)
class FittedMap(ABC):
    """A fitted map from predicted to recalibrated probabilities.

    Parameters
    ----------
    n_classes : int
        Number of classes.
    floor : float
        Smaller probabilities are raised to it.

    Examples
    --------
    >>> from calibrant.recalibration import FittedMap, Identity
    >>> fitted = Identity().fit([[0.2, 0.8]], [1])
    >>> isinstance(fitted, FittedMap)
    True
    """

    n_classes: int
    floor: float

    @property
    @abstractmethod
    def n_parameters(self) -> int:
        """The number of fitted parameters."""

    @abstractmethod
    def transform(self, block: FloatArray) -> FloatArray:
        """Return recalibrated probabilities of checked rows, both class-major (m, rows)."""

    def predict_proba(self, y_prob: Any) -> FloatArray:
        """Return recalibrated probabilities, float64 of shape (n_samples, n_classes).

        Cost O(n·m); memory of the answer and a fixed block.

        Parameters
        ----------
        y_prob : array-like of shape (n_samples, n_classes) or (n_samples,)
            Probabilities as in `calibrant.Predictions`, with the classes in the order of the fit.

        Returns
        -------
        ndarray of float64, shape (n_samples, n_classes)
        """
        return self.predict_checked(self._checked(y_prob))

    def predict_checked(self, table: FloatArray) -> FloatArray:
        """Return recalibrated probabilities of rows already checked to be distributions."""
        result = np.empty(table.shape)
        for rows in spans(len(table), max(1, BLOCK // self.n_classes)):
            # class-major, so that sums over classes run along memory
            result[rows] = self.transform(np.ascontiguousarray(table[rows].T)).T
        return result

    def _checked(self, y_prob: Any) -> FloatArray:
        table = check_probabilities(read(y_prob, "y_prob"))
        if table.shape[1] != self.n_classes:
            raise DataError(
                Problem.CLASSES,
                f"must have {self.n_classes} columns, one per class of the fitted map",
                argument="y_prob",
                got=f"{table.shape[1]}",
                remedy="apply the map to predictions of the classifier that it was fitted to",
            )
        return table


class Map(ABC):
    """A configured family of maps; `fit` chooses one of them.

    Maps are frozen: only the fitted map that `fit` returns depends on data.

    Examples
    --------
    >>> from calibrant.recalibration import Map, Temperature
    >>> isinstance(Temperature(), Map)
    True
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """What the map is called in results and files."""

    @abstractmethod
    def count_parameters(self, n_classes: int) -> int | None:
        """Return the number of parameters of a fit, or None if it depends on the data."""

    def fit(self, y_prob: Any, y_true: Any, sample_weight: Any = None) -> FittedMap:
        """Return the fitted map.

        Parameters
        ----------
        y_prob : array-like of shape (n_samples, n_classes) or (n_samples,)
            Predicted probabilities.
        y_true : array-like of shape (n_samples,)
            Labels, as in `calibrant.Predictions`.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        FittedMap
        """
        return self.fit_predictions(as_predictions(y_true, y_prob, sample_weight=sample_weight))

    @abstractmethod
    def fit_predictions(self, predictions: Predictions) -> FittedMap:
        """Return the map fitted to checked predictions."""

    def fit_folds(
        self, predictions: Predictions, folds: IntArray
    ) -> tuple[FittedMap, list[FittedMap]]:
        """Return the map fitted to all rows, and for each fold the map fitted to the others."""
        n_folds = int(folds.max()) + 1
        others = [self.fit_predictions(predictions.take(folds != k)) for k in range(n_folds)]
        return self.fit_predictions(predictions), others


def check_floor(floor: float) -> None:
    """Raise ValueError unless the floor is a small positive probability."""
    number: object = floor
    if not isinstance(number, int | float | np.number) or not 0.0 < number < 0.01:
        raise ValueError(f"`floor` must be in (0, 0.01), for example 1e-12; got {floor!r}.")


def check_penalty(penalty: float | None, name: str = "penalty") -> None:
    """Raise ValueError unless the penalty is None or a finite non-negative number."""
    number: object = penalty
    if number is None:
        return
    if not isinstance(number, int | float | np.number) or not 0.0 <= number < math.inf:
        raise ValueError(
            f"`{name}` must be None, 0 or a positive number; got {penalty!r}. None depends on the "
            "number of rows, 0 means no penalty."
        )
