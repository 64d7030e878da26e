"""Kernel errors in one pass, with blocks of consecutive rows or random features."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from calibrant._engine import FourierFeatures
from calibrant._execution import Parallel, limits, spans
from calibrant._native import FloatArray
from calibrant._predictions import Predictions, assemble, join, weight_sums
from calibrant.estimators import N_FREQUENCIES, SKCE, BlockSums
from calibrant.streaming._base import Accumulator


class StreamingBlockSKCE(Accumulator):
    """The block estimator of the SKCE, for streamed rows.

    Only pairs within blocks of consecutive rows count, so the rows should be in random order. Parts
    of any size, in order, give the same estimate as all rows together; rows of an incomplete block
    wait for the next part. After `merge`, the waiting rows of both accumulators form blocks.

    Parameters
    ----------
    estimator : SKCE
        The estimator, with a `block_size` and a kernel whose bandwidth is a number.

    Examples
    --------
    >>> import calibrant as cal
    >>> from calibrant.streaming import StreamingBlockSKCE
    >>> skce = cal.SKCE(cal.kernels.Laplacian(0.3), block_size=2)
    >>> y_true, y_prob = cal.models.M2(n_classes=3).sample(1000, rng=0)
    >>> error = StreamingBlockSKCE(skce)
    >>> for start in range(0, 1000, 99):
    ...     error.update(y_true[start : start + 99], y_prob[start : start + 99])
    >>> abs(error.result() - skce(y_true, y_prob)) < 1e-12
    True
    """

    def __init__(self, estimator: SKCE) -> None:
        super().__init__()
        if estimator.block_size is None:
            raise ValueError(
                "`estimator` must be an SKCE with blocks, for example "
                f"`SKCE(Laplacian(0.3), block_size=2)`; got {estimator!r}."
            )
        if estimator.kernel.resolve(np.full((1, 2), 0.5)) != estimator.kernel:
            raise ValueError(
                "`estimator` must have a bandwidth that is a number: a rule would see another one "
                f"in every part; got {estimator.kernel!r}. Take it from some rows first: "
                "`estimator.resolve(y_prob)`."
            )
        self.estimator = estimator
        self._size = int(estimator.block_size)
        self._waiting: Predictions | None = None

    def result(self) -> float:
        """Return the mean over the blocks so far."""
        sums = self._totals()
        if math.isnan(sums.estimate):
            raise ValueError(
                f"there is no result before the first block of {self._size} rows; got "
                f"{self.n_samples} rows. Call `update` with more."
            )
        return sums.estimate

    def standard_error(self) -> float:
        """Return the standard error of the mean; NaN with fewer than two blocks."""
        sums = self._totals()
        n = sums.n_blocks
        return math.sqrt(sums.deviation_squares / (n - 1) / n) if n > 1 else math.nan

    def _totals(self) -> BlockSums:
        return BlockSums(self._sums.get("blocks", BlockSums.zero().values))

    def _configuration(self) -> tuple[Any, ...]:
        return (self.estimator,)

    def _add_rows(self, predictions: Predictions) -> None:
        rows = predictions if self._waiting is None else join(self._waiting, predictions)
        full = len(rows) // self._size * self._size
        self._waiting = rows.take(slice(full, None)) if full < len(rows) else None
        if full:
            blocks = BlockSums.of(self.estimator, rows.take(slice(0, full)), Parallel(1))
            self._add_sums({"blocks": blocks.values})

    def sums(self) -> dict[str, Any]:
        """Return the sums over blocks, and the waiting rows as label, weight and probabilities."""
        rows = self._waiting
        if rows is None:
            return super().sums()
        waiting = np.column_stack([rows.y_true, rows.weights, rows.y_prob])
        return {**super().sums(), "waiting": waiting}

    def _add_sums(self, sums: dict[str, Any]) -> None:
        super()._add_sums({name: value for name, value in sums.items() if name != "waiting"})
        if "waiting" not in sums:
            return
        labels, weights, probs = np.split(sums["waiting"], [1, 2], axis=1)
        codes = labels[:, 0].astype(np.int64)
        classes = self._classes or tuple(range(probs.shape[1]))
        self._add_rows(assemble(codes, np.ascontiguousarray(probs), weights[:, 0].copy(), classes))


class StreamingSKCE(Accumulator):
    r"""The unbiased SKCE of a Laplacian kernel with random features, for streamed rows.

    All pairs count, in any order of the rows. The kernel is approximated to about :math:`D^{-1/2}`;
    the estimate may be negative. Cost: time O(n·m·D), memory O(m·D).

    Parameters
    ----------
    bandwidth : float
        Bandwidth of the kernel ``Laplacian(bandwidth)`` that is approximated.
    n_frequencies : int, default 512
        Number D of random frequencies.
    seed : int, default 0
        Seed of the features; only accumulators with equal features can be merged.

    Notes
    -----
    With features φ of length 1 and :math:`S = \sum_i w_i r_i \phi_i^\top`, the estimate is
    :math:`(|S|^2 - \sum_i w_i^2 |r_i|^2) / \sum_{i \ne j} w_i w_j`.

    Examples
    --------
    >>> import calibrant as cal
    >>> from calibrant.streaming import StreamingSKCE
    >>> y_true, y_prob = cal.models.M2(n_classes=3).sample(2000, rng=0)
    >>> error = StreamingSKCE(bandwidth=0.5)
    >>> for part in range(20):
    ...     rows = slice(100 * part, 100 * part + 100)
    ...     error.update(y_true[rows], y_prob[rows])
    >>> exact = cal.SKCE(cal.kernels.Laplacian(0.5))(y_true, y_prob)
    >>> abs(error.result() - exact) < 0.1 * exact
    True
    """

    def __init__(self, bandwidth: float, n_frequencies: int = N_FREQUENCIES, seed: int = 0) -> None:
        super().__init__()
        if not 0.0 < float(bandwidth) < math.inf:
            raise ValueError(
                f"`bandwidth` must be a positive number; got {bandwidth!r}. Take it from some "
                "rows first: `kernels.Laplacian().resolve(y_prob).bandwidth`."
            )
        self.bandwidth = float(bandwidth)
        self.n_frequencies = int(n_frequencies)
        self.seed = int(seed)
        self._features: FourierFeatures | None = None

    def result(self) -> float:
        """Return the estimate of all rows so far."""
        self._require_rows()
        outer: FloatArray = self._sums["outer"]
        pair_weight = float(self._sums["weights"][3])
        if pair_weight <= 0.0:
            raise ValueError(
                "the unbiased SKCE needs at least 2 rows with positive weight; got fewer "
                f"(rows so far: {self.n_samples})."
            )
        return float((np.sum(outer**2) - self._sums["diagonal"]) / pair_weight)

    def _configuration(self) -> tuple[Any, ...]:
        return self.bandwidth, self.n_frequencies, self.seed

    def _add_rows(self, predictions: Predictions) -> None:
        if self._features is None:
            self._features = FourierFeatures.draw(
                predictions.n_classes, [self.bandwidth], self.n_frequencies, self.seed
            )
        for rows in spans(len(predictions), limits().chunk_rows):
            part = predictions.take(rows)
            residuals = part.weighted_residuals
            self._add_sums(
                {
                    "outer": self._features.outer(part.y_prob, residuals),
                    "weights": weight_sums(part.weights),
                    "diagonal": float(np.sum(residuals**2)),
                }
            )
