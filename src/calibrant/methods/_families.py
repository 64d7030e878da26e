r"""The statistics of the aggregated test, for the observed and the resampled labels alike.

Family A: the pair sums :math:`\sum_{i \ne j} h_{ij}` of Laplacians of total variation with
several bandwidths. Family C: the same for the class-wise diagonal kernel. Directions: the
two-sided scores
:math:`z_f = \sum_i \langle r_i, f(p_i) \rangle / \sqrt{\sum_i f_i^\top \Sigma_i f_i}`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant._executors import Parallel, run
from calibrant._labelings import Labelings, line_sums, residual_values, score_sums
from calibrant.estimators._skce_labelings import laplacian_pair_sums
from calibrant.kernels import Laplacian

if TYPE_CHECKING:
    from calibrant._predictions import Predictions
    from calibrant._typing import FloatArray

#: bandwidths of family A, as fractions of the median distance
FRACTIONS = (1 / 16, 1 / 4, 1 / 2, 1.0)
#: bandwidths of family C, on the scale of a probability
WIDTHS = (0.05, 0.25, 1.0)
#: probabilities below this have the logarithm of it in the log-score direction: ten times the
#: last digit of a file with four, whose rounding then moves the score by .06 deviations at most
#: (10 000 rows, 100 classes); a smaller floor sees little more
LOG_FLOOR = 1e-3


@dataclass(frozen=True, eq=False)
class Families:
    """Statistics of the label sets, the observed one first: arrays (n_components, B + 1)."""

    kernel: FloatArray
    classwise: FloatArray
    directions: dict[str, FloatArray]  # standardised, (B + 1,)
    bandwidths: tuple[float, ...]  # of the kernel family

    @property
    def median_pair_sums(self) -> FloatArray:
        """Σ_{i≠j} h_ij of the median bandwidth, the reported estimate but for its factor."""
        return np.asarray(self.kernel[-1])


def full_families(
    predictions: Predictions,
    bandwidth: float,
    labelings: Labelings,
    log_score: bool,
    parallel: Parallel,
) -> Families:
    """Compute all pairs (family A) and sorted classes (family C): O(n²(m + R) + n·m·R)."""
    bandwidths = tuple(fraction * bandwidth for fraction in FRACTIONS)
    kernels = [Laplacian(h) for h in bandwidths]
    pairs = laplacian_pair_sums(predictions, kernels, labelings, parallel)
    classes = range(predictions.n_classes)
    quiet = Parallel(parallel.n_jobs)
    work = predictions.n_samples * len(labelings) * len(classes)
    by_class = run(
        lambda c: classwise_line_sums(predictions, c, labelings),
        classes,
        quiet if work > 1_000_000 else quiet.serial(),
    )
    return Families(
        kernel=pairs,
        classwise=sum_in_order(list(by_class)),
        directions=direction_scores(predictions, labelings, log_score),
        bandwidths=bandwidths,
    )


def classwise_line_sums(predictions: Predictions, c: int, labelings: Labelings) -> FloatArray:
    """Σ_{i≠j} r_ic r_jc exp(−|p_ic − p_jc|/ν) for every width ν, shape (n_widths, R)."""
    x = np.ascontiguousarray(predictions.y_prob[:, c])
    order = np.argsort(x, kind="stable")
    hit, miss = residual_values(predictions, c)
    return np.array(
        [2.0 * line_sums(x, hit, miss, c, 1.0 / width, labelings, order) for width in WIDTHS]
    )


def sum_in_order(records: list[FloatArray]) -> FloatArray:
    """Add arrays one after the other: the same bits for any number of threads."""
    total = np.zeros_like(records[0])
    for record in records:
        total += record
    return total


def direction_scores(
    predictions: Predictions, labelings: Labelings, log_score: bool
) -> dict[str, FloatArray]:
    """Standardised two-sided directions of every label set; 0 where there is no variance."""
    p = predictions.y_prob / predictions.y_prob.sum(axis=1, keepdims=True)
    functions = {"brier": p}
    if log_score:
        functions["log"] = np.log(np.maximum(p, LOG_FLOOR))
    out = {}
    for name, f in functions.items():
        scores, variance = direction_terms(p, f, predictions.weights)
        out[name] = standardised(score_sums(scores, labelings), variance)
    return out


def standardised(sums: FloatArray, variance: float) -> FloatArray:
    """Return sums/√variance, and 0 where there is no variance."""
    return sums / np.sqrt(variance) if variance > 0.0 else np.zeros_like(sums)


def direction_terms(p: FloatArray, f: FloatArray, weights: FloatArray) -> tuple[FloatArray, float]:
    """Return w(f_c − E f) for every row and class, and the variance of their sum."""
    mean = np.sum(p * f, axis=1, keepdims=True)
    centred = f - mean
    # equal entries differ from their mean by rounding, which must not be standardised
    centred[np.abs(centred) <= 1e-14 * np.abs(mean)] = 0.0
    variance = float(np.sum(weights**2 * np.sum(p * centred**2, axis=1)))
    return weights[:, None] * centred, variance
