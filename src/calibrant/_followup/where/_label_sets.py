"""The statistics of classes and groups of rows, for the observed and the resampled labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibrant._engine import (
    LabelResampler,
    LabelSets,
    class_score_sums,
    direction_terms,
    feature_sums,
    floored_log,
    score_sums,
    standardize,
)
from calibrant._execution import Parallel, limits, run_shared, spans
from calibrant._followup.where._features import PairFeatures
from calibrant._followup.where._groups import Partition
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions, event_classes
from calibrant.kernels import ScalarKernel

#: label sets of a task, each of which recomputes all vectors, and most entries of its sums
SETS, STATE_SIZE = 256, 1 << 22
#: most classes for computing all statistics in one pass over the rows, see `_few_classes`
FEW_CLASSES = 4
#: rounding error of sums that cancel, relative to their terms
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class View:
    """Predictions with the groups of rows to test, and everything that does not depend on labels.

    The first partition must contain every row, because classes are sums over it.
    """

    predictions: Predictions
    kernel: ScalarKernel
    partitions: tuple[Partition, ...]
    features: PairFeatures
    #: Σ_i w_i p_ic φ_i over the rows of a group, by group number, for as many as fit into memory
    expected: Mapping[int, FloatArray]
    #: centers of the probabilities of each class, shape (m,)
    centers: FloatArray

    @classmethod
    def make(
        cls, predictions: Predictions, kernel: ScalarKernel, partitions: Sequence[Partition]
    ) -> View:
        """Prepare everything that label sets share, from the predictions and never the labels."""
        few = predictions.n_classes <= FEW_CLASSES  # all sums take one pass
        features = PairFeatures.make(predictions.y_prob, kernel, lazy=few)
        expected = {} if few else _all_expected(predictions, features, partitions)
        centers = _centers(predictions.y_prob, predictions.weights)
        return cls(predictions, kernel, tuple(partitions), features, expected, centers)

    @property
    def sets_at_once(self) -> int:
        """The number of label sets of a task, so that its sums have a bounded size."""
        numbers = self.predictions.n_classes * self.features.size
        return max(8, min(SETS, STATE_SIZE // numbers))


@dataclass(frozen=True, eq=False)
class LabelSetSums:
    """Pair sums and standardized directions as arrays (n_hypotheses, B + 1), the observed first.

    Frequencies are positive if the event occurs more often than predicted: the class, or for
    groups the predicted label. Confidence is negative if predictions are too extreme: the
    probabilities of the class, or for groups with more than two classes the Brier direction.
    Surprise is the log-score direction of a group, negative if labels are less likely than
    predicted. With two classes, the positive one is the event everywhere, and the only class.
    """

    class_pairs: FloatArray
    class_frequency: FloatArray
    class_confidence: FloatArray
    group_pairs: FloatArray
    group_frequency: FloatArray
    group_confidence: FloatArray
    group_surprise: FloatArray

    @classmethod
    def join(cls, parts: Sequence[LabelSetSums]) -> LabelSetSums:
        """Concatenate label sets."""
        names = cls.__dataclass_fields__
        return cls(**{n: np.concatenate([getattr(one, n) for one in parts], 1) for n in names})


def asked_classes(n_classes: int) -> range:
    """Return the classes to test: with two classes, only the last."""
    return range(1 if n_classes == 2 else 0, n_classes)


def many_class_statistics(
    view: View, resampler: LabelResampler, sets: range, parallel: Parallel
) -> LabelSetSums:
    """Compute the sums of some label sets; O(n·R·F) for each partition of the rows.

    Each group has one row of statistics, partition after partition; they are 0 for untested groups.
    """
    tasks = [sets[part] for part in spans(len(sets), view.sets_at_once)]
    return LabelSetSums.join(list(run_shared(_some_sets, (view, resampler), tasks, parallel)))


def _some_sets(data: tuple[View, LabelResampler], sets: range) -> LabelSetSums:
    view, resampler = data
    return sums_of(view, LabelSets.label_sets(view.predictions, resampler, sets))


def sums_of(view: View, label_sets: LabelSets) -> LabelSetSums:
    """Compute the sums of some label sets."""
    predictions, features = view.predictions, view.features
    classes = ClassSums.empty(len(label_sets), view)
    groups: list[FloatArray] = []
    for k, partition in enumerate(view.partitions):
        for group in partition.groups:
            if k > 0 and not group.tested:
                groups.append(np.zeros((4, len(label_sets))))
                continue
            mean = view.expected.get(len(groups))
            if mean is None:
                mean = _expected(predictions, features, group.rows)
            every = classes if k == 0 else None
            groups.append(_group_sums(predictions, features, group.rows, mean, label_sets, every))
    return LabelSetSums(*classes.statistics(), *np.stack(groups, axis=1))


def _centers(p: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the means of p weighted by the variances of the labels, w²p(1 − p), by column."""
    spread = weights[:, None] ** 2 * p * np.maximum(1.0 - p, 0.0)
    total = spread.sum(axis=0)
    return np.asarray(np.sum(spread * p, axis=0) / np.where(total > 0.0, total, 1.0))


