"""Many labellings of the same rows, side by side, as the native core wants them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from calibrant._resampling import LabelResampler, label_type

if TYPE_CHECKING:
    from calibrant._predictions import Predictions
    from calibrant._typing import FloatArray, IntArray

#: the native core handles this many labellings at once
BATCH = 64


@dataclass(frozen=True, eq=False)
class Labelings:
    """R labellings of n rows, sample-major and padded to a multiple of 64.

    Parameters
    ----------
    codes : unsigned integer array of shape (n_samples, padded)
        ``codes[i, b]`` is the class of row i in labelling b.
    count : int
        R, the labellings that count; the others are padding.
    n_classes : int
    """

    codes: npt.NDArray[Any]
    count: int
    n_classes: int

    @classmethod
    def of(cls, labels: npt.NDArray[Any], n_classes: int) -> Labelings:
        """Take labellings as rows, shape (R, n_samples)."""
        count, n = labels.shape
        codes = np.zeros((n, -(-count // BATCH) * BATCH), label_type(n_classes))
        codes[:, :count] = labels.T
        return cls(codes, count, n_classes)

    @classmethod
    def observed_and_drawn(
        cls,
        predictions: Predictions,
        resampler: LabelResampler,
        n_resamples: int,
        *,
        first_row: int = 0,
    ) -> Labelings:
        """Take the observed labels as labelling 0 and draw the others from the predictions."""
        drawn = resampler.labels(predictions.y_prob, range(n_resamples), first_row=first_row)
        observed = predictions.y_true[None].astype(drawn.dtype)
        return cls.of(np.concatenate([observed, drawn]), predictions.n_classes)

    def rows(self, rows: slice) -> Labelings:
        """Return the labellings of a block of rows (a view)."""
        return Labelings(self.codes[rows], self.count, self.n_classes)

    def labels(self, b: int) -> IntArray:
        """Return one labelling, shape (n_samples,)."""
        return self.codes[:, b].astype(np.int64)

    def __len__(self) -> int:
        return self.count


def residual_values(predictions: Predictions, c: int) -> tuple[FloatArray, FloatArray]:
    """Return w(1 − p_c) and −w p_c: the residual of class c where it is the label, and where not."""
    p = predictions.y_prob[:, c]
    weights = predictions.weights
    return weights * (1.0 - p), -weights * p
