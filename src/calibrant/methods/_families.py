r"""The statistics of the aggregated test, for the observed and the resampled labels.

Family A: the pair sums :math:`\sum_{i \ne j} h_{ij}` of Laplacians of total variation with
several bandwidths. Family C: the same for the class-wise diagonal kernel. Directions: the
two-sided scores
:math:`z_f = \sum_i \langle r_i, f(p_i) \rangle / \sqrt{\sum_i f_i^\top \Sigma_i f_i}`.
Confidence: the smooth test of `_confidence`. Scaling and bias: the class scores of
`_class_scores`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

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
from calibrant._execution import Parallel, run, single_threaded_blas
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions
from calibrant.estimators import laplacian_pair_sums
from calibrant.kernels import Laplacian
from calibrant.methods._class_scores import class_statistics
from calibrant.methods._components import Components
from calibrant.methods._confidence import confidence_statistics
from calibrant.methods._reach import grade_statistics, ranked_scores, reach_sets
from calibrant.methods._scales import FRACTIONS, WIDTHS


@dataclass(frozen=True, eq=False)
class Families:
    """Statistics of the label sets, the observed one first, as arrays (n_components, B + 1).

    An unused family has no rows, or no entry among the directions.
    """

    kernel: FloatArray
    classwise: FloatArray
    confidence: FloatArray
    scaling: FloatArray
    bias: FloatArray  # not centered
    reach: FloatArray  # of ordered classes
    grades: FloatArray  # the same, not centered
    directions: dict[str, FloatArray]  # standardized, (B + 1,)
    bandwidths: tuple[float, ...]  # of the kernel family

    @property
    def median_pair_sums(self) -> FloatArray:
        """Σ_{i≠j} h_ij at the median bandwidth: the reported estimate, up to a factor."""
        return np.asarray(self.kernel[-1])

    @property
    def arrays(self) -> dict[str, Any]:
        """All fields but the bandwidths, as a record to send between processes."""
        return {name: value for name, value in vars(self).items() if name != "bandwidths"}

    def take(self, sets: IntArray) -> Families:
        """Return the statistics of some of the label sets."""
        return self._by(lambda values: np.ascontiguousarray(values[..., sets]))

    def rescale_directions(self, reference: int = 0) -> Families:
        """Divide directions by their deviation over all label sets if that is above 1.

        They are standardized for independent rows, and clusters increase their variance. With a
        `reference`, only the label sets 1, …, `reference` give the deviation.
        """
        some = slice(1, reference + 1) if reference else slice(None)
        scaled = {
            name: z / max(float(np.sqrt(np.mean(z[some] ** 2))), 1.0)
            for name, z in self.directions.items()
        }
        return replace(self, directions=scaled)

    def _by(self, change: Callable[[FloatArray], FloatArray]) -> Families:
        return Families(
            change(self.kernel),
            change(self.classwise),
            change(self.confidence),
            change(self.scaling),
            change(self.bias),
            change(self.reach),
            change(self.grades),
            {name: change(z) for name, z in self.directions.items()},
            self.bandwidths,
        )

    @staticmethod
    def join(parts: Sequence[Families]) -> Families:
        """Concatenate the label sets of several tasks."""
        first = parts[0]

        def side_by_side(get: Callable[[Families], FloatArray]) -> FloatArray:
            return np.concatenate([get(part) for part in parts], axis=-1)

        return Families(
            side_by_side(lambda part: part.kernel),
            side_by_side(lambda part: part.classwise),
            side_by_side(lambda part: part.confidence),
            side_by_side(lambda part: part.scaling),
            side_by_side(lambda part: part.bias),
            side_by_side(lambda part: part.reach),
            side_by_side(lambda part: part.grades),
            {k: np.concatenate([part.directions[k] for part in parts]) for k in first.directions},
            first.bandwidths,
        )


def full_families(
    predictions: Predictions,
    bandwidth: float,
    label_sets: LabelSets,
    components: Components,
    parallel: Parallel,
) -> Families:
    """Compute all pairs (family A) and sorted classes (family C): O(n²(m + R) + n·m·R)."""
    bandwidths = tuple(fraction * bandwidth for fraction in FRACTIONS)
    kernels = [Laplacian(h) for h in bandwidths]
    pairs = laplacian_pair_sums(predictions, kernels, label_sets, parallel)
    confidence, scaling, bias = _class_families(predictions, label_sets, components)
    return Families(
        kernel=pairs,
        classwise=_classwise_sums(predictions, label_sets, Parallel(parallel.n_jobs)),
        confidence=confidence,
        scaling=scaling,
        bias=bias,
        reach=_reach_sums(predictions, label_sets, components),
        grades=_grades(predictions, label_sets, components),
        directions=direction_scores(predictions, label_sets, components),
        bandwidths=bandwidths,
    )


def _classwise_sums(
    predictions: Predictions, label_sets: LabelSets, parallel: Parallel
) -> FloatArray:
    # one of two classes is enough, because their residuals are opposite
    classes = range(1, 2) if predictions.n_classes == 2 else range(predictions.n_classes)
    work = predictions.n_samples * len(label_sets) * len(classes)
    by_class = run(
        lambda c: classwise_line_sums(predictions, c, label_sets),
        classes,
        parallel if work > 1_000_000 else parallel.serial(),
    )
    total = sum_in_order(list(by_class))
    return 2.0 * total if predictions.n_classes == 2 else total


def _reach_sums(
    predictions: Predictions, label_sets: LabelSets, components: Components
) -> FloatArray:
    """Return the class-wise sums for the events "class at least k", (n_widths, R)."""
    if not components.reach:
        return np.empty((0, len(label_sets)))
    questions = (predictions.at_least(c) for c in predictions.classes[1:])
    return sum_in_order(
        [
            classwise_line_sums(question, 1, reached)
            for question, reached in zip(questions, reach_sets(label_sets), strict=True)
        ]
    )


def _grades(predictions: Predictions, label_sets: LabelSets, components: Components) -> FloatArray:
    if not components.grades:
        return np.empty((0, len(label_sets)))
    return grade_statistics(predictions, label_sets)


def _class_families(
    predictions: Predictions, label_sets: LabelSets, components: Components
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the statistics of the confidence, scaling and class totals."""
    none = np.empty((0, len(label_sets)))
    with single_threaded_blas():  # BLAS sums depend on the number of threads
        confidence = (
            confidence_statistics(predictions, label_sets) if components.confidence else none
        )
        if not (components.scaling or components.bias):
            return confidence, none, none
        scaling, bias = class_statistics(
            predictions.distributions, predictions.weights, label_sets, components.score_floor
        )
    return confidence, scaling if components.scaling else none, bias if components.bias else none