def offsets_of(p: FloatArray, center: FloatArray | float) -> FloatArray:
    """Return p − center, with rounding errors set to 0."""
    offsets = p - center
    return np.where(np.abs(offsets) <= ROUNDING, 0.0, offsets)


def _all_expected(
    predictions: Predictions, features: PairFeatures, partitions: Sequence[Partition]
) -> dict[int, FloatArray]:
    """Return the expected sums of groups by number, for as many as fit into memory."""
    groups = [group for partition in partitions for group in partition.groups]
    kept = limits().where_kept // (predictions.n_classes * features.size)
    return {
        k: _expected(predictions, features, group.rows)
        for k, group in enumerate(groups[:kept])
        if group.tested or k < len(partitions[0].groups)
    }


def _expected(predictions: Predictions, features: PairFeatures, rows: IntArray) -> FloatArray:
    """Return Σ_i w_i p_ic φ_i over some rows, shape (m, F)."""
    total = np.zeros((predictions.n_classes, features.size))
    for part in spans(len(rows), limits().chunk_rows):
        index = rows[part]
        weighted = predictions.weights[index, None] * predictions.y_prob[index]
        total += weighted.T @ features.rows(index)
    return total


def _group_sums(
    predictions: Predictions,
    features: PairFeatures,
    rows: IntArray,
    expected: FloatArray,
    label_sets: LabelSets,
    classes: ClassSums | None,
) -> FloatArray:
    """Return Σ_{i≠j} h_ij, frequency, confidence and surprise of some rows, shape (4, R).

    In the partition of all rows, they are also added to `classes`.
    """
    n_sets, m = len(label_sets), predictions.n_classes
    sums = np.zeros((n_sets, m, features.size))
    own, scores, variances, scale = np.zeros(n_sets), np.zeros((3, n_sets)), np.zeros(3), 0.0
    center = group_center(predictions, rows)
    for part in spans(len(rows), limits().chunk_rows):
        index = rows[part]
        some = predictions.take(index)
        p, weights = some.y_prob, some.weights
        labels = replace(label_sets, codes=label_sets.codes[index])
        vectors = weights[:, None] * features.rows(index)
        feature_sums(vectors, labels, sums)
        diagonal = weights**2 * features.squares[index]
        norms = np.sum(p**2, axis=1, keepdims=True)
        own += score_sums(diagonal[:, None] * (1.0 - 2.0 * p + norms), labels)
        scale += float(diagonal.sum())
        for k, (terms, spread) in enumerate(directions_of(some, center)):
            scores[k] += score_sums(terms, labels)
            variances[k] += spread
        if classes is not None:
            classes.add_rows(p, weights, diagonal, labels)
    sums -= expected
    if classes is not None:
        classes.vectors += sums
    return group_statistics(sums, own, scores, variances, scale)


def group_statistics(
    vectors: FloatArray,
    own: FloatArray,
    scores: Iterable[FloatArray],
    variances: Iterable[float],
    scale: float,
) -> FloatArray:
    """Return Σ_{i≠j} h_ij and standardized scores, (4, R), from Σ_i r_i φ_iᵀ and Σ_i h_ii."""
    pairs = np.einsum("bcf,bcf->b", vectors, vectors) - own
    pairs[np.abs(pairs) <= ROUNDING * scale] = 0.0
    return np.stack([pairs, *map(standardize, scores, variances)])


