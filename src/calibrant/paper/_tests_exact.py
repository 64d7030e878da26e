"""The p-values of our own tests, exact at every level: one set of resampled labels for them all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant._engine import LabelResampler, LabelSets
from calibrant._execution import Parallel
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions
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

if TYPE_CHECKING:
    from calibrant.paper._draw import Draw

#: the rows of what `exact_pvalues` returns: `Exact` with four errors, and the default test
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

    They are those of `Exact` and `Aggregated` for the same resampler. Under the null hypothesis
    labels come from the predictions: label sets of the same predictions share the resamples.
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
