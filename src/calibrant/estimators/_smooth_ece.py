"""The smooth calibration error: smoothed residuals, with a kernel width equal to the error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrant._execution import Parallel, run, spans
from calibrant._native import FloatArray
from calibrant._predictions import Predictions, event_classes
from calibrant.estimators._base import Estimator, as_label_sets

#: cells of the residuals; the relative error is below 1e-3 for values above 1e-3
N_CELLS = 4096


@dataclass(frozen=True)
class SmoothECE(Estimator):
    r"""Smooth calibration error of the positive class, or of the top label (multi-class).

    In [0, 1]; continuous in the predictions, with no bins to choose. On a finite sample it is
    positive even for a calibrated model. Cost O(n + k log k) with k = 4096 cells, for each label
    set.

    Notes
    -----
    With the probability :math:`s_i` of the event of `Predictions.event`, its occurrence
    :math:`c_i` and a Gaussian :math:`K_\sigma` on [0, 1], reflected at both ends,

    .. math:: smECE_\sigma = \int_0^1 \Big| \frac1n \sum_i K_\sigma(t, s_i)(c_i - s_i) \Big|\, dt,

    which decreases as σ grows; the error is the σ with :math:`smECE_\sigma = \sigma`. As in the
    authors' program, the Gaussian is truncated at ±1/2 and normalized, which matters only above
    0.15.

    References
    ----------
    Błasiok and Nakkiran, "Smooth ECE: principled reliability diagrams via kernel smoothing",
    ICLR 2024.

    Examples
    --------
    >>> import calibrant as cal
    >>> y_prob = [0.7] * 100
    >>> y_true = [1] * 50 + [0] * 50
    >>> round(cal.SmoothECE()(y_true, y_prob), 3)
    0.2

    Every probability is 0.2 too high, and the error is 0.2.
    """

    def estimate(self, predictions: Predictions, parallel: Parallel = Parallel()) -> float:
        """Return the estimate on checked data."""
        event = predictions.event()
        return _fixed_point(_Cells.of(event).residuals(event.y_true.astype(np.float64)))

    def over_labels(
        self, predictions: Predictions, labels: Any, parallel: Parallel = Parallel()
    ) -> FloatArray:
        """Return one estimate for each label set; the cells are found once."""
        codes = as_label_sets(labels, predictions)
        cells, event = _Cells.of(predictions.event()), event_classes(predictions)

        def some(rows: slice) -> list[float]:
            return [_fixed_point(cells.residuals((y == event).astype(float))) for y in codes[rows]]

        return np.array([v for part in run(some, spans(len(codes), 16), parallel) for v in part])


@dataclass(frozen=True, eq=False)
class _Cells:
    """The position of each row: the cell centers on both sides and the share of the upper one."""

    lower: np.ndarray[Any, Any]
    part: FloatArray
    probability: FloatArray
    share: FloatArray

    @classmethod
    def of(cls, event: Predictions) -> _Cells:
        p = event.distributions[:, 1]
        place = np.clip(p * N_CELLS - 0.5, 0.0, N_CELLS - 1.0)
        lower = np.minimum(place.astype(np.int64), N_CELLS - 2)
        return cls(lower, place - lower, p, event.weights / event.weights.sum())

    def residuals(self, hit: FloatArray) -> FloatArray:
        """Return Σ w(c − s) of every cell; each row is split between its two neighboring cells."""
        residual = self.share * (hit - self.probability)
        upper = residual * self.part
        return np.asarray(
            np.bincount(self.lower, residual - upper, N_CELLS)
            + np.bincount(self.lower + 1, upper, N_CELLS)
        )


def _fixed_point(cells: FloatArray) -> float:
    from scipy.fft import dct, idct
    from scipy.optimize import brentq

    # smoothing with a reflected kernel multiplies the cosine transform
    transform = dct(cells, type=2)
    half = np.arange(N_CELLS // 2 + 1) / N_CELLS

    def smoothed(sigma: float) -> float:
        kernel = np.zeros(N_CELLS + 1)
        kernel[: len(half)] = np.exp(-0.5 * (half / sigma) ** 2)
        kernel[len(half) - 1] *= 0.5  # the end weight of the trapezoidal rule
        factors = dct(kernel, type=1)[:-1]
        return float(np.abs(idct(transform * (factors / factors[0]), type=2)).sum())

    least = 1.0 / N_CELLS
    if smoothed(least) <= least:
        return smoothed(least)
    return float(brentq(lambda sigma: smoothed(sigma) - sigma, least, 1.0, xtol=1e-12))
