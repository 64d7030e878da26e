"""The base class of the binned errors: bins depend on the predictions only."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from calibrant import _native
from calibrant._execution import Parallel, in_slices
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions
from calibrant.binning import Binning, Bins, Uniform, bin_sums, check_ids, label_sums
from calibrant.estimators._base import Estimator, as_batch, as_label_sets

#: codes of the distances in the native core
_CODES = {"tv": 0, "cityblock": 1, "sqeuclidean": 2, "euclidean": 3, "maximum": 4}

_DEFAULT = Uniform(10)


@dataclass(frozen=True)
class BinnedEstimator(Estimator):
    """An error that is a function of the bins' weights, mean predictions and frequencies."""

    binning: Binning = _DEFAULT

    def __post_init__(self) -> None:
        if not isinstance(self.binning, Binning):
            raise ValueError(
                f"`binning` must be a binning, for example `Uniform(10)`; got {self.binning!r}."
            )

    @abstractmethod
    def _combine(self, gap: FloatArray, weight: FloatArray) -> float:
        """Return the error from the gaps (k, m) of bins with positive weights (k,)."""

    @abstractmethod
    def _native_form(self) -> tuple[str, int]:
        """Return the distance and norm with which the native core computes the same error."""

    def estimate(self, predictions: Predictions, parallel: Parallel = Parallel()) -> float:
        """Return the error on checked data, as computed from ``binning.bins(predictions)``."""
        if predictions.sample_weight is None and _native.active() is not None:
            # the same sums, without building the table
            one = predictions.y_true[None], predictions.y_prob[None]
            return float(self._errors(*one, slice(None))[0])
        bins = self.binning.bins(predictions)
        return self._error(bins.gap, bins.weight)

    def many(self, y_true: Any, y_prob: Any, parallel: Parallel = Parallel()) -> FloatArray:
        """Return one error for each of many data sets; see `Estimator.many`."""
        codes, probs = as_batch(y_true, y_prob)
        return in_slices(partial(self._errors, codes, probs), len(codes), parallel)

    def over_labels(
        self, predictions: Predictions, labels: Any, parallel: Parallel = Parallel()
    ) -> FloatArray:
        """Return one error for each label set; the predictions are binned once.

        See `Estimator.over_labels`. Cost O(n + k·m) for each label set.
        """
        codes = as_label_sets(labels, predictions)
        table = self.binning.bins(predictions), predictions.sample_weight
        errors = in_slices(partial(self._label_errors, *table, codes), len(codes), parallel)
        if parallel.progress is not None:
            parallel.progress(len(codes), len(codes))
        return errors

    def _errors(self, codes: IntArray, probs: FloatArray, some: slice) -> FloatArray:
        y_true, y_prob = codes[some], probs[some]
        out = np.empty(len(y_true))
        if not len(out):
            return out
        ids = check_ids(self.binning, self.binning.assign_many(y_prob), y_true.shape)
        core = _native.active()
        if core is not None:
            distance, norm = self._native_form()
            core.binning_errors(y_prob, y_true, ids, _CODES[distance], norm, out)
            return out
        for b in range(len(out)):
            _, weight, mean, frequency = bin_sums(y_prob[b], y_true[b], None, ids[b])
            out[b] = self._error(mean - frequency, weight)
        return out

    def _label_errors(
        self, bins: Bins, sample_weight: FloatArray | None, codes: Any, some: slice
    ) -> FloatArray:
        mean, weight, labels = bins.mean_prediction, bins.weight, codes[some]
        out = np.empty(len(labels))
        core = _native.active()
        if core is not None:
            distance, norm = self._native_form()
            if labels.dtype not in (np.uint8, np.uint16, np.uint32, np.int64):
                labels = labels.astype(np.int64)
            core.binning_label_errors(
                mean, weight, bins.ids, sample_weight, labels, _CODES[distance], norm, out
            )
            return out
        divisor = np.where(weight > 0, weight, np.nan)[:, None]
        for r, row in enumerate(labels):
            sums = label_sums(row.astype(np.int64), sample_weight, bins.ids, mean.shape)
            out[r] = self._error(mean - sums / divisor, weight)
        return out

    def _error(self, gap: FloatArray, weight: FloatArray) -> float:
        # ignore bins without weight
        if weight.min() > 0:
            return self._combine(gap, weight)
        return self._combine(gap[weight > 0], weight[weight > 0])
