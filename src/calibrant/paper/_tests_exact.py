"""The p-values of our own tests, exact at every level: one set of resampled labels for them all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant._executors import Parallel
from calibrant._labelings import Labelings
from calibrant._predictions import Predictions
from calibrant.estimators._skce_labelings import laplacian_pair_sums
from calibrant.kernels import Laplacian, Median
from calibrant.methods._aggregated import family_tails
from calibrant.methods._base import monte_carlo_pvalue
from calibrant.methods._combination import combine
from calibrant.methods._families import Families, full_families
from calibrant.paper._errors import DYNAMIC, UNIFORM

if TYPE_CHECKING:
    from calibrant._resampling import LabelResampler
    from calibrant._typing import FloatArray, IntArray
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
    """Return the p-values of all labellings, shape (tests, labellings).

    They are those of `Exact` and `Aggregated` for the same resampler. Under the null hypothesis
    labels come from the predictions: labellings of the same predictions share the resamples.
    """
    predictions = Predictions(data.labels[0], data.y_prob)
    drawn = resampler.labels(data.y_prob, range(n_resamples))
    labels = np.concatenate([data.labels.astype(drawn.dtype), drawn])
    labelings = Labelings.of(labels, predictions.n_classes)
    bandwidth = Median().resolve(data.y_prob, "tv")
    families = full_families(predictions, bandwidth, labelings, True, Parallel(1))
    mean = laplacian_pair_sums(predictions, [Laplacian(mean_distance)], labelings, Parallel(1))[0]
    binned = [one.over_labels(predictions, labels, n_jobs=1) for one in (UNIFORM, DYNAMIC)]
    observed = range(len(data.labels))
    rows = [
        [monte_carlo_pvalue(float(values[k]), values[len(observed) :]) for k in observed]
        for values in (*binned, families.median_pair_sums, mean)
    ]
    resampled = np.arange(len(observed), len(labels))
    rows.append([_aggregated(families, np.append(k, resampled)) for k in observed])
    return np.array(rows)


def _aggregated(families: Families, sets: IntArray) -> float:
    chosen = Families(
        families.kernel[:, sets],
        families.classwise[:, sets],
        {name: z[sets] for name, z in families.directions.items()},
        families.bandwidths,
    )
    combined = combine(family_tails(chosen))
    return monte_carlo_pvalue(float(combined[0]), combined[1:])
