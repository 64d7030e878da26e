"""`where`: localization of miscalibration."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._engine import (
    Coupling,
    LabelResampler,
    RandomSource,
    as_generator,
    couple,
    coupling_of_rows,
)
from calibrant._execution import Parallel, Progress, limits, single_threaded_blas
from calibrant._followup.where._common_temperature import CommonTemperature
from calibrant._followup.where._findings import Shares
from calibrant._followup.where._groups import kept_rows, read_groups
from calibrant._followup.where._label_sets import LabelSetSums, View
from calibrant._followup.where._regions import probability_regions
from calibrant._followup.where._result import WhereResult
from calibrant._followup.where._tables import ranked_tables
from calibrant._followup.where._view_sums import label_set_sums
from calibrant._followup.where._witness import WitnessSource
from calibrant._output import number
from calibrant._predictions import (
    Predictions,
    as_predictions,
    check_indexes,
    event_classes,
    replace_parts,
)
from calibrant.effects import effective_size, impossible_labels
from calibrant.estimators import SKCE
from calibrant.kernels import ScalarKernel, as_scalar
from calibrant.methods import check_resamples, describe_clusters, require_clusters
from calibrant.recalibration import (
    FittedTemperature,
    Identity,
    Map,
    VectorScaling,
    assign_folds,
    fit_folds,
    predict_folds,
)

if TYPE_CHECKING:
    from concurrent.futures import Executor

#: Kish's effective number of rows below which no overall error is removed
_FEWEST = 20


@single_threaded_blas()  # BLAS sums depend on the number of threads
def where(
    y_true: Any,
    y_prob: Any = None,
    *,
    groups: Any = None,
    n_regions: int = 5,
    min_size: int = 20,
    n_resamples: int = 999,
    kernel: ScalarKernel | None = None,
    common: Map | None = None,
    alpha: float = 0.05,
    classes: Iterable[Any] | None = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    clusters: Any = None,
    normalize: bool = False,
    rng: RandomSource = None,
    n_jobs: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> WhereResult:
    r"""Find the classes, confidence regions and groups of rows that are miscalibrated.

    There are two views. The overall view names everything that is off; for a model that is
    over-confident everywhere, that is everything. ``result.beyond`` tests again after removing the
    overall error, as described by one map for all rows, and names what differs from the rest.
    Every finding has a direction, an exact p-value, and a p-value adjusted for all tests of the
    view. If the model is calibrated, the probability that anything is named is at most `alpha`; in
    the overall view, the same is true for the calibrated parts of a miscalibrated model.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or Predictions
        Labels, or one `Predictions` in place of both arrays.
    y_prob : array-like of shape (n_samples, n_classes) or (n_samples,)
        Predicted distributions, or probabilities of the positive class.
    groups : array-like of shape (n_samples,), mapping or frame, optional
        Labels of groups of rows, any hashable values; ``{name: labels}`` or the columns of a
        frame for several groupings. Rows without a value form the group "missing". Groups must
        not depend on the labels.
    n_regions : int, default 5
        Number of regions of the largest predicted probability (with two classes, of the positive
        class's probability), with about equal numbers of rows; fewer if they would have less than
        `min_size` rows.
    min_size : int, default 20
        Minimum rows of a group; smaller groups are listed but not tested.
    n_resamples : int, default 999
        B, the number of label sets; the smallest possible p-value is 1/(1 + B).
    kernel : ScalarKernel, default ``Laplacian(Typical())``
        A kernel k·I, for which the error is a sum over the classes.
    common : Map, optional
        The map of `calibrant.recalibration` that describes the overall error: by default a
        temperature with bounded influence of each row (see Notes), and ``VectorScaling()`` for two
        classes. ``Identity()`` omits the second view.
    alpha : float, default 0.05
        Findings with an adjusted p-value of at most `alpha` are named.
    classes, pos_label, sample_weight, clusters, normalize
        See `Predictions`. Rows of weight 0 are ignored. Clusters may span groups and regions; the
        label sets are then coupled within clusters (see `calibration_test`), and p-values are
        approximate.
    rng : None, int or Generator
        Source of randomness; an integer makes the result reproducible with any number of threads.
    n_jobs : int, optional
        Number of threads; all cores this process may use by default.
    executor : concurrent.futures.Executor or distributed.Client, optional
        Executor for label sets and pairs. The result is the same to the last bit.
    progress : callable, optional
        Called with (done, total) as work completes.

    Returns
    -------
    WhereResult

    Notes
    -----
    With :math:`T_c = \sum_{i \ne j} k_{ij} r_{ic} r_{jc}`, the SKCE is the sum of the contributions
    :math:`U_c = T_c/(n(n-1))` of the classes. The contribution of a group of rows is
    :math:`\sum_{i \in g} \sum_{j \ne i} h_{ij}/(n(n-1))`.

    The hypothesis for a class is that it has its predicted probability given the predictions. It is
    tested by :math:`T_c`, by the frequency :math:`\sum_i r_{ic}` and by the spread of its
    probabilities, :math:`\sum_i r_{ic} (p_{ic} - \mu_c)`, with :math:`\mu_c` such that the two are
    uncorrelated. Two classes count as one. The hypothesis for a group or region is that its rows
    are calibrated. It is tested by :math:`\sum_{i \ne j \in g} h_{ij}`, by the frequency of the
    predicted label and by the Brier and log-score directions of its rows; with two classes, by
    frequency and spread of the positive one and by the log-score direction. Each statistic becomes
    an approximate tail :math:`\tilde p` (Pearson III with moments pooled over the label sets, or
    two-sided normal). The statistic :math:`S = \log \sum 1/\tilde p` is ranked among the observed
    and B resampled label sets, so the p-value is exact at every n. Adjusted p-values are step-down
    maxT (Westfall and Young) over all hypotheses of the view, with S reduced by the logarithm of
    the size of its table, so that many classes cannot mask a few regions.

    Beyond the overall error, every row is repaired by the map fitted to the other nine of ten
    folds, and labels are drawn from the repaired predictions. This is not exact, but it was
    conservative in all simulations with the default maps, because out-of-fold residuals are
    negatively correlated. The common temperature solves
    :math:`\sum_i w_i [\psi(u_{iy_i}) - \sum_c q_{ic} \psi(u_{ic})] = 0` with the scores
    :math:`u = z - E z` of the likelihood bounded by their typical size. Without the bound, a group
    with labels that the model called nearly impossible would dominate the temperature and make
    other groups appear to be off in the opposite direction, as can happen with other maps. A
    temperature does not remove errors of single classes: if a class is wrong in all groups, use
    ``VectorScaling()``.

    With more than 1,000 classes, the rarest by mean probability are pooled.

    Cost of each view: up to 1,000 rows and 250,000 probabilities, O(n²·B) additions over all pairs
    (a matrix of up to 8 MB). Above, pairs are approximated by 256 landmark rows (128 above 20,000
    rows, 64 above 200,000): O(n·B) times this number, for all rows and for each grouping. The tests
    stay exact, because every label set is treated alike, and no power was lost in simulations at
    n = 1,000. 64 landmarks reproduce 96 % (10 classes) to 98 % (3 classes) of the squared kernel of
    all pairs, 128 landmarks 98 to 99 %. Contributions cost O(n²m) up to 50,000 rows, random
    features above. Not valid if predictions or groups depend on the labels.

    Examples
    --------
    >>> import calibrant as cal
    >>> from calibrant.models import Distorted, Swap
    >>> model = Distorted(0.3, 5, truth=Swap(1, 3, probability=0.5))
    >>> result = cal.where(*model.sample(500, rng=0), rng=0)
    >>> sorted(finding.name for finding in result.significant if finding.kind == "class")
    [1, 3]

    The result names the two classes that the model confuses.
    """
    predictions = as_predictions(
        y_true,
        y_prob,
        classes=classes,
        pos_label=pos_label,
        sample_weight=sample_weight,
        clusters=clusters,
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
    predictions, merged = _bounded(predictions)
    event = predictions.y_prob[np.arange(len(predictions)), event_classes(predictions)]
    partitions.insert(0, probability_regions(event, n_regions, min_size))
    with single_threaded_blas():  # BLAS sums depend on the number of threads
        repaired, taken_out = _repaired(predictions, common)
        views = [
            View.make(one, chosen.resolve(one.y_prob), partitions)
            for one in (predictions, *repaired)
        ]
    resampler = LabelResampler.from_rng(as_generator(rng))
    couplings = [coupling_of_rows(view.predictions) for view in views]
    require_clusters(couplings[0])
    resamplers = [couple(resampler, coupling) for coupling in couplings]
    parallel = Parallel(n_jobs, executor, progress)
    sums = label_set_sums(views, resamplers, n_resamples, parallel)
    results = [
        _result(
            view,
            some,
            _Settings(one, coupling, n_resamples, float(alpha), n_jobs, min_size, merged),
            parallel.quiet(),
        )
        for view, some, one, coupling in zip(views, sums, resamplers, couplings, strict=True)
    ]
    beyond = [replace(result, taken_out=taken_out) for result in results[1:]]
    return replace(results[0], beyond=beyond[0]) if beyond else results[0]


@dataclass(frozen=True)
class _Settings:
    """The settings of a view."""

    resampler: LabelResampler
    coupling: Coupling | None
    n_resamples: int
    alpha: float
    n_jobs: int | None
    min_size: int
    merged: str


def _bounded(predictions: Predictions) -> tuple[Predictions, str]:
    """Pool the rarest of very many classes, with a note."""
    surplus = predictions.n_classes - limits().where_classes
    if surplus <= 0:
        return predictions, ""
    expected = predictions.weights @ predictions.y_prob
    rare = np.sort(np.argsort(expected, kind="stable")[: surplus + 1])
    name = f"{len(rare)} other classes"
    merged = predictions.merge_classes({name: [predictions.classes[c] for c in rare]})
    return merged, (
        f"the {len(rare)} classes with the smallest mean probability are taken together: at most "
        f"{limits().where_classes} are looked at one by one"
    )


def _repaired(predictions: Predictions, common: Any) -> tuple[list[Predictions], str]:
    """Return the predictions without the overall error, if enough, and its description."""
    default = VectorScaling() if predictions.n_classes == 2 else CommonTemperature()
    chosen = default if common is None else common
    if effective_size(predictions) < _FEWEST or isinstance(chosen, Identity):
        return [], ""
    folds = assign_folds(
        predictions.n_samples, min(10, predictions.n_clusters), clusters=predictions.clusters
    )
    whole, others = fit_folds(chosen, predictions, folds)
    y_prob = predict_folds(others, predictions, folds)
    repaired = replace_parts(predictions, y_prob=y_prob)
    if isinstance(chosen, CommonTemperature) and isinstance(whole, FittedTemperature):
        # unlike the maximum-likelihood temperature that the test quotes
        return [repaired], f"a robust common temperature of {number(whole.temperature)}"
    if isinstance(whole, FittedTemperature):
        return [repaired], f"the common temperature {number(whole.temperature)}"
    if isinstance(chosen, VectorScaling) and predictions.n_classes == 2:
        return [repaired], "the common slope and intercept"
    return [repaired], f"the common {getattr(chosen, 'name', type(chosen).__name__)}"


def _result(view: View, sums: LabelSetSums, settings: _Settings, parallel: Parallel) -> WhereResult:
    predictions, kernel = view.predictions, view.kernel
    shares = Shares.of(view, parallel)
    tables = ranked_tables(view, shares, sums, settings.alpha)
    resampler, n_resamples, alpha = settings.resampler, settings.n_resamples, settings.alpha
    groupings = [str(partition.grouping) for partition in view.partitions[1:]]
    return WhereResult(
        classes=tables[0],
        regions=tables[1],
        groups=dict(zip(groupings, tables[2:], strict=True)),
        estimate=float(shares.by_class.sum()),
        alpha=alpha,
        n_samples=predictions.n_samples,
        n_classes=predictions.n_classes,
        details={
            "n_resamples": n_resamples,
            "seed": resampler.seed,
            "kernel": str(kernel),
            "variant": view.features.variant,
            "n_features": view.features.size,
            "n_tested": sum(finding.tested for table in tables for finding in table),
            "min_size": settings.min_size,
            "merged": settings.merged,
            "impossible_labels": impossible_labels(predictions).count,
            **describe_clusters(settings.coupling),
        },
        source=WitnessSource(predictions, kernel, resampler, n_resamples, alpha, settings.n_jobs),
    )


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