def group_center(predictions: Predictions, rows: IntArray) -> FloatArray | None:
    """Return the center of the probabilities of a group, or None with more than two classes."""
    p, weights = predictions.y_prob, predictions.weights
    return _centers(p[rows, 1:2], weights[rows]) if p.shape[1] == 2 else None


def directions_of(
    some: Predictions, center: FloatArray | None
) -> tuple[tuple[FloatArray, float], ...]:
    """Return the term of each row and label in each direction, and the variances."""
    shares, weights = some.distributions, some.weights
    event = np.zeros_like(shares)
    event[np.arange(len(event)), event_classes(some)] = 1.0
    confidence = shares if center is None else event * offsets_of(shares, center)
    directions = (event, confidence, floored_log(shares))
    return tuple(direction_terms(shares, one, weights) for one in directions)


def class_moments(
    p: FloatArray, weights: FloatArray, diagonal: FloatArray, offsets: FloatArray
) -> FloatArray:
    """Return means and variances of counts and offsets, and Σ w²|φ|²p²: (5, m)."""
    w = weights[:, None]
    spread = w**2 * p * np.maximum(1.0 - p, 0.0)
    every = (w * p, w * p * offsets, spread, spread * offsets**2, diagonal[:, None] * p**2)
    return np.stack([np.sum(one, axis=0) for one in every])


@dataclass(eq=False)
class ClassSums:
    """Sums over all rows by class and label set, accumulated part by part."""

    centers: FloatArray  # (m,)
    vectors: FloatArray  # Σ_i r_ic φ_i, (R, m, F)
    counts: FloatArray  # Σ_{y_i = c} w_i, (R, m); minus its expectation in `mean_counts`
    offsets: FloatArray  # Σ_{y_i = c} w_i (p_ic − center_c)
    own: FloatArray  # Σ_i r_ic² |φ_i|²
    mean_counts: FloatArray
    mean_offsets: FloatArray
    variances: FloatArray  # of frequency and confidence, (2, m)
    scale: float = 0.0

    @classmethod
    def empty(cls, n_sets: int, view: View) -> ClassSums:
        m = view.predictions.n_classes
        counts, offsets, own = (np.zeros((n_sets, m)) for _ in range(3))
        vectors, variances = np.zeros((n_sets, m, view.features.size)), np.zeros((2, m))
        means = np.zeros(m), np.zeros(m)
        return cls(view.centers, vectors, counts, offsets, own, *means, variances)

    def add_rows(
        self, p: FloatArray, weights: FloatArray, diagonal: FloatArray, labels: LabelSets
    ) -> None:
        w, d = weights[:, None], diagonal[:, None]
        offsets = offsets_of(p, self.centers)
        self.counts += class_score_sums(np.broadcast_to(w, p.shape), labels)
        self.offsets += class_score_sums(w * offsets, labels)
        self.own += class_score_sums(d * (1.0 - 2.0 * p), labels)
        self.add_moments(class_moments(p, weights, diagonal, offsets), float(diagonal.sum()))

    def add_sums(
        self, vectors: FloatArray, sums: FloatArray, moments: FloatArray, scale: float
    ) -> None:
        """Add vectors (R, m, F), and counts, offsets and own squares, (R, m, 3)."""
        self.vectors += vectors
        self.counts += sums[:, :, 0]
        self.offsets += sums[:, :, 1]
        self.own += sums[:, :, 2]
        self.add_moments(moments, scale)

    def add_moments(self, moments: FloatArray, scale: float) -> None:
        """Add the results of `class_moments`."""
        self.mean_counts += moments[0]
        self.mean_offsets += moments[1]
        self.variances += moments[2:4]
        self.own += moments[4]
        self.scale += scale

    def statistics(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return pair sums, frequency and confidence of the tested classes, each (·, R)."""
        asked = asked_classes(len(self.centers))
        pairs = np.einsum("bcf,bcf->bc", self.vectors, self.vectors) - self.own
        pairs[np.abs(pairs) <= ROUNDING * self.scale] = 0.0
        sums = self.counts - self.mean_counts, self.offsets - self.mean_offsets
        known = self.variances > 0.0
        sd = np.sqrt(np.where(known, self.variances, 1.0))
        z = [np.where(known[k], value / sd[k], 0.0).T[asked] for k, value in enumerate(sums)]
        return pairs.T[asked], z[0], z[1]