def classwise_line_sums(predictions: Predictions, c: int, label_sets: LabelSets) -> FloatArray:
    """Return Σ_{i≠j} r_ic r_jc exp(−|p_ic − p_jc|/ν) for every width ν, shape (n_widths, R)."""
    x = np.ascontiguousarray(predictions.y_prob[:, c])
    order = np.argsort(x, kind="stable")
    hit, miss = residual_values(predictions, c)
    return np.array(
        [2.0 * line_sums(x, hit, miss, c, 1.0 / width, label_sets, order) for width in WIDTHS]
    )


def sum_in_order(records: list[FloatArray]) -> FloatArray:
    """Add arrays in order, so that the bits do not depend on the number of threads."""
    total = np.zeros_like(records[0])
    for record in records:
        total += record
    return total


def direction_scores(
    predictions: Predictions, label_sets: LabelSets, components: Components
) -> dict[str, FloatArray]:
    """Return standardized two-sided directions of every label set; 0 without variance."""
    return {
        name: standardize(score_sums(scores, label_sets), variance)
        for name, (scores, variance) in family_directions(predictions, components).items()
    }


def family_directions(
    predictions: Predictions, components: Components
) -> dict[str, tuple[FloatArray, float]]:
    """Return, by direction, the scores of every row and class (n, m) and their variance."""
    p, weights = predictions.distributions, predictions.weights
    directions = {}
    if components.brier:
        directions["brier"] = direction_terms(p, p, weights)
    if components.log_floor is not None:
        directions["log"] = direction_terms(p, floored_log(p, components.log_floor), weights)
    if components.ranked:
        directions["ranked"] = direction_terms(p, ranked_scores(p), weights)
    return directions
