"""The squared kernel calibration error: biased, unbiased and block estimators."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from calibrant._engine import (
    Form,
    LabelSets,
    as_batches,
    is_radial,
    many_pair_sums,
    pair_sum,
)
from calibrant._execution import Parallel, computation
from calibrant._native import FloatArray
from calibrant._predictions import Predictions
from calibrant.estimators._base import Estimator, as_batch, as_label_sets
from calibrant.estimators._block_sums import block_pair_sums, refuse_soft_blocks
from calibrant.estimators._inside_sums import crossing_weight, inside_sums
from calibrant.estimators._skce_label_sets import (
    diagonal_sums_over_label_sets,
    pair_sums_over_label_sets,
)
from calibrant.kernels import Kernel, Laplacian, Typical, fixed_bandwidth


def _default_kernel() -> Kernel:
    return Laplacian(Typical())


@dataclass(frozen=True)
class SKCE(Estimator):
    r"""Squared kernel calibration error, the mean of :math:`h_{ij}` over pairs of samples.

    The true error is 0 for a calibrated model, and positive for any other if the kernel is
    universal. Unbiased estimates may be negative: only their mean over data sets is the error.

    Parameters
    ----------
    kernel : Kernel, default ``Laplacian(Typical())``
        Kernel on the probability simplex; a bandwidth rule is resolved once per call, from the
        predictions only.
    unbiased : bool, default True
        Average over pairs of different samples. ``False`` also counts every sample with itself,
        which makes the estimate non-negative and biased upwards.
    block_size : int, optional
        Average only over pairs within consecutive blocks of this many samples; samples left over
        at the end are dropped. ``block_size=2`` is the linear-time estimator of the paper. Blocks
        assume that the samples are in random order.

    Notes
    -----
    With residuals :math:`r_i = e_{y_i} - p_i` and :math:`h_{ij} = r_i^\top k(p_i, p_j)\, r_j`,

    .. math::

        \widehat{SKCE}_{uq} = \frac{1}{n(n-1)} \sum_{i \ne j} h_{ij}, \qquad
        \widehat{SKCE}_b = \frac{1}{n^2} \sum_{i,j} h_{ij},

    and the block estimator is the mean of the unbiased estimates of ⌊n/b⌋ full blocks. Sample
    weights multiply the residuals, and :math:`\sum_{i \ne j} w_i w_j` takes the place of
    :math:`n(n-1)`; integer weights are not the same as repeated rows, because two copies of a row
    would form a pair. With soft labels, the unbiased estimator counts only pairs in different
    clusters.

    Cost: O(n²m) time and O(nm) memory; O(n log n) for two classes (including every two-class lens)
    with a Laplacian kernel; O(n·b·m) with blocks.

    References
    ----------
    Widmann, Lindsten, Zachariah, "Calibration tests in multi-class classification: a unifying
    framework", NeurIPS 2019, table 1.

    Examples
    --------
    >>> import calibrant as cal
    >>> y_prob = [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.1, 0.9]]
    >>> skce = cal.SKCE(cal.kernels.Laplacian(0.5))
    >>> round(skce([0, 0, 1, 1], y_prob), 4)
    -0.0005
    >>> round(skce([1, 1, 0, 0], y_prob), 4)  # confident and wrong: a large error
    0.0916
    """

    kernel: Kernel = field(default_factory=_default_kernel)
    unbiased: bool = True
    block_size: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, Kernel):
            raise TypeError(
                f"`kernel` must be a calibrant kernel, e.g. `kernels.Laplacian(0.2)`; "
                f"got {self.kernel!r}. Wrap your own function in `kernels.FunctionKernel`."
            )
        if self.block_size is None:
            return
        size: Any = self.block_size
        if not isinstance(size, int | np.integer) or size < 2:
            raise ValueError(f"`block_size` must be an integer of 2 or more; got {size!r}")
        if not self.unbiased:
            raise ValueError("block estimators are unbiased; drop `unbiased=False` or `block_size`")

    def estimate(self, predictions: Predictions, parallel: Parallel = Parallel()) -> float:
        """Return the estimate on checked data; each task is a tile of pairs."""

        def belongs_to() -> dict[str, Any]:
            rows = predictions.y_true, predictions.y_prob, predictions.sample_weight
            return computation(*rows, estimator=self)

        with parallel.resumed(belongs_to) as opened:
            if self.block_size is not None:
                sums, weights = self._block_sums(predictions, opened)
                return float(np.sum(sums)) / self._positive(float(np.sum(weights)))
            predictions.require_rows(2 if self.unbiased else 1, self._name())
            kernel = self.kernel.resolve(predictions.y_prob)
            vectors = predictions.weighted_residuals
            pairs = 2.0 * pair_sum(kernel.forms(predictions.y_prob, vectors), opened)
        if self.unbiased and predictions.soft:  # shares of the same item do not form pairs
            pairs -= float(np.sum(inside_sums(predictions, kernel, Parallel(parallel.n_jobs))))
            return pairs / self._positive(crossing_weight(predictions))
        if self.unbiased:
            return pairs / self._positive(predictions.pair_weight)
        diagonal = float(np.sum(kernel.diagonal(predictions.y_prob, vectors)))
        total = float(predictions.weights.sum())
        return float(_without_rounding(pairs + diagonal, diagonal)) / total**2

    def resolve(self, y_prob: FloatArray) -> SKCE:
        """Return the estimator with its bandwidth rule evaluated on these predictions."""
        return replace(self, kernel=self.kernel.resolve(y_prob))

    def block_estimates(
        self, predictions: Predictions, parallel: Parallel = Parallel()
    ) -> FloatArray:
        """Return the unbiased estimate of every full block, shape (⌊n/b⌋,)."""
        sums, weights = self._block_sums(predictions, parallel)
        self._positive(float(weights.min()))
        return sums / weights

    def _block_sums(
        self, predictions: Predictions, parallel: Parallel
    ) -> tuple[FloatArray, FloatArray]:
        """Return Σ_{i≠j} h_ij and Σ_{i≠j} w_i w_j of every full block, shapes (⌊n/b⌋,)."""
        if self.block_size is None:
            raise ValueError("this SKCE has no blocks; pass `block_size`, e.g. `block_size=2`")
        refuse_soft_blocks(predictions)
        predictions.require_rows(self.block_size, self._name())
        kernel = self.kernel.resolve(predictions.y_prob)
        return block_pair_sums(kernel, self.block_size, predictions, parallel)

    def many(self, y_true: Any, y_prob: Any, parallel: Parallel = Parallel()) -> FloatArray:
        """Return one estimate for each of many data sets of equal size, in one native call.

        A bandwidth rule is resolved for each data set separately. See `Estimator.many`.
        """
        codes, probs = as_batch(y_true, y_prob)
        if self.block_size is not None or not len(codes):
            return super().many(codes, probs, parallel)
        n_sets, n, m = probs.shape
        # checks, residuals and forms are computed row by row, so treat all data sets as one
        rows = Predictions(codes.ravel(), probs.reshape(-1, m))
        rows.take(slice(n)).require_rows(2 if self.unbiased else 1, self._name())
        probs, vectors = rows.y_prob.reshape(probs.shape), rows.residuals
        kernels = [self.kernel.resolve(p) for p in probs]
        forms = kernels[0].forms(rows.y_prob, vectors)
        starts = [kernel.forms(p[:1], p[:1]) for kernel, p in zip(kernels, probs, strict=True)]
        rates = _rates(forms, starts)
        if rates is None:
            return super().many(codes, probs, parallel)
        pairs = np.zeros(n_sets)
        for form, rate in zip(forms, rates, strict=True):
            assert is_radial(form)
            pairs += many_pair_sums(as_batches(form, n), rate, parallel)
        if self.unbiased:
            return np.asarray(2.0 * pairs / (n * (n - 1)))
        diagonal = kernels[0].diagonal(rows.y_prob, vectors).reshape(n_sets, n).sum(axis=1)
        return np.asarray(_without_rounding(2.0 * pairs + diagonal, diagonal) / n**2)

    def over_labels(
        self, predictions: Predictions, labels: Any, parallel: Parallel = Parallel()
    ) -> FloatArray:
        """Return one estimate for each label set; the kernel is computed once.

        Cost for R label sets: O(n²(m + R/32)) for any scalar kernel, O(n·R) for a Laplacian of two
        classes or the class-wise Laplacian. Kernels multiplied by a matrix cost O(n²m) for each
        label set, matrix-valued kernels O(n²m²). Blocks are recomputed for each label set. See
        `Estimator.over_labels`.
        """
        codes = as_label_sets(labels, predictions)
        if self.block_size is not None or not len(codes):
            return super().over_labels(predictions, codes, parallel)
        predictions.require_rows(2 if self.unbiased else 1, self._name())
        label_sets = LabelSets.of(codes, predictions.n_classes)
        kernel = self.kernel.resolve(predictions.y_prob)

        def belongs_to() -> dict[str, Any]:
            return computation(predictions.y_prob, predictions.sample_weight, codes, estimator=self)

        with parallel.resumed(belongs_to) as opened:
            pairs = pair_sums_over_label_sets(predictions, kernel, label_sets, opened)
        if pairs is None:
            return super().over_labels(predictions, codes, parallel)
        if self.unbiased:
            return pairs / self._positive(predictions.pair_weight)
        diagonal = diagonal_sums_over_label_sets(predictions, kernel, label_sets)
        total = float(predictions.weights.sum())
        return np.asarray(_without_rounding(pairs + diagonal, diagonal)) / total**2

    def witness(self, predictions: Predictions, points: Any) -> FloatArray:
        r"""Return the kernel embedding :math:`\hat\mu(t) = \frac1n \sum_i k(t, p_i)\, r_i`.

        Where component c is positive, class c occurs more often than predicted. The average of
        :math:`\langle r_i, \hat\mu(p_i) \rangle` is the biased estimate.

        Parameters
        ----------
        predictions : Predictions
            Labels and probabilities.
        points : array-like of shape (n_points, n_classes)
            Points of the probability simplex at which to evaluate the witness.

        Returns
        -------
        ndarray of shape (n_points, n_classes)
        """
        at = np.ascontiguousarray(points, dtype=float)
        if at.ndim != 2 or at.shape[1] != predictions.n_classes:
            raise ValueError(
                f"`points` must have shape (n_points, {predictions.n_classes}); got {at.shape}"
            )
        kernel = self.kernel.resolve(predictions.y_prob)
        sums = kernel.apply(at, predictions.y_prob, predictions.weighted_residuals)
        return sums / float(predictions.weights.sum())

    def _positive(self, pair_weight: float) -> float:
        if pair_weight > 0.0:
            return pair_weight
        where = "" if self.block_size is None else " in a block"
        raise ValueError(
            f"{self._name()} needs at least 2 rows with positive weight{where}; got fewer. "
            "Drop rows without weight, or use `unbiased=False`."
        )

    def _name(self) -> str:
        if self.block_size is not None:
            return f"the block SKCE with block_size={self.block_size}"
        return "the unbiased SKCE" if self.unbiased else "the biased SKCE"


def default_bandwidth(y_prob: FloatArray) -> float:
    """Return the bandwidth of the default SKCE for these predictions."""
    return fixed_bandwidth(SKCE().kernel.resolve(y_prob))


def pairs_visited(estimator: Estimator, n_samples: int) -> float:
    """Return the number of pairs of rows that an SKCE visits; NaN for other errors."""
    if not isinstance(estimator, SKCE):
        return math.nan
    return n_samples * (estimator.block_size or n_samples) / 2.0


def _without_rounding(total: Any, diagonal: Any) -> Any:
    # Σ_ij h_ij cannot be negative, so a small negative value is rounding. A larger one means that
    #     # the kernel is not positive semi-definite.
    if isinstance(total, float):
        return 0.0 if -1e-13 * diagonal < total < 0.0 else total
    return np.where((total < 0.0) & (total > -1e-13 * diagonal), 0.0, total)[()]


def _rates(forms: list[Form], first_rows: list[list[Form]]) -> FloatArray | None:
    # Data sets may differ only in the rates of radial forms: shape (n_forms, n_sets), or None.
    columns = [form.x.shape[1] for form in forms]
    if any([form.x.shape[1] for form in one] != columns for one in first_rows):
        return None
    if not all(is_radial(form) for form in forms):
        return None
    return np.array([[form.rate for form in one if is_radial(form)] for one in first_rows]).T
