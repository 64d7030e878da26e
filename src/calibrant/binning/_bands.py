"""Noise in a bin: Clopper–Pearson intervals and the bands of a calibrated model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from calibrant._engine import LabelResampler
from calibrant._execution import limits, spans
from calibrant._native import FloatArray, IntArray
from calibrant._output import Framed, to_plain
from calibrant._predictions import Predictions


class Banded(Framed):
    """Frequencies with the simultaneous band of a calibrated model, as arrays of equal length."""

    observed: FloatArray
    band_low: FloatArray
    band_high: FloatArray

    @property
    def outside(self) -> IntArray:
        """Where the frequency leaves the simultaneous band: −1 below, 1 above, 0 inside."""
        # sums of weights in different orders differ by rounding
        above = self.observed > self.band_high + 1e-9
        below = self.observed < self.band_low - 1e-9
        return above.astype(np.int64) - below.astype(np.int64)

    def to_dict(self) -> dict[str, Any]:
        """Return the columns as lists, one entry for each row; NaN becomes None."""
        table: dict[str, Any] = to_plain(self._columns())
        return table


def clopper_pearson(
    hits: Any, trials: Any, confidence_level: float
) -> tuple[FloatArray, FloatArray]:
    r"""Return the ends of the intervals for the probability behind `hits` in `trials`, (k,) each.

    Coverage is at least `confidence_level` for any number of trials. With weights, use an effective
    number of trials. NaN gives NaN.

    Notes
    -----
    With x hits in n trials the ends are quantiles of beta distributions: :math:`\alpha/2` of
    B(x, n − x + 1), or 0 without hits, and :math:`1 - \alpha/2` of B(x + 1, n − x), or 1 if
    all trials are hits.

    References
    ----------
    C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated in the
    case of the binomial", Biometrika 1934.
    """
    from scipy.special import betaincinv

    x, n = np.broadcast_arrays(np.asarray(hits, float), np.asarray(trials, float))
    tail = 0.5 * (1.0 - confidence_level)
    known = np.isfinite(x) & np.isfinite(n)
    # a weighted frequency may leave [0, 1] by rounding
    some, others = known & (x > 1e-12 * n), known & (n - x > 1e-12 * n)
    low, high = np.where(known, 0.0, np.nan), np.where(known, 1.0, np.nan)
    low[some] = betaincinv(x[some], (n - x)[some] + 1.0, tail)
    high[others] = betaincinv(x[others] + 1.0, (n - x)[others], 1.0 - tail)
    return low, high


def consistency_bands(
    predictions: Predictions,
    ids: IntArray,
    confidence_level: float,
    drawn: FloatArray,
) -> dict[str, FloatArray]:
    r"""Return the bands of a calibrated model's frequencies, by the fields of `Reliability`.

    `bin_low` and `bin_high` are the ends for each bin alone, `band_low` and `band_high` for all
    bins together; both are exact at every n. The predictions have two classes, `ids` are the bins
    of the rows, and `drawn` the `drawn_frequencies` (B, k).

    Notes
    -----
    With confidence level γ, the ends for a single bin are the ⌊(B + 1)(1 − γ)/2⌋-th smallest and
    largest of its B resampled frequencies. The band for all bins together is
    :math:`e_b \pm c\,s_b`, where :math:`e_b` is the mean prediction, :math:`s_b^2` the variance of
    the frequency plus that of one label (so that small bins do not set the width for all), and c
    the ⌈γ(B + 1)⌉-th smallest of the resampled :math:`\max_b |q_b - e_b|/s_b`. Under calibration
    the observed labels are one more draw, so both bands are exact. The second is then widened to
    contain the first, which is skewed in small bins; this can only increase its coverage.
    """
    mean, scale = _moments(predictions, ids)
    n_resamples = len(drawn)
    rank = math.floor(0.5 * (1.0 - confidence_level) * (n_resamples + 1) + 1e-9)
    ends = np.partition(drawn, [rank - 1, n_resamples - rank], axis=0)
    known = np.isfinite(mean)
    z = np.abs(drawn - mean)[:, known] / scale[known]
    place = math.ceil(confidence_level * (n_resamples + 1) - 1e-9)
    half = float(np.sort(z.max(axis=1))[place - 1]) * scale
    low, high = ends[rank - 1], ends[n_resamples - rank]
    return {
        "bin_low": low,
        "bin_high": high,
        "band_low": np.minimum(low, np.clip(mean - half, 0.0, 1.0)),
        "band_high": np.maximum(high, np.clip(mean + half, 0.0, 1.0)),
    }


def drawn_frequencies(
    predictions: Predictions, ids: IntArray, resampler: LabelResampler, n_resamples: int
) -> FloatArray:
    """Return the resampled frequencies (B, k); with weights, a few label sets at a time."""
    divisor = _bin_weights(predictions, ids)
    size, weight = len(divisor), predictions.sample_weight
    if weight is None:
        return drawn_together([predictions], [ids], resampler, n_resamples)[0]
    frequencies = np.empty((n_resamples, size))
    for part in spans(n_resamples, max(1, limits().band_labels // predictions.n_samples)):
        labels = resampler.draw(predictions, range(part.start, part.stop))
        for k, row in enumerate(labels, part.start):
            frequencies[k] = np.bincount(ids, row * weight, size)
    return frequencies / divisor


def drawn_together(
    views: Sequence[Predictions],
    ids: Sequence[IntArray],
    resampler: LabelResampler,
    n_resamples: int,
) -> list[FloatArray]:
    """Return the `drawn_frequencies` of views of the same unweighted rows, drawn once."""
    divisors = [_bin_weights(*one) for one in zip(views, ids, strict=True)]
    size = max(map(len, divisors))
    counts = resampler.event_counts(views, np.stack(ids), size, range(n_resamples))
    return [one[:, : len(divisor)] / divisor for one, divisor in zip(counts, divisors, strict=True)]


def _bin_weights(predictions: Predictions, ids: IntArray) -> FloatArray:
    """Return the weight of every bin; NaN if it is 0."""
    weight = np.bincount(ids, predictions.sample_weight)
    return np.where(weight > 0.0, weight, np.nan)


def _moments(predictions: Predictions, ids: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the mean and scale of the frequencies under calibration, (k,); NaN without weight."""
    divisor = _bin_weights(predictions, ids)
    # labels are drawn from p/Σp
    p = predictions.y_prob[:, -1] / predictions.y_prob.sum(axis=1)
    weights, largest = predictions.weights, np.zeros(len(divisor))
    np.maximum.at(largest, ids, weights)
    variance = np.bincount(ids, weights**2 * p * (1.0 - p))
    mean = np.bincount(ids, weights * p) / divisor
    return mean, np.sqrt(variance + largest**2) / divisor
