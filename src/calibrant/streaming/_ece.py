"""Binned errors in one pass, with bins of equal width, which do not depend on the rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant._native import FloatArray
from calibrant._predictions import Predictions
from calibrant.binning import Uniform, check_count, label_sums
from calibrant.estimators import ECE, BinnedEstimator, Estimator
from calibrant.streaming._base import Accumulator


class StreamingECE(Accumulator):
    """The ECE or MCE with bins of equal width, for streamed rows.

    The result equals that of the estimator on all rows, up to rounding, in any order of the rows.
    Memory O(k·m) for k non-empty bins: few with two classes or after `top_label`, up to one per row
    with many classes.

    Parameters
    ----------
    estimator : ECE or MCE, default ``ECE(Uniform(10))``
        The estimator; its binning must be `Uniform`, because other bins depend on all rows.

    Examples
    --------
    >>> import calibrant as cal
    >>> from calibrant.streaming import StreamingECE
    >>> rows = cal.Predictions(*cal.models.M2(n_classes=3).sample(1000, rng=0)).top_label()
    >>> error = StreamingECE(cal.ECE(cal.binning.Uniform(15)))
    >>> for start in range(0, 1000, 100):
    ...     error.update(rows.take(slice(start, start + 100)))
    >>> abs(error.result() - cal.ECE(cal.binning.Uniform(15))(rows)) < 1e-12
    True
    """

    def __init__(self, estimator: Estimator | None = None) -> None:
        super().__init__()
        chosen = ECE() if estimator is None else estimator
        if not (isinstance(chosen, BinnedEstimator) and isinstance(chosen.binning, Uniform)):
            raise ValueError(
                "`estimator` must be an ECE or MCE with uniform bins, for example "
                f"`ECE(Uniform(15))`; got {chosen!r}. Other bins depend on all rows."
            )
        self.estimator = chosen
        self._bins: dict[bytes, FloatArray] = {}

    def result(self) -> float:
        """Return the error of all rows so far."""
        self._require_rows()
        table = np.array(list(self._bins.values()))
        m = (table.shape[1] - 1) // 2
        weight = table[:, 0]
        # ignore bins without weight
        table, weight = table[weight > 0], weight[weight > 0]
        gap = (table[:, 1 : m + 1] - table[:, m + 1 :]) / weight[:, None]
        return self.estimator._combine(gap, weight)

    def sums(self) -> dict[str, Any]:
        """Return the bins as arrays: their cells (k, ·), and Σw, Σwp and Σwe_y in columns."""
        cells = np.array([np.frombuffer(cell, dtype=np.int64) for cell in self._bins])
        table = np.array(list(self._bins.values()))
        return {**super().sums(), "cells": cells.astype(np.float64), "table": table}

    def _configuration(self) -> tuple[Any, ...]:
        return (self.estimator,)

    def _add_rows(self, predictions: Predictions) -> None:
        binning = self.estimator.binning
        assert isinstance(binning, Uniform)
        x, w = predictions.y_prob, predictions.weights
        ids = binning.assign(x)
        _, first = np.unique(ids, return_index=True)
        cells = binning.cells(x[first, -1:] if x.shape[1] == 2 else x[first])
        k = len(first)
        sums = np.empty((k, 1 + 2 * x.shape[1]))
        sums[:, 0] = np.bincount(ids, w, k)
        for c, column in enumerate(x.T):
            sums[:, 1 + c] = np.bincount(ids, w * column, k)
        sums[:, 1 + x.shape[1] :] = label_sums(predictions.y_true, w, ids, (k, x.shape[1]))
        self._add_bins({cell.tobytes(): row for cell, row in zip(cells, sums, strict=True)})

    def _add_sums(self, sums: dict[str, Any]) -> None:
        rows = zip(sums["cells"].astype(np.int64), sums["table"], strict=True)
        self._add_bins({cell.tobytes(): row for cell, row in rows})

    def _add_bins(self, bins: dict[bytes, FloatArray]) -> None:
        for cell, row in bins.items():
            if cell in self._bins:
                self._bins[cell] += row
            else:
                self._bins[cell] = row.copy()


class StreamingClasswiseECE(Accumulator):
    r"""The mean class-wise ECE, each class against all others, for streamed rows.

    In [0, 1]; because of noise, positive even for a calibrated model. The result is the mean of
    ``ECE(Uniform(n_bins))`` over every ``predictions.one_vs_rest(c)``, in any order of the rows.
    Memory O(m·n_bins).

    Parameters
    ----------
    n_bins : int, default 15
        Number of bins of equal width for each class.

    Notes
    -----
    .. math:: \frac1m \sum_c \sum_b \frac{|\sum_{i \in b} w_i (p_{ic} - 1[y_i = c])|}{\sum_i w_i}

    Examples
    --------
    >>> from calibrant.streaming import StreamingClasswiseECE
    >>> error = StreamingClasswiseECE(n_bins=2)
    >>> error.update([0, 1, 2], [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]])
    >>> error.result(), error.by_class()
    (0.0, array([0., 0., 0.]))
    """

    def __init__(self, n_bins: int = 15) -> None:
        super().__init__()
        check_count("StreamingClasswiseECE", "n_bins", n_bins, 1)
        self.n_bins = n_bins

    def by_class(self) -> FloatArray:
        """Return the error of every class, shape (n_classes,)."""
        self._require_rows()
        gaps: FloatArray = np.abs(self._sums["gaps"]).sum(axis=1) / self._sums["weight"]
        return gaps

    def result(self) -> float:
        """Return the mean over the classes."""
        return float(self.by_class().mean())

    def _configuration(self) -> tuple[Any, ...]:
        return (self.n_bins,)

    def _add_rows(self, predictions: Predictions) -> None:
        x, w = predictions.y_prob, predictions.weights
        cells = Uniform(self.n_bins).cells(x) - 1
        residuals = predictions.weighted_residuals
        gaps = [
            np.bincount(cell, residual, self.n_bins)
            for cell, residual in zip(cells.T, residuals.T, strict=True)
        ]
        self._add_sums({"gaps": np.array(gaps), "weight": float(w.sum())})
