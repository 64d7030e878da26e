"""The base class of accumulators: sums over rows, which add up over parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Self

import numpy as np

from calibrant._execution import single_threaded_blas
from calibrant._predictions import Predictions, as_predictions, join_weight_sums


class Accumulator(ABC):
    """Sums over rows, from which an error can be computed at any time.

    Subclasses store everything that adds up in `_sums`, a dict of numbers and arrays, and define
    their configuration in `_configuration`.

    Examples
    --------
    >>> from calibrant.streaming import StreamingECE
    >>> monday, tuesday = StreamingECE(), StreamingECE()
    >>> monday.update([0, 1], [0.25, 0.75])
    >>> tuesday.update([1, 1], [0.5, 0.75])
    >>> monday.merge(tuesday)
    >>> monday.n_samples, round(monday.result(), 4)
    (4, 0.3125)
    """

    def __init__(self) -> None:
        self.n_samples = 0
        self._classes: tuple[Any, ...] | None = None
        self._sums: dict[str, Any] = {}

    def update(
        self,
        y_true: Any,
        y_prob: Any = None,
        *,
        classes: Iterable[Any] | None = None,
        pos_label: Any = None,
        sample_weight: Any = None,
        normalize: bool = False,
    ) -> None:
        """Add some rows: two arrays, or one `Predictions`.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or Predictions
            Labels, or one `Predictions` in place of labels and probabilities.
        y_prob : array-like of shape (n_samples, n_classes) or (n_samples,)
            Predicted probabilities.
        classes, pos_label, sample_weight, normalize
            See `Predictions`. All parts must have the same classes.
        """
        predictions = as_predictions(
            y_true,
            y_prob,
            classes=classes,
            pos_label=pos_label,
            sample_weight=sample_weight,
            normalize=normalize,
        )
        self._agree(predictions.classes)
        with single_threaded_blas():  # BLAS sums depend on the number of threads
            self._add_rows(predictions)
        self.n_samples += predictions.n_samples

    def merge(self, other: Self) -> None:
        """Add the rows of another accumulator with the same configuration."""
        if type(other) is not type(self) or other._configuration() != self._configuration():
            raise ValueError(
                f"only accumulators of the same kind and configuration can be merged; got {self!r} "
                f"and {other!r}."
            )
        if other._classes is not None:
            self._agree(other._classes)
        self.add_sums(other.sums())

    def sums(self) -> dict[str, Any]:
        """Return the state as numbers and arrays, for `add_sums` of another accumulator."""
        return {"n_samples": float(self.n_samples), **self._sums}

    def add_sums(self, sums: dict[str, Any]) -> None:
        """Add the `sums` of an accumulator with the same configuration and classes."""
        self.n_samples += int(sums["n_samples"])
        self._add_sums({name: value for name, value in sums.items() if name != "n_samples"})

    @abstractmethod
    def result(self) -> Any:
        """Return the error of all rows so far."""

    @abstractmethod
    def _configuration(self) -> tuple[Any, ...]:
        """Return the values that two accumulators must share."""

    @abstractmethod
    def _add_rows(self, predictions: Predictions) -> None:
        """Add rows, whose classes have been checked."""

    def _add_sums(self, sums: dict[str, Any]) -> None:
        """Add numbers and arrays of the same names; "weights" are those of `weight_sums`."""
        for name, value in sums.items():
            if name == "weights" and name in self._sums:
                self._sums[name] = join_weight_sums(self._sums[name], value)
            elif name in self._sums:
                self._sums[name] = self._sums[name] + value
            else:
                self._sums[name] = np.copy(value) if isinstance(value, np.ndarray) else value

    def _agree(self, classes: tuple[Any, ...]) -> None:
        if self._classes is None:
            self._classes = classes
        elif self._classes != classes:
            raise ValueError(
                f"all parts must have the same classes; got {classes} after {self._classes}. Pass "
                "`classes=` with every part."
            )

    def _require_rows(self) -> None:
        if not self.n_samples:
            raise ValueError("there is no result before the first row; call `update` first.")

    def __repr__(self) -> str:
        inside = ", ".join(map(repr, self._configuration()))
        return f"{type(self).__name__}({inside})"
