"""The consistency band: the label frequencies that a calibrated model shows in its bins."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from calibrant._engine import LabelResampler
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions

#: labels held in memory at once
_LABELS = 1 << 22


@dataclass(frozen=True, eq=False)
class ConsistencyBand:
    """Where the frequencies of a calibrated model stay, each of them and all together, (k,)."""

    bin_low: FloatArray
    bin_high: FloatArray
    band_low: FloatArray
    band_high: FloatArray


def consistency_band(
    predictions: Predictions,
    ids: IntArray,
    confidence_level: float,
    n_resamples: int,
    resampler: LabelResampler,
) -> ConsistencyBand:
    r"""Return the band from labels that are drawn from the predictions; exact at every n.

    Cost: O(n·B) time for B resamples, memory of a fixed block.

    Parameters
    ----------
    predictions : Predictions
        Two classes; the frequency of the last one is looked at.
    ids : ndarray of shape (n_samples,)
        The bin of every row.
    confidence_level : float in (0, 1)
    n_resamples : int
        B.
    resampler : LabelResampler

    Returns
    -------
    ConsistencyBand

    Notes
    -----
    With confidence level γ, of the B resampled frequencies of a bin the ⌊(B + 1)(1 − γ)/2⌋-th
    smallest and largest are the ends for this bin alone. All bins together:
    :math:`e_b \pm c\,s_b`, where :math:`e_b` is the mean prediction, :math:`s_b^2` the variance of
    the frequency plus that of one label, so that bins of few rows do not set the width for all,
    and c the ⌈γ(B + 1)⌉-th smallest of the resampled :math:`\max_b |q_b - e_b|/s_b`. Under
    calibration the observed labels are one more draw, which makes both exact. The second is then
    widened to hold the first, which is skewed in bins of few rows; its level can only grow.
    """
    expected = _Expected.of(predictions, ids)
    drawn = np.concatenate(list(drawn_frequencies(predictions, ids, resampler, n_resamples)))
    rank = math.floor(0.5 * (1.0 - confidence_level) * (n_resamples + 1) + 1e-9)
    ends = np.partition(drawn, [rank - 1, n_resamples - rank], axis=0)
    known = np.isfinite(expected.mean)
    z = np.abs(drawn - expected.mean)[:, known] / expected.scale[known]
    place = math.ceil(confidence_level * (n_resamples + 1) - 1e-9)
    half = float(np.sort(z.max(axis=1))[place - 1]) * expected.scale
    low, high = ends[rank - 1], ends[n_resamples - rank]
    return ConsistencyBand(
        bin_low=low,
        bin_high=high,
        band_low=np.minimum(low, np.clip(expected.mean - half, 0.0, 1.0)),
        band_high=np.maximum(high, np.clip(expected.mean + half, 0.0, 1.0)),
    )


@dataclass(frozen=True, eq=False)
class _Expected:
    """Mean and scale of the frequencies under calibration, (k,); NaN without weight."""

    mean: FloatArray
    scale: FloatArray

    @classmethod
    def of(cls, predictions: Predictions, ids: IntArray) -> _Expected:
        # labels are drawn from p/Σp
        p = predictions.y_prob[:, -1] / predictions.y_prob.sum(axis=1)
        weights, divisor = predictions.weights, _bin_weights(predictions, ids)
        largest = np.zeros(len(divisor))
        np.maximum.at(largest, ids, weights)
        variance = np.bincount(ids, weights**2 * p * (1.0 - p))
        mean = np.bincount(ids, weights * p) / divisor
        return cls(mean, np.sqrt(variance + largest**2) / divisor)


def _bin_weights(predictions: Predictions, ids: IntArray) -> FloatArray:
    weight = np.bincount(ids, predictions.sample_weight)
    return np.where(weight > 0.0, weight, np.nan)


def drawn_frequencies(
    predictions: Predictions, ids: IntArray, resampler: LabelResampler, n_resamples: int
) -> Iterator[FloatArray]:
    """Yield the resampled frequencies (replicates, k), some replicates at a time."""
    weights, divisor = predictions.sample_weight, _bin_weights(predictions, ids)
    step = max(1, _LABELS // predictions.n_samples)
    for start in range(0, n_resamples, step):
        replicates = range(start, min(start + step, n_resamples))
        labels = resampler.labels(predictions.y_prob, replicates)
        hits = (row if weights is None else row * weights for row in labels)
        yield np.array([np.bincount(ids, hit, len(divisor)) for hit in hits]) / divisor
