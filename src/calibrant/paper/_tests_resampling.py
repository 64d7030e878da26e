"""P-values of our exact tests, and errors of consistency resamples."""

from __future__ import annotations

import numpy as np

from calibrant import _native
from calibrant._engine import LabelResampler, LabelSets, labels_below, philox4x32, unit_interval
from calibrant._execution import Parallel
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions
from calibrant.binning import MedianVariance
from calibrant.estimators import default_bandwidth, laplacian_pair_sums
from calibrant.kernels import Laplacian
from calibrant.methods import (
    WEIGHTS,
    Components,
    Families,
    combine,
    component_tails,
    family_tails,
    full_families,
    monte_carlo_pvalue,
)
from calibrant.paper._errors import DYNAMIC, UNIFORM
from calibrant.paper._grid import Draw

#: the rows of the result of `exact_pvalues`: `Exact` with four errors, and the default test
EXACT_TESTS = (
    "Exact_ECE_uniform",
    "Exact_ECE_dynamic",
    "Exact_SKCEuq_median",
    "Exact_SKCEuq_mean",
    "Aggregated",
)


def exact_pvalues(
    data: Draw, mean_distance: float, n_resamples: int, resampler: LabelResampler
) -> FloatArray:
    """Return the p-values of all label sets, shape (tests, label sets).

    They equal those of `Exact` and `Aggregated` with the same resampler. Under the null hypothesis
    labels come from the predictions, so all label sets of the same predictions share the resamples.
    """
    predictions = Predictions(data.labels[0], data.y_prob)
    drawn = resampler.labels(data.y_prob, range(n_resamples))
    labels = np.concatenate([data.labels.astype(drawn.dtype), drawn])
    label_sets = LabelSets.of(labels, predictions.n_classes)
    bandwidth = default_bandwidth(data.y_prob)
    families = full_families(predictions, bandwidth, label_sets, Components(), Parallel(1))
    mean = laplacian_pair_sums(predictions, [Laplacian(mean_distance)], label_sets, Parallel(1))[0]
    binned = [one.over_labels(predictions, labels, Parallel(1)) for one in (UNIFORM, DYNAMIC)]
    observed = range(len(data.labels))
    rows = [
        [monte_carlo_pvalue(float(values[k]), values[len(observed) :]) for k in observed]
        for values in (*binned, families.median_pair_sums, mean)
    ]
    resampled = np.arange(len(observed), len(labels))
    rows.append([_aggregated(families, np.append(k, resampled)) for k in observed])
    return np.array(rows)


def _aggregated(families: Families, sets: IntArray) -> float:
    combined = combine(family_tails(component_tails(families.take(sets))), WEIGHTS)
    return monte_carlo_pvalue(float(combined[0]), combined[1:])


def consistency_errors(y_prob: FloatArray, n_resamples: int, seed: int) -> FloatArray:
    """Return the errors of consistency resamples, shape (2, B), in uniform and in dynamic bins.

    A resample consists of n rows drawn with replacement, each with a label drawn from it; it
    depends only on the seed and its number. The resamples do not depend on the labels of the data,
    so data sets with equal predictions can share them. O(n·m·log n) for each resample; the native
    core stores none of them.
    """
    core = _native.active()
    if core is None:
        rows, labels = resamples(y_prob, n_resamples, seed)
        return np.stack([one.many(labels, y_prob[rows], Parallel(1)) for one in (UNIFORM, DYNAMIC)])
    errors = np.empty((2, n_resamples))
    cells, dynamic = UNIFORM.binning.assign(y_prob), DYNAMIC.binning
    assert isinstance(dynamic, MedianVariance)
    assert dynamic.max_bins is None
    core.consistency_errors(np.ascontiguousarray(y_prob), cells, dynamic.min_size, seed, errors)
    return errors


def resamples(y_prob: FloatArray, n_resamples: int, seed: int) -> tuple[IntArray, IntArray]:
    """Return the rows and the labels of the resamples, two arrays of shape (B, n).

    Philox maps (position, 0, resample, 0) to four words: a uniform number for the label from the
    first two, the row from the third.
    """
    n = len(y_prob)
    position, number = np.arange(n), np.arange(n_resamples)[:, None]
    high, low, word, _ = philox4x32((position, 0, number, 0), seed)
    rows = ((word * np.uint64(n)) >> np.uint64(32)).astype(np.int64)
    cumulated = np.cumsum(y_prob, axis=1)
    uniforms = unit_interval(high, low)
    labels = [labels_below(cumulated[r], u[None])[0] for r, u in zip(rows, uniforms, strict=True)]
    return rows, np.array(labels, dtype=np.int64)
