r"""The statistics of the aggregated test, for the observed and the resampled labels alike.

Family A: the pair sums :math:`\sum_{i \ne j} h_{ij}` of Laplacians of total variation with
several bandwidths. Family C: the same for the class-wise diagonal kernel. Directions: the
two-sided scores
:math:`z_f = \sum_i \langle r_i, f(p_i) \rangle / \sqrt{\sum_i f_i^\top \Sigma_i f_i}`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibrant._engine import (
    LabelSets,
    direction_terms,
    floored_log,
    line_sums,
    residual_values,
    score_sums,
    standardize,
)
from calibrant._execution import Parallel, run
from calibrant._native import FloatArray
from calibrant._predictions import Predictions
from calibrant.estimators import laplacian_pair_sums
from calibrant.kernels import Laplacian

#: bandwidths of family A, as fractions of the median distance
FRACTIONS = (1 / 16, 1 / 4, 1 / 2, 1.0)
#: bandwidths of family C, on the scale of a probability
WIDTHS = (0.05, 0.25, 1.0)


@dataclass(frozen=True, eq=False)
class Families:
    """Statistics of the label sets, the observed one first: arrays (n_components, B + 1)."""

    kernel: FloatArray
    classwise: FloatArray
    directions: dict[str, FloatArray]  # standardized, (B + 1,)
    bandwidths: tuple[float, ...]  # of the kernel family

    @property
    def median_pair_sums(self) -> FloatArray:
        """Σ_{i≠j} h_ij of the median bandwidth, the reported estimate but for its factor."""
        return np.asarray(self.kernel[-1])


def full_families(
    predictions: Predictions,
    bandwidth: float,
    label_sets: LabelSets,
    log_score: bool,
    parallel: Parallel,
) -> Families:
    """Compute all pairs (family A) and sorted classes (family C): O(n²(m + R) + n·m·R)."""
    bandwidths = tuple(fraction * bandwidth for fraction in FRACTIONS)
    kernels = [Laplacian(h) for h in bandwidths]
    pairs = laplacian_pair_sums(predictions, kernels, label_sets, parallel)
    classes = range(predictions.n_classes)
    quiet = Parallel(parallel.n_jobs)
    work = predictions.n_samples * len(label_sets) * len(classes)
    by_class = run(
        lambda c: classwise_line_sums(predictions, c, label_sets),
        classes,
        quiet if work > 1_000_000 else quiet.serial(),
    )
    return Families(
        kernel=pairs,
        classwise=sum_in_order(list(by_class)),
        directions=direction_scores(predictions, label_sets, log_score),
        bandwidths=bandwidths,
    )


def classwise_line_sums(predictions: Predictions, c: int, label_sets: LabelSets) -> FloatArray:
    """Σ_{i≠j} r_ic r_jc exp(−|p_ic − p_jc|/ν) for every width ν, shape (n_widths, R)."""
    x = np.ascontiguousarray(predictions.y_prob[:, c])
    order = np.argsort(x, kind="stable")
    hit, miss = residual_values(predictions, c)
    return np.array(
        [2.0 * line_sums(x, hit, miss, c, 1.0 / width, label_sets, order) for width in WIDTHS]
    )


def sum_in_order(records: list[FloatArray]) -> FloatArray:
    """Add arrays one after the other: the same bits for any number of threads."""
    total = np.zeros_like(records[0])
    for record in records:
        total += record
    return total


def direction_scores(
    predictions: Predictions, label_sets: LabelSets, log_score: bool
) -> dict[str, FloatArray]:
    """Standardized two-sided directions of every label set; 0 where there is no variance."""
    return {
        name: standardize(score_sums(scores, label_sets), variance)
        for name, (scores, variance) in family_directions(predictions, log_score).items()
    }


def family_directions(
    predictions: Predictions, log_score: bool
) -> dict[str, tuple[FloatArray, float]]:
    """Return the scores of every row and class (n, m) and their variance, by direction."""
    p, weights = predictions.distributions, predictions.weights
    directions = {"brier": direction_terms(p, p, weights)}
    if log_score:
        directions["log"] = direction_terms(p, floored_log(p), weights)
    return directions
