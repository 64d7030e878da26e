"""The base class of all binnings: a frozen configuration that assigns each row to a bin."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions
from calibrant.binning._bins import Bins, bin_sums


class Binning(ABC):
    """A partition of predictions into bins.

    Bins depend on the predictions only, never on labels or weights: weights enter the sums over
    a bin. Subclasses define `assign`, and `edges` where a bin is an interval.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant.binning import Binning
    >>> from calibrant.estimators import ECE
    >>> class TopClass(Binning):
    ...     def assign(self, y_prob):
    ...         return np.unique(np.argmax(y_prob, axis=1), return_inverse=True)[1]
    >>> ECE(TopClass())([0, 1, 1, 0], [0.25, 0.25, 0.75, 0.75])
    0.25
    """

    @abstractmethod
    def assign(self, y_prob: Any) -> IntArray:
        """Return the bin of every row.

        Parameters
        ----------
        y_prob : array-like of shape (n_samples, n_classes)
            Predicted distributions, as `Predictions` holds them.

        Returns
        -------
        ndarray of shape (n_samples,)
            Bin numbers 0..k-1; every bin has at least one row.
        """

    def assign_many(self, y_prob: Any) -> IntArray:
        """Return the bins (n_datasets, n_samples) of many data sets of equal size."""
        return np.stack([self.assign(one) for one in y_prob])

    def edges(self, y_prob: FloatArray, ids: IntArray) -> tuple[FloatArray, FloatArray] | None:
        """Return the lower and upper edges of the bins on the last column, or None."""
        return None

    def bins(self, predictions: Predictions) -> Bins:
        """Return the table of the bins: sizes, mean predictions and label frequencies.

        Parameters
        ----------
        predictions : Predictions
            Labels, probabilities and weights.

        Returns
        -------
        Bins
        """
        x = predictions.y_prob
        ids = check_ids(self, self.assign(x), (predictions.n_samples,))
        sums = bin_sums(x, predictions.y_true, predictions.sample_weight, ids)
        count, weight, mean, frequency = sums
        lower, upper = self.edges(x, ids) or (None, None)
        return Bins(
            ids=ids,
            count=count,
            weight=weight,
            mean_prediction=mean,
            label_frequency=frequency,
            classes=tuple(predictions.classes),
            lower=lower,
            upper=upper,
        )


def as_matrix(y_prob: Any) -> FloatArray:
    """Return predictions as a C-contiguous float64 matrix, with light checks only."""
    probs = np.ascontiguousarray(y_prob, dtype=np.float64)
    if probs.ndim != 2 or 0 in probs.shape:
        raise ValueError(
            "`y_prob` must have shape (n_samples, n_classes) with samples and classes; "
            f"got {probs.shape}. Let `Predictions` bring data into that form."
        )
    return probs


def check_ids(binning: Binning, ids: Any, shape: tuple[int, ...]) -> IntArray:
    """Return bin numbers as int64, after checking what a custom `assign` returned."""
    ids = np.asarray(ids)
    if ids.shape != shape or not np.issubdtype(ids.dtype, np.integer) or ids.min() < 0:
        raise ValueError(
            f"`assign` of {binning!r} must return one integer from 0 for each row, shape {shape}; "
            f"got shape {ids.shape} of {ids.dtype}, smallest value {ids.min(initial=0)}."
        )
    return np.ascontiguousarray(ids, dtype=np.int64)


def check_count(owner: str, name: str, value: Any, minimum: int, maximum: int = 2**31 - 1) -> None:
    """Raise ValueError unless a parameter is an integer in [minimum, maximum]."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not (whole and minimum <= value <= maximum):
        raise ValueError(
            f"`{name}` of {owner} must be an integer in [{minimum}, {maximum}]; got {value!r}."
        )
