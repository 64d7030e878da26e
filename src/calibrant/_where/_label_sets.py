"""The statistics of classes and groups of rows, for the observed and the resampled labels alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibrant._engine import (
    LabelResampler,
    LabelSets,
    direction_terms,
    feature_sums,
    score_sums,
    standardize,
)
from calibrant._execution import Parallel, run_shared, spans
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions
from calibrant._where._features import CHUNK, KEPT, PairFeatures
from calibrant._where._groups import Partition

#: label sets of a task, and numbers in the sums of one
SETS, STATE_SIZE = 64, 1 << 22
#: what is left of sums that cancel, relative to their terms
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class LabelSetSums:
    """Pair sums and standardized directions, arrays (n_hypotheses, B + 1), the observed first."""

    class_pairs: FloatArray
    class_frequency: FloatArray  # Σ r_c, standardized: positive where the class occurs more often
    class_confidence: FloatArray  # the Brier direction of one class against the rest
    group_pairs: FloatArray
    group_confidence: FloatArray  # the Brier direction within the rows of a group


def label_set_sums(
    predictions: Predictions,
    features: PairFeatures,
    partitions: Sequence[Partition],
    resampler: LabelResampler,
    n_resamples: int,
    parallel: Parallel,
) -> LabelSetSums:
    """Compute the sums of all label sets; O(n·R·F) for each way to part the rows.

    The first partition must hold every row: the classes are its sum. Groups have one row of
    statistics each, partition after partition; those of an untested group are 0.
    """
    n_sets = n_resamples + 1
    at_once = STATE_SIZE // (predictions.n_classes * features.size)
    tasks = [range(n_sets)[part] for part in spans(n_sets, max(8, min(SETS, at_once)))]

    expected = _all_expected(predictions, features, partitions)
    data = predictions, features, partitions, expected, resampler
    parts = list(run_shared(_some_sets, data, tasks, parallel))
    names = LabelSetSums.__dataclass_fields__
    return LabelSetSums(
        **{name: np.concatenate([getattr(part, name) for part in parts], axis=1) for name in names}
    )


def _some_sets(
    data: tuple[
        Predictions, PairFeatures, Sequence[Partition], dict[int, FloatArray], LabelResampler
    ],
    sets: range,
) -> LabelSetSums:
    predictions, features, partitions, expected, resampler = data
    label_sets = LabelSets.label_sets(predictions, resampler, sets)
    return _sums(predictions, features, partitions, expected, label_sets)


def _sums(
    predictions: Predictions,
    features: PairFeatures,
    partitions: Sequence[Partition],
    expected: dict[int, FloatArray],
    label_sets: LabelSets,
) -> LabelSetSums:
    classes = _ClassSums.empty(len(label_sets), predictions.n_classes, features.size)
    pairs, confidence = [], []
    for k, partition in enumerate(partitions):
        for group in partition.groups:
            if k > 0 and not group.tested:
                pairs.append(np.zeros(len(label_sets)))
                confidence.append(pairs[-1])
                continue
            mean = expected.get(len(pairs))
            if mean is None:
                mean = _expected(predictions, features, group.rows)
            found = _group_sums(
                predictions, features, group.rows, mean, label_sets, classes if k == 0 else None
            )
            pairs.append(found[0])
            confidence.append(found[1])
    return LabelSetSums(*classes.statistics(), np.array(pairs), np.array(confidence))


def _all_expected(
    predictions: Predictions, features: PairFeatures, partitions: Sequence[Partition]
) -> dict[int, FloatArray]:
    """Return the expected sums of all groups by number, as far as the memory allows."""
    groups = [group for partition in partitions for group in partition.groups]
    kept = KEPT // (predictions.n_classes * features.size)
    return {
        k: _expected(predictions, features, group.rows)
        for k, group in enumerate(groups[:kept])
        if group.tested or k < len(partitions[0].groups)
    }


def _expected(predictions: Predictions, features: PairFeatures, rows: IntArray) -> FloatArray:
    """Return Σ_i w_i p_ic φ_i over some rows, shape (m, F)."""
    total = np.zeros((predictions.n_classes, features.size))
    for part in spans(len(rows), CHUNK):
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
    classes: _ClassSums | None,
) -> tuple[FloatArray, FloatArray]:
    """Return Σ_{i≠j} h_ij and z_B of some rows for every label set; add them to the classes."""
    n_sets, m = len(label_sets), predictions.n_classes
    sums = np.zeros((n_sets, m, features.size))
    own, scores, variance, scale = np.zeros(n_sets), np.zeros(n_sets), 0.0, 0.0
    for part in spans(len(rows), CHUNK):
        index = rows[part]
        some = predictions.take(index)
        p, weights, shares = some.y_prob, some.weights, some.distributions
        labels = replace(label_sets, codes=label_sets.codes[index])
        vectors = weights[:, None] * features.rows(index)
        feature_sums(vectors, labels, sums)
        diagonal = weights**2 * features.squares[index]
        norms = np.sum(p**2, axis=1, keepdims=True)
        own += score_sums(diagonal[:, None] * (1.0 - 2.0 * p + norms), labels)
        scale += float(diagonal.sum())
        terms, spread = direction_terms(shares, shares, weights)
        scores += score_sums(terms, labels)
        variance += spread
        if classes is not None:
            classes.add_rows(p, weights, diagonal, labels)
    sums -= expected
    if classes is not None:
        classes.vectors += sums
    pairs = np.einsum("bcf,bcf->b", sums, sums) - own
    pairs[np.abs(pairs) <= ROUNDING * scale] = 0.0
    return pairs, standardize(scores, variance)


@dataclass(eq=False)
class _ClassSums:
    """Sums over all rows by class and label set, filled part by part."""

    vectors: FloatArray  # Σ_i r_ic φ_i, (R, m, F)
    counts: FloatArray  # Σ_{y_i = c} w_i, (R, m); minus its expectation in `mean_counts`
    products: FloatArray  # Σ_{y_i = c} w_i p_ic
    own: FloatArray  # Σ_i r_ic² |φ_i|²
    mean_counts: FloatArray
    mean_products: FloatArray
    variances: FloatArray  # of frequency and confidence, (2, m)
    scale: float = 0.0

    @classmethod
    def empty(cls, n_sets: int, m: int, size: int) -> _ClassSums:
        counts, products, own = (np.zeros((n_sets, m)) for _ in range(3))
        vectors, variances = np.zeros((n_sets, m, size)), np.zeros((2, m))
        return cls(vectors, counts, products, own, np.zeros(m), np.zeros(m), variances)

    def add_rows(
        self, p: FloatArray, weights: FloatArray, diagonal: FloatArray, labels: LabelSets
    ) -> None:
        w, d = weights[:, None], diagonal[:, None]
        self.counts += _by_class(np.broadcast_to(w, p.shape), labels)
        self.products += _by_class(w * p, labels)
        self.own += _by_class(d * (1.0 - 2.0 * p), labels) + np.sum(d * p**2, axis=0)
        self.mean_counts += np.sum(w * p, axis=0)
        self.mean_products += np.sum(w * p**2, axis=0)
        spread = w**2 * p * np.maximum(1.0 - p, 0.0)
        tilt = 2.0 * p - 1.0
        tilt = np.where(np.abs(tilt) <= ROUNDING, 0.0, tilt)
        self.variances += [np.sum(spread, axis=0), np.sum(spread * tilt**2, axis=0)]
        self.scale += float(diagonal.sum())

    def statistics(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return pair sums, frequency and confidence, each (m, R)."""
        pairs = np.einsum("bcf,bcf->bc", self.vectors, self.vectors) - self.own
        pairs[np.abs(pairs) <= ROUNDING * self.scale] = 0.0
        excess = self.counts - self.mean_counts
        tilted = 2.0 * (self.products - self.mean_products) - excess
        known = self.variances > 0.0
        sd = np.sqrt(np.where(known, self.variances, 1.0))
        z = [np.where(known[k], value / sd[k], 0.0).T for k, value in enumerate((excess, tilted))]
        return pairs.T, z[0], z[1]


def _by_class(scores: FloatArray, labels: LabelSets) -> FloatArray:
    """Return Σ_{i: y_i = c} scores[i, c] for every label set and class, shape (R, m)."""
    n_sets, m = len(labels), labels.n_classes
    codes = labels.codes[:, :n_sets].astype(np.int64)
    values = np.take_along_axis(scores, codes, axis=1)
    cells = codes + m * np.arange(n_sets)
    sums = np.bincount(cells.ravel(), values.ravel(), n_sets * m)
    return np.asarray(sums.reshape(n_sets, m), dtype=np.float64)
