"""The base class of all calibration errors: a frozen configuration that is callable on data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import numpy as np

from calibrant._execution import Parallel, single_threaded_blas
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions, as_predictions, read
from calibrant.estimators._scorer import Lens, Scorer


class Estimator(ABC):
    """A calibration error: a configuration that you call on data to get a float.

    Subclasses are frozen dataclasses that define `estimate`. Instances are picklable, compare
    by value and have a ``repr`` that rebuilds them. They plug into scikit-learn as
    ``scoring=estimator.scorer()``, or as
    ``make_scorer(estimator, response_method="predict_proba", greater_is_better=False)``.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from calibrant.estimators import Estimator
    >>> @dataclass(frozen=True)
    ... class Bias(Estimator):
    ...     def estimate(self, predictions, parallel=None):
    ...         return float(abs(predictions.residuals[:, -1].mean()))
    >>> Bias()([0, 1], [0.25, 0.5])
    0.125
    """

    @property
    def __name__(self) -> str:
        # scikit-learn prints a scorer as the name of its function
        return repr(self)

    @single_threaded_blas()  # BLAS sums depend on the number of threads
    def __call__(
        self,
        y_true: Any,
        y_prob: Any = None,
        *,
        classes: Iterable[Any] | None = None,
        pos_label: Any = None,
        sample_weight: Any = None,
        clusters: Any = None,
        normalize: bool = False,
        n_jobs: int | None = None,
    ) -> float:
        """Return the estimate on labels and predicted probabilities.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or Predictions
            Labels, or one `Predictions` in place of labels and probabilities.
        y_prob : array-like of shape (n_samples, n_classes) or (n_samples,)
            Predicted distributions, or probabilities of the positive class.
        classes : sequence, optional
            The classes in the order of the columns of `y_prob`.
        pos_label : optional
            The class whose probabilities a one-dimensional `y_prob` holds.
        sample_weight : array-like of shape (n_samples,), optional
            Non-negative weights of the samples.
        clusters : array-like of shape (n_samples,), optional
            Cluster id of each row. They are checked, but do not change the estimate.
        normalize : bool, default False
            Divide the rows of `y_prob` by their sums.
        n_jobs : int, optional
            Number of threads; all cores this process may use by default.

        Returns
        -------
        float
        """
        predictions = as_predictions(
            y_true,
            y_prob,
            classes=classes,
            pos_label=pos_label,
            sample_weight=sample_weight,
            clusters=clusters,
            normalize=normalize,
        )
        return self.estimate(predictions, Parallel(n_jobs))

    @abstractmethod
    def estimate(self, predictions: Predictions, parallel: Parallel = Parallel()) -> float:
        """Return the estimate on checked data.

        Parameters
        ----------
        predictions : Predictions
            Labels and probabilities.
        parallel : Parallel, optional
            Threads, executor, progress and checkpoint; all cores by default.
        """

    def resolve(self, y_prob: FloatArray) -> Estimator:
        """Return the estimator with every rule replaced by its value on these predictions."""
        return self

    def many(self, y_true: Any, y_prob: Any, parallel: Parallel = Parallel()) -> FloatArray:
        """Return one estimate for each of many data sets of equal size.

        Parameters
        ----------
        y_true : array-like of shape (n_datasets, n_samples)
            Class indices 0..n_classes-1.
        y_prob : array-like of shape (n_datasets, n_samples, n_classes)
            Predicted distributions. Row sums are checked less strictly than for one data set.
        parallel : Parallel, optional
            Threads; all cores by default.

        Returns
        -------
        ndarray of shape (n_datasets,)
        """
        codes, probs = as_batch(y_true, y_prob)
        return np.array(
            [self.estimate(Predictions(y, p), parallel) for y, p in zip(codes, probs, strict=True)],
            dtype=np.float64,
        )

    def over_labels(
        self, predictions: Predictions, labels: Any, parallel: Parallel = Parallel()
    ) -> FloatArray:
        """Return one estimate for each label set of the same predictions.

        Parameters
        ----------
        predictions : Predictions
            The predictions; their own labels are not used.
        labels : array-like of shape (n_label_sets, n_samples)
            Class indices 0..n_classes-1.
        parallel : Parallel, optional
            Threads and progress; all cores by default.

        Returns
        -------
        ndarray of shape (n_label_sets,)
        """
        codes = as_label_sets(labels, predictions)
        threads, estimates = Parallel(parallel.n_jobs), []  # one estimate is not worth sending
        for row in codes:
            estimates.append(self.estimate(predictions.with_labels(row.astype(np.int64)), threads))
            if parallel.progress is not None:
                parallel.progress(len(estimates), len(codes))
        return np.array(estimates, dtype=np.float64)

    def scorer(self, lens: Lens | None = None) -> Scorer:
        """Return minus the error as a function of a fitted classifier, for ``scoring=``.

        Greater is better. The scorer reads ``classes_``, so labels may be strings.

        Parameters
        ----------
        lens : callable, optional
            The lens to apply to the predictions first, for example ``Predictions.top_label``.

        Returns
        -------
        Scorer

        Examples
        --------
        >>> import calibrant as cal
        >>> cal.ECE(cal.binning.Uniform(15)).scorer(cal.Predictions.top_label).estimator
        ECE(binning=Uniform(n=15), distance='tv', norm=1)
        """
        return Scorer(self, lens)


def as_batch(y_true: Any, y_prob: Any) -> tuple[IntArray, FloatArray]:
    """Check and return the labels (B, n) and probabilities (B, n, m) of many data sets."""
    probs = np.ascontiguousarray(read(y_prob, "y_prob").values, dtype=np.float64)
    if probs.ndim != 3:
        raise ValueError(
            "`y_prob` must have shape (n_datasets, n_samples, n_classes); "
            f"got {probs.shape}. For one data set, call the estimator itself."
        )
    if 0 in probs.shape[1:]:
        raise ValueError(f"`y_prob` must have samples and classes; got shape {probs.shape}.")
    codes = read(y_true, "y_true").values
    if codes.shape != probs.shape[:2]:
        raise ValueError(
            f"`y_true` must have the shape {probs.shape[:2]} of the first two axes of `y_prob`; "
            f"got {codes.shape}."
        )
    # one pass each; NaN fails both comparisons
    if probs.size and not (probs.min() >= 0 and probs.max() <= 1):
        raise ValueError(
            "`y_prob` must be probabilities in [0, 1]; "
            f"got values from {probs.min():.6g} to {probs.max():.6g}. "
            "Turn logits into probabilities with a softmax first."
        )
    _check_codes("y_true", codes, probs.shape[2])
    return np.ascontiguousarray(codes, dtype=np.int64), probs


def as_label_sets(labels: Any, predictions: Predictions) -> np.ndarray[Any, Any]:
    """Check label sets (B, n) of the predictions and return them as C-contiguous integers."""
    codes = np.ascontiguousarray(read(labels, "labels").values)
    if codes.ndim != 2 or codes.shape[1] != predictions.n_samples:
        raise ValueError(
            f"`labels` must have shape (n_label_sets, {predictions.n_samples}), one row of class "
            f"indices for each label set; got {codes.shape}."
        )
    _check_codes("labels", codes, predictions.n_classes)
    return codes


def _check_codes(name: str, codes: np.ndarray[Any, Any], n_classes: int) -> None:
    if not np.issubdtype(codes.dtype, np.integer):
        raise ValueError(
            f"`{name}` must be integer class indices in [0, {n_classes}); got dtype {codes.dtype}."
        )
    if codes.size and not (codes.min() >= 0 and codes.max() < n_classes):
        raise ValueError(
            f"`{name}` must be class indices in [0, {n_classes}); "
            f"got values from {codes.min()} to {codes.max()}. Number the classes from 0."
        )
