"""Maps fitted by convex minimization, to all rows and to all rows but one fold."""

from __future__ import annotations

from abc import abstractmethod
from typing import Generic, TypeVar

from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions
from calibrant.recalibration._log_linear import LogLinear
from calibrant.recalibration._map import FittedMap, Map, check_floor, check_penalty
from calibrant.recalibration._minimize import Problem, fit_problem, fit_problem_folds

Fitted = TypeVar("Fitted", bound=LogLinear)


class LikelihoodMap(Map, Generic[Fitted]):
    """A map whose parameters minimize a penalized log loss."""

    floor: float

    @abstractmethod
    def _problem(self, n_classes: int) -> Problem:
        """Return the family, its penalty and the start of the search."""

    @abstractmethod
    def _fitted(self, theta: FloatArray, n_classes: int) -> Fitted:
        """Return the map with these parameters."""

    def fit_predictions(self, predictions: Predictions) -> Fitted:
        """Return the map fitted to checked predictions."""
        m = predictions.n_classes
        return self._fitted(fit_problem(self._problem(m), predictions, self.floor), m)

    def fit_folds(
        self, predictions: Predictions, folds: IntArray
    ) -> tuple[FittedMap, list[FittedMap]]:
        """Return the map fitted to all rows, and for each fold the map fitted to the others."""
        m = predictions.n_classes
        whole, others = fit_problem_folds(self._problem(m), predictions, self.floor, folds)
        return self._fitted(whole, m), [self._fitted(other, m) for other in others]


class PenalizedMap(LikelihoodMap[LogLinear]):
    """A map whose parameters are pulled toward a common temperature."""

    penalty: float | None

    def __post_init__(self) -> None:
        check_penalty(self.penalty)
        check_floor(self.floor)

    def _rate(self, n: float, n_classes: int) -> float:
        """Return λ for n rows."""
        return n_classes / n if self.penalty is None else self.penalty
