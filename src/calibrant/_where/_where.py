"""The front door of localization: data in, ranked findings out."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._engine import LabelResampler, RandomSource, as_generator
from calibrant._execution import Parallel, Progress, single_threaded_blas
from calibrant._native import FloatArray
from calibrant._predictions import Predictions, as_predictions, check_indexes, top_probabilities
from calibrant._where._contributions import contributions
from calibrant._where._features import PairFeatures
from calibrant._where._findings import class_findings, group_findings
from calibrant._where._groups import Partition, confidence_regions, kept_rows, read_groups
from calibrant._where._label_sets import LabelSetSums, label_set_sums
from calibrant._where._pvalues import adjusted_pvalues, evidence
from calibrant._where._result import Finding, WhereResult, rank
from calibrant._where._witness import WitnessSource
from calibrant.effects import impossible_labels
from calibrant.estimators import SKCE
from calibrant.kernels import ScalarKernel, as_scalar
from calibrant.methods import check_resamples, monte_carlo_pvalue

if TYPE_CHECKING:
    from concurrent.futures import Executor


@single_threaded_blas()  # whose sums depend on the number of its threads
def where(
    y_true: Any,
    y_prob: Any = None,
    *,
    groups: Any = None,
    n_regions: int = 5,
    min_size: int = 20,
    n_resamples: int = 999,
    kernel: ScalarKernel | None = None,
    alpha: float = 0.05,
    classes: Iterable[Any] | None = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    normalize: bool = False,
    rng: RandomSource = None,
    n_jobs: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> WhereResult:
    r"""Say which classes, which confidences and which groups of rows are not calibrated.

    Every finding has its part of the calibration error, a direction, an exact p-value, and one
    that is adjusted for all that was asked: if the model is calibrated, anything is named with
    probability at most `alpha`; and what is calibrated is named with at most that probability
    whatever holds elsewhere.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or Predictions
        Labels; or one `Predictions` in place of both arrays.
    y_prob : array-like of shape (n_samples, n_classes) or (n_samples,)
        Predicted distributions, or probabilities of the positive class.
    groups : array-like of shape (n_samples,), mapping or frame, optional
        Labels of groups of rows, any hashable values; ``{name: labels}`` or the columns of a
        frame for several groupings. Rows without a value form the group "missing". Groups must
        not be made from the labels.
    n_regions : int, default 5
        Regions of the largest predicted probability, with about equally many rows; fewer where
        they would have less than `min_size` rows.
    min_size : int, default 20
        Smaller groups are listed, not tested.
    n_resamples : int, default 999
        B; the smallest p-value that can be seen is 1/(1 + B).
    kernel : ScalarKernel, default ``Laplacian(Median())``
        A kernel k·I, of which every class has its own part.
    alpha : float, default 0.05
        Findings with an adjusted p-value up to this are named.
    classes, pos_label, sample_weight, normalize
        See `Predictions`. Rows of weight 0 are left aside.
    rng : None, int or Generator
        Randomness; an integer makes the result reproducible, on any number of threads.
    n_jobs : int, optional
        Threads; all cores this process may use by default.
    executor : concurrent.futures.Executor or distributed.Client, optional
        Where label sets and pairs are computed instead. No bit of the result depends on it.
    progress : callable, optional
        Called with (done, total) as parts finish.

    Returns
    -------
    WhereResult

    Notes
    -----
    With :math:`T_c = \sum_{i \ne j} k_{ij} r_{ic} r_{jc}` the SKCE is the sum of the parts
    :math:`U_c = T_c/(n(n-1))` of the classes; a group of rows has the part
    :math:`\sum_{i \in g} \sum_{j \ne i} h_{ij}/(n(n-1))`.

    The hypothesis of a class is that it has its predicted probability given the predictions; it
    is tested by :math:`T_c`, by its frequency :math:`\sum_i r_{ic}` and by its Brier direction
    against the rest. The hypothesis of a group or region is that its rows are calibrated, tested
    by :math:`\sum_{i \ne j \in g} h_{ij}` and the Brier direction of its rows. Each statistic
    becomes an approximate tail :math:`\tilde p` (Pearson III with moments pooled over the label
    sets; two-sided normal), a hypothesis is ranked by :math:`S = \log \sum 1/\tilde p` among the
    observed and B resampled label sets, which makes its p-value exact at every n. Adjusted
    p-values are step-down maxT (Westfall and Young) over all hypotheses of the call, with S
    lowered by the logarithm of the size of its table: many classes cannot drown few regions.

    Cost: O(n²·B) additions for up to 1 000 rows of together 250 000 probabilities, with all pairs
    (a matrix of up to 8 MB). Above, pairs are approximated by 256 landmark rows (128 above 20 000
    rows), O(n·B) with that factor, once more for each grouping; the tests stay exact, since every
    label set is treated alike, and no power was lost in simulations at n = 1 000. Contributions:
    O(n²m) up to 50 000 rows, random features above. Not valid where predictions or groups depend
    on the labels.

    Examples
    --------
    >>> import calibrant as cal
    >>> from calibrant.models import Distorted, Swap
    >>> model = Distorted(0.3, 5, truth=Swap(1, 3, probability=0.5))
    >>> result = cal.where(*model.sample(500, rng=0), rng=0)
    >>> sorted(finding.name for finding in result.significant if finding.kind == "class")
    [1, 3]

    The two classes that the model mixes up are named.
    """
    predictions = as_predictions(
        y_true,
        y_prob,
        classes=classes,
        pos_label=pos_label,
        sample_weight=sample_weight,
        normalize=normalize,
    )
    check_indexes({"y_true": y_true, "y_prob": y_prob, "groups": groups})
    n_regions, min_size = _count("n_regions", n_regions, 1), _count("min_size", min_size, 2)
    _check_alpha(alpha, n_resamples)
    chosen = as_scalar(SKCE().kernel if kernel is None else kernel)
    partitions = read_groups(groups, predictions.n_samples, min_size)
    keep = predictions.weights > 0.0
    if not keep.all():
        predictions = predictions.take(keep)
        partitions = [kept_rows(partition, keep, min_size) for partition in partitions]
    predictions.require_rows(2, "`where`")
    chosen = chosen.resolve(predictions.y_prob)
    resampler = LabelResampler.from_rng(as_generator(rng))
    partitions.insert(0, confidence_regions(top_probabilities(predictions), n_regions, min_size))
    features = PairFeatures.make(predictions.y_prob, chosen)
    parallel = Parallel(n_jobs, executor, progress)
    sums = label_set_sums(predictions, features, partitions, resampler, n_resamples, parallel)
    quiet = parallel.quiet()
    parts = contributions(predictions, chosen, quiet)
    tables = _with_pvalues(_describe(predictions, chosen, partitions, parts, sums, quiet), sums)
    return WhereResult(
        classes=tables[0],
        regions=tables[1],
        groups={
            str(p.grouping): table for p, table in zip(partitions[1:], tables[2:], strict=True)
        },
        estimate=float(parts.sum()),
        alpha=float(alpha),
        n_samples=predictions.n_samples,
        n_classes=predictions.n_classes,
        details={
            "n_resamples": n_resamples,
            "seed": resampler.seed,
            "kernel": str(chosen),
            "variant": features.variant,
            "n_features": features.size,
            "n_tested": sum(finding.tested for table in tables for finding in table),
            "min_size": min_size,
            "impossible_labels": impossible_labels(predictions).count,
        },
        source=WitnessSource(predictions, chosen, resampler, n_resamples, alpha, n_jobs),
    )


def _describe(
    predictions: Predictions,
    kernel: ScalarKernel,
    partitions: list[Partition],
    parts: FloatArray,
    sums: LabelSetSums,
    parallel: Parallel,
) -> list[list[Finding]]:
    """Return the tables without p-values: the classes, then every partition."""
    tables = [class_findings(predictions, parts, sums)]
    start = 0
    for partition in partitions:
        z = sums.group_confidence[start : start + len(partition.groups), 0]
        tables.append(group_findings(predictions, kernel, partition, parts, z, parallel))
        start += len(partition.groups)
    return tables


def _with_pvalues(tables: list[list[Finding]], sums: LabelSetSums) -> list[tuple[Finding, ...]]:
    """Put p-values to the tested findings, adjusted for all tables, and rank each table."""
    statistics = np.concatenate(
        [
            evidence(sums.class_pairs, sums.class_frequency, sums.class_confidence),
            evidence(sums.group_pairs, sums.group_confidence),
        ]
    )
    flat = [finding for table in tables for finding in table]
    tested = np.array([finding.tested for finding in flat])
    sizes = [sum(f.tested for f in table) for table in tables for _ in table]
    # every table has the same part of the alpha, however many rows it has
    weighted = statistics - np.log(np.maximum(sizes, 1))[:, None]
    adjusted = np.full(len(flat), math.nan)
    adjusted[tested] = adjusted_pvalues(weighted[tested])
    done = iter(
        replace(
            finding,
            statistic=float(values[0]),
            pvalue=monte_carlo_pvalue(float(values[0]), values[1:]),
            adjusted_pvalue=float(value),
        )
        if finding.tested
        else finding
        for finding, values, value in zip(flat, statistics, adjusted, strict=True)
    )
    return [tuple(sorted((next(done) for _ in table), key=rank)) for table in tables]


def _count(name: str, value: Any, least: int) -> int:
    try:
        count = operator.index(value)
    except TypeError:
        count = least - 1
    if count < least:
        raise ValueError(f"`{name}` must be an integer of {least} or more; got {value!r}.")
    return count


def _check_alpha(alpha: float, n_resamples: int) -> None:
    check_resamples(n_resamples)
    if not 0.0 < alpha < 1.0:
        raise ValueError(
            f"`alpha` must be in (0, 1), the probability of a false name, for example 0.05; got "
            f"{alpha!r}."
        )
    if alpha * (1 + n_resamples) < 1.0 - 1e-9:
        raise ValueError(
            f"`n_resamples` must be at least {math.ceil(1 / alpha - 1e-9) - 1} for alpha = "
            f"{alpha}: the smallest p-value is 1/(1 + n_resamples); got {n_resamples}."
        )
