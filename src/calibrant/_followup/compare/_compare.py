"""`compare`: paired comparison of models on the same rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from calibrant._engine import RandomSource, as_generator, sizes
from calibrant._execution import Parallel, Progress, single_threaded_blas
from calibrant._followup.compare._align import align
from calibrant._followup.compare._difference import (
    MEASURES,
    Difference,
    Equivalence,
    MeasureName,
    check_margins,
)
from calibrant._followup.compare._measured import (
    Measured,
    approximate_sums,
    common_kernel,
    exact_sums,
)
from calibrant._followup.compare._paired import Paired, paired
from calibrant._followup.compare._pvalues import holm
from calibrant._followup.compare._result import ComparisonResult
from calibrant._predictions import Predictions
from calibrant.effects import check_confidence_level, impossible_labels, rows_that_weigh
from calibrant.estimators import N_FREQUENCIES
from calibrant.kernels import Kernel, bandwidth_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

#: names of two models, first and second
Pair = tuple[str, str]


@single_threaded_blas()  # BLAS sums depend on the number of threads
def compare(
    y_true: Any = None,
    y_probs: Mapping[str, Any] | None = None,
    *,
    reference: str | None = None,
    kernel: Kernel | None = None,
    confidence_level: float = 0.95,
    equivalence: Mapping[str, float] | None = None,
    classes: Iterable[Any] | None = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    clusters: Any = None,
    normalize: bool = False,
    rng: RandomSource = None,
    n_jobs: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> ComparisonResult:
    r"""Compare models on the same rows: which one is better calibrated, and by how much.

    The headline measure is the *calibration loss*: the log loss, in nats per row, that a repair
    would save on unseen rows. The rest of the log loss is *refinement*, which no repair can reduce.
    For every pair of models (or every model and `reference`), the result has the differences in
    both, and in the log loss, the unbiased SKCE, the Brier score and the accuracy, each with a
    confidence interval and a two-sided p-value. 0 means no difference; a negative difference
    (positive for accuracy) means that the first model is better.

    Cost per model: about thirty passes of O(n·m²) for the repair, and one over the pairs of rows,
    O(n²m) (O(n log n) for two classes; O(n·m) above 50,000 rows, see Notes). Memory O(n·m).

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels, common to all models; omit them if `y_probs` contains `Predictions`.
    y_probs : mapping from name to array-like of shape (n_samples, n_classes) or (n_samples,)
        Predictions of at least two models for the same rows, or one `Predictions` per model, which
        must have the same labels, weights and classes.
    reference : str, optional
        Compare every other model only with this one, as other − reference.
    kernel : Kernel, optional
        The kernel of the SKCE. By default a Laplacian with the median total variation distance of
        the stacked predictions of all models (up to 2,000 evenly spaced rows each, 8,000 in all).
        The bandwidth rule of another kernel is resolved once, from the same rows.
    confidence_level : float, default 0.95
        Confidence level of each interval; verdicts use alpha = 1 − confidence_level.
    equivalence : mapping from measure to float, optional
        Margins, each in the unit of its measure, e.g. ``{"calibration_loss": 0.01}`` (nats): also
        test whether the difference is *smaller*.
    classes, pos_label, sample_weight, clusters, normalize
        See `Predictions`.
    rng : None, int or Generator
        Source of randomness for the random features above 50,000 rows; by default they are always
        the same. Nothing else is random.
    n_jobs : int, optional
        Number of threads; all cores this process may use by default.
    executor : concurrent.futures.Executor, optional
        Executor for tiles of pairs.
    progress : callable, optional
        Called with (done, total) as the models are measured.

    Returns
    -------
    ComparisonResult

    Notes
    -----
    **Calibration loss.** Rows are split into ten folds, the same for all models. Each fold is
    repaired by a map fitted to the others: a temperature, or a slope and intercept for every class,
    whichever Akaike's criterion prefers there (see `effects.calibration_loss`). The mean of
    :math:`d_i = \ell(y_i, p_i) - \ell(y_i, \hat M_{-k(i)}(p_i))` is the calibration loss, and the
    difference of two models is the mean of :math:`d^A_i - d^B_i`. It is negative if no repair
    helps. Errors that such a map cannot repair are part of the refinement. The smooth test of the
    default test, applied to the repaired probabilities, detects those that vary with the confidence
    (``details["unrepaired"]``: the p-value and the approximate cost in nats; not with clusters). If
    such errors cost the leading model more than its lead, the verdict names neither model.

    **Standard errors** are those of the jackknife over rows, with Student's t with n − 1 degrees of
    freedom. They are never smaller than those of calibrated models. For the calibration loss and
    the refinement, fitting a map with k parameters costs about k/2n nats, with standard deviation
    :math:`\sqrt{k/2}/n`. For the SKCE, the U-statistic of :math:`h^A_{ij} - h^B_{ij}`, it is the
    standard deviation over independent pairs, from up to 1,000 rows. Accuracy depends only on rows
    that one model hits and the other misses: without weights its p-value is exact (McNemar's test),
    and its interval is that of Bonett and Price, which is valid even for few such rows. With
    clusters, whole clusters stay in one fold and are left out by the jackknife, their number gives
    the degrees of freedom, the SKCE is compared on pairs in different clusters, and the p-value of
    accuracy comes from random signs of whole clusters. `pvalue_holm` is valid for all comparisons
    of one measure together. Levels and power are in :doc:`/howto/compare`.

    Equivalence is shown by two one-sided tests at 1 − confidence_level: "differs by less than eps".

    Above 50,000 rows (n²·m is bounded: 15,811 for 100 classes) and two classes, the default kernel
    is approximated by 512 random frequencies, the same for all models; `details` says so. The
    approximation is itself a kernel: sign, p-value and interval are valid for it, and its SKCE
    equals that of the Laplacian to a few percent.

    Examples
    --------
    >>> import calibrant as cal
    >>> y_true, p = cal.models.TemperatureModel(0.5, 3, temperature=3.0).sample(400, rng=0)
    >>> scaled = cal.models.temperature_scale(p, 3.0)
    >>> result = cal.compare(y_true, {"raw": p, "scaled": scaled})
    >>> result.difference("raw", "scaled").interval.low > 0
    True
    >>> print(result.verdict)
    scaled is better calibrated than raw: ...
    >>> result.difference("raw", "scaled").pvalue < 0.001
    True
    """
    check_confidence_level(confidence_level)
    margins = check_margins(equivalence)
    models = align(
        y_true,
        y_probs,
        classes=classes,
        pos_label=pos_label,
        sample_weight=sample_weight,
        clusters=clusters,
        normalize=normalize,
    )
    pairs = _pairs(list(models), reference)
    rows = {name: rows_that_weigh(predictions) for name, predictions in models.items()}
    shared = common_kernel(list(rows.values()), kernel)
    seed = _feature_seed(next(iter(rows.values())), kernel, rng)
    measured = _measure(rows, shared, seed, confidence_level, Parallel(n_jobs, executor, progress))
    differences = [
        difference
        for measure in MEASURES
        for difference in _differences(
            measured, pairs, measure, confidence_level, margins.get(measure)
        )
    ]
    any_model = next(iter(models.values()))
    return ComparisonResult(
        models={name: model.effects for name, model in measured.items()},
        differences=tuple(differences),
        kernel=shared,
        bandwidth=bandwidth_of(shared),
        n_samples=any_model.n_samples,
        n_classes=any_model.n_classes,
        confidence_level=confidence_level,
        reference=reference,
        details=_details(rows, measured, seed),
    )


def _pairs(names: list[str], reference: str | None) -> list[Pair]:
    if reference is None:
        return list(combinations(names, 2))
    if reference not in names:
        raise ValueError(f"`reference` must be one of the models {names}; got {reference!r}.")
    return [(name, reference) for name in names if name != reference]


def _feature_seed(rows: Predictions, kernel: Kernel | None, rng: RandomSource) -> int | None:
    # depends only on n and m; a given kernel is always computed exactly
    generator = None if rng is None else as_generator(rng)
    if kernel is not None or not sizes.uses_features(rows.n_samples, rows.n_classes):
        return None
    return 0 if generator is None else int(generator.integers(2**32))


def _measure(
    rows: Mapping[str, Predictions],
    kernel: Kernel,
    seed: int | None,
    confidence_level: float,
    parallel: Parallel,
) -> dict[str, Measured]:
    quiet = replace(parallel, progress=None)
    bandwidth = bandwidth_of(kernel)
    measured = {}
    for done, (name, model) in enumerate(rows.items(), start=1):
        if seed is None or bandwidth is None:
            sums = exact_sums(model, kernel, quiet)
        else:
            sums = approximate_sums(model, bandwidth, seed, quiet)
        measured[name] = Measured.of(model, kernel, sums, confidence_level)
        if parallel.progress is not None:
            parallel.progress(done, len(rows))
    return measured


def _differences(
    measured: Mapping[str, Measured],
    pairs: list[Pair],
    measure: MeasureName,
    confidence_level: float,
    margin: float | None,
) -> list[Difference]:
    """Return first − second of every pair, with p-values adjusted for all pairs."""
    found = [paired(measured[a], measured[b], measure, confidence_level) for a, b in pairs]
    adjusted = holm([one.pvalue for one in found])
    verdicts = _equivalences(found, margin, 1.0 - confidence_level)
    return [
        Difference(
            *pair,
            measure,
            one.estimate,
            one.interval,
            one.standard_error,
            one.pvalue,
            pvalue_holm,
            verdict,
            one.note,
        )
        for pair, one, pvalue_holm, verdict in zip(pairs, found, adjusted, verdicts, strict=True)
    ]


def _equivalences(
    found: list[Paired], margin: float | None, alpha: float
) -> list[Equivalence | None]:
    if margin is None:
        return [None] * len(found)
    pvalues = [one.equivalence_pvalue(margin) for one in found]
    return [
        Equivalence(margin, p, p_holm, p_holm <= alpha)
        for p, p_holm in zip(pvalues, holm(pvalues), strict=True)
    ]


def _details(
    rows: Mapping[str, Predictions], measured: Mapping[str, Measured], seed: int | None
) -> dict[str, Any]:
    choice = "all pairs of rows, once per model"
    if seed is not None:
        choice = (
            f"{N_FREQUENCIES} random frequencies of the kernel, the same for all models: more "
            f"than {sizes.exact_rows(next(iter(rows.values())).n_classes)} rows"
        )
    any_model = next(iter(rows.values()))
    details: dict[str, Any] = {
        "choice": choice,
        "repair": _repair_text(measured),
        "n_counted": any_model.n_samples,
        "impossible_labels": {name: impossible_labels(model).count for name, model in rows.items()},
        "unrepaired": {
            name: {"pvalue": one.left.pvalue, "loss": one.left.loss}
            for name, one in measured.items()
            if one.left is not None
        },
    }
    if seed is not None:
        details["feature_seed"] = seed
    if any_model.clusters is not None:
        details["n_clusters"] = any_model.n_clusters
    return details


def _repair_text(measured: Mapping[str, Measured]) -> str:
    used = Counter(m for one in measured.values() if one.gain is not None for m in one.gain.maps)
    if not used:
        return "none: too few rows count"
    folds = max(len(one.gain.maps) for one in measured.values() if one.gain is not None)
    return f"{' or '.join(used)}, chosen and fitted out of fold; {folds} folds, the same for all"
