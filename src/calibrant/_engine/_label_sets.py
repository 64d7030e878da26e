"""Many label sets of the same rows, in the layout of the native core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from calibrant import _native
from calibrant._engine._resampling import LabelResampler, label_type
from calibrant._execution import spans
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions

#: number of label sets that the native core processes together
BATCH = 64


@dataclass(frozen=True, eq=False)
class LabelSets:
    """R label sets of n rows, sample-major and padded to a multiple of 64.

    Parameters
    ----------
    codes : unsigned integer array of shape (n_samples, padded)
        ``codes[i, b]`` is the class of row i in label set b.
    count : int
        R, the number of label sets without padding.
    n_classes : int
        Number of classes.
    """

    codes: npt.NDArray[Any]
    count: int
    n_classes: int

    @classmethod
    def of(cls, labels: npt.NDArray[Any], n_classes: int) -> LabelSets:
        """Create them from label sets as rows, shape (R, n_samples)."""
        count, n = labels.shape
        codes = np.zeros((n, _padded(count)), label_type(n_classes))
        # few rows at a time, because strides of a power of two would evict cache lines
        for rows in spans(n, BATCH):
            codes[rows, :count] = np.ascontiguousarray(labels[:, rows]).T
        return cls(codes, count, n_classes)

    @classmethod
    def label_sets(
        cls,
        predictions: Predictions,
        resampler: LabelResampler,
        sets: range,
        *,
        first_row: int = 0,
    ) -> LabelSets:
        """Create label sets by number: set 0 has the observed labels, set b the draw b − 1."""
        drawn = range(max(sets.start - 1, 0), max(sets.stop - 1, 0))
        observed, m = len(sets) - len(drawn), predictions.n_classes
        codes = np.zeros((predictions.n_samples, _padded(len(sets))), label_type(m))
        if observed:
            codes[:, 0] = predictions.y_true
        resampler.fill_codes(predictions, drawn, codes, observed, first_row=first_row)
        return cls(codes, len(sets), m)

    def rows(self, rows: slice) -> LabelSets:
        """Return the label sets of a block of rows (a view)."""
        return LabelSets(self.codes[rows], self.count, self.n_classes)

    def sets(self, sets: range) -> LabelSets:
        """Return some label sets (a copy)."""
        codes = np.zeros((len(self.codes), _padded(len(sets))), self.codes.dtype)
        codes[:, : len(sets)] = self.codes[:, sets.start : sets.stop]
        return LabelSets(codes, len(sets), self.n_classes)

    def labels(self, b: int) -> IntArray:
        """Return one label set, shape (n_samples,)."""
        return self.codes[:, b].astype(np.int64)

    def __len__(self) -> int:
        return self.count


def _padded(count: int) -> int:
    return -(-count // BATCH) * BATCH


def residual_values(predictions: Predictions, c: int) -> tuple[FloatArray, FloatArray]:
    """Return w(1 − p_c) and −w p_c, the residuals of class c if it is the label, or not."""
    p = predictions.y_prob[:, c]
    weights = predictions.weights
    return weights * (1.0 - p), -weights * p


def core_for(label_sets: LabelSets) -> Any:
    """Return the native core, or None if it is off or cannot store the labels."""
    # more than 65,536 classes do not fit the native labels
    return _native.active() if label_sets.codes.dtype.itemsize <= 2 else None
