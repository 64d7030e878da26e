"""The witness function: where each class occurs more or less often than predicted."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrant._engine import LabelResampler, LabelSets, feature_sums, few_class_sums
from calibrant._execution import Parallel, limits, run, single_threaded_blas, spans
from calibrant._followup.where._label_sets import FEW_CLASSES, STATE_SIZE
from calibrant._followup.where._pvalues import TIE
from calibrant._native import BoolArray, FloatArray
from calibrant._output import concise
from calibrant._predictions import Predictions
from calibrant.kernels import ScalarKernel

#: label sets of a task, each of which recomputes all values
SETS = 512


@concise
@dataclass(frozen=True, eq=False)
class Witness:
    """The witness function at some points, with the band of a calibrated model.

    Attributes
    ----------
    points : ndarray of shape (n_points, n_classes)
        Points of the probability simplex.
    values : ndarray of shape (n_points, n_classes)
        Values of the witness; positive if the class occurs more often than predicted near the
        point.
    sd : ndarray of shape (n_points, n_classes)
        The standard deviation of the values for a calibrated model.
    critical : float
        The values of a calibrated model leave ±critical·sd anywhere with probability at most
        `alpha`.
    alpha : float
        Significance of the band.
    pvalue : float
        P-value of the largest |values/sd|.

    Examples
    --------
    >>> import calibrant as cal
    >>> rows = cal.models.M2(3).sample(200, rng=0)  # the first class is predicted too rarely
    >>> witness = cal.where(*rows, n_resamples=99, rng=0).witness([[0.2, 0.4, 0.4]])
    >>> bool(witness.outside[0, 0]), bool(witness.values[0, 0] > 0.0)
    (True, True)

    Near this prediction, the first class occurs more often than predicted.
    """

    points: FloatArray
    values: FloatArray
    sd: FloatArray
    critical: float
    alpha: float
    pvalue: float

    @property
    def band(self) -> FloatArray:
        """Half-width of the band around 0, shape (n_points, n_classes)."""
        return self.critical * self.sd

    @property
    def outside(self) -> BoolArray:
        """Where the values leave the band, shape (n_points, n_classes).

        Always False where a calibrated model has no spread: a difference there is rounding, or a
        label whose probability was exactly 0.
        """
        return np.asarray((np.abs(self.values) > self.band * (1.0 + TIE)) & (self.sd > 0.0))


@dataclass(frozen=True, eq=False)
class WitnessSource:
    """The data of the witness function: predictions, kernel and resampled labels."""

    predictions: Predictions
    kernel: ScalarKernel
    resampler: LabelResampler
    n_resamples: int
    alpha: float
    n_jobs: int | None

    def at(self, points: Any) -> Witness:
        """Return the witness at points of the simplex, with its band."""
        at = self._checked(points)
        n_sets, m = self.n_resamples + 1, self.predictions.n_classes
        size = max(8, min(SETS, STATE_SIZE // (m * len(at))))
        tasks = [range(n_sets)[part] for part in spans(n_sets, size)]
        with single_threaded_blas():  # BLAS sums depend on the number of threads
            sd = np.sqrt(self._variances(at))

        def one(sets: range) -> tuple[FloatArray, FloatArray]:
            sums = self._sums(sets, at)
            z = np.divide(sums, sd, out=np.zeros_like(sums), where=sd > 0.0)
            return sums[0], np.abs(z).max(axis=(1, 2))

        parts = list(run(one, tasks, Parallel(self.n_jobs)))
        largest = np.concatenate([z for _, z in parts])
        total = float(self.predictions.weights.sum())
        place = math.ceil((1.0 - self.alpha) * n_sets * (1.0 - TIE)) - 1
        count = np.count_nonzero(largest >= largest[0] * (1.0 - TIE))
        return Witness(
            points=at,
            values=parts[0][0] / total,
            sd=sd / total,
            critical=float(np.sort(largest)[place]),
            alpha=self.alpha,
            pvalue=float(count / n_sets),
        )

    def _values(self, rows: slice, at: FloatArray) -> FloatArray:
        """Return w_i k(p_i, t) for some rows and all points."""
        weights = self.predictions.weights[rows, None]
        return weights * self.kernel.tile(self.predictions.y_prob[rows], at)

    def _variances(self, at: FloatArray) -> FloatArray:
        """Return Σ_i w_i² k(p_i, t)² p_ic (1 − p_ic), shape (n_points, m)."""
        total = np.zeros((len(at), self.predictions.n_classes))
        for rows in spans(self.predictions.n_samples, limits().chunk_rows):
            p = self.predictions.y_prob[rows]
            total += (self._values(rows, at) ** 2).T @ (p * np.maximum(1.0 - p, 0.0))
        return total

    def _sums(self, sets: range, at: FloatArray) -> FloatArray:
        """Return Σ_i w_i k(p_i, t) r_i for every label set, shape (R, n_points, m)."""
        m = self.predictions.n_classes
        sums, expected = np.zeros((len(sets), m, len(at))), np.zeros((m, len(at)))
        for rows in spans(self.predictions.n_samples, limits().chunk_rows):
            part = self.predictions.take(rows)
            values = self._values(rows, at)
            label_sets = LabelSets.label_sets(part, self.resampler, sets, first_row=rows.start)
            add_by_class(values, label_sets, sums)
            expected += part.y_prob.T @ values
        return np.ascontiguousarray((sums - expected).transpose(0, 2, 1))

    def _checked(self, points: Any) -> FloatArray:
        at = np.ascontiguousarray(points, dtype=np.float64)
        m = self.predictions.n_classes
        if at.ndim != 2 or at.shape[1] != m or not len(at):
            raise ValueError(
                f"`points` must have shape (n_points, {m}), one distribution a row; got shape "
                f"{at.shape}."
            )
        if not (np.isfinite(at).all() and at.min() >= 0.0 and at.max() <= 1.0):
            raise ValueError(
                "`points` must be distributions, with entries in [0, 1]; got values from "
                f"{at.min():.6g} to {at.max():.6g}. Pass rows of predicted probabilities."
            )
        return at


def add_by_class(values: FloatArray, label_sets: LabelSets, sums: FloatArray) -> None:
    """Add Σ_{i: y_i = c} values[i] for every label set and class to `sums`, (R, m, F)."""
    m = label_sets.n_classes
    if m > FEW_CLASSES:
        feature_sums(values, label_sets, sums)
        return
    others = np.zeros((len(label_sets), m - 1, values.shape[1]))
    few_class_sums(np.broadcast_to(values, (m - 1, *values.shape)), label_sets, others)
    sums[:, 1:] += others
    sums[:, 0] += values.sum(axis=0) - others.sum(axis=1)
