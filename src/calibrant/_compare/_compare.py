"""Compare models on the same rows: which one is better calibrated, and by how much."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from calibrant._compare._align import align
from calibrant._compare._common_kernel import common_kernel
from calibrant._compare._difference import MEASURES
from calibrant._compare._family import Pair, check_margins, family
from calibrant._compare._measured import Measured, approximate_sums, exact_sums
from calibrant._compare._result import ComparisonResult
from calibrant._engine import RandomSource, as_generator, sizes
from calibrant._execution import Parallel, Progress, single_threaded_blas
from calibrant._predictions import Predictions
from calibrant.effects import check_confidence_level, counted, impossible_labels
from calibrant.estimators import N_FREQUENCIES
from calibrant.kernels import Kernel, bandwidth_of

if TYPE_CHECKING:
    from concurrent.futures import Executor


@single_threaded_blas()  # whose sums depend on the number of its threads
def compare(
    y_true: Any = None,
    y_probs: Mapping[str, Any] | None = None,
    *,
    reference: str | None = None,
    kernel: Kernel | None = None,
    confidence_level: float = 0.95,
    equivalence: float | Mapping[str, float] | None = None,
    classes: Iterable[Any] | None = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    normalize: bool = False,
    rng: RandomSource = None,
    n_jobs: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> ComparisonResult:
    r"""Compare models on the same rows: differences of calibration error and scores.

    Every pair of models (or every model and `reference`) gets the difference of the unbiased
    SKCE, of the Brier score, of the log loss and of the accuracy, each with a confidence interval
    and a two-sided p-value. 0 means no difference; a negative one (positive for accuracy) means
    that the first model is better. Cost: one pass over the pairs of rows per model, O(n²m)
    (O(n log n) for two classes), and O(n·m) memory; O(n·m) above 50 000 rows, see Notes.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels, common to all models; leave out where `y_probs` holds `Predictions`.
    y_probs : mapping from name to array-like of shape (n_samples, n_classes) or (n_samples,)
        Predictions of at least two models for the same rows; or one `Predictions` per model,
        refused unless labels, weights and classes are the same in every row.
    reference : str, optional
        Compare every other model with this one only, as other − reference.
    kernel : Kernel, optional
        By default a Laplacian with the median total variation distance of the stacked predictions
        of all models (up to 2 000 evenly spaced rows each, 8 000 in all). A rule of another kernel
        is resolved from the same rows, once.
    confidence_level : float, default 0.95
        Level of every interval by itself; 1 − confidence_level is that of verdicts.
    equivalence : float or mapping from measure to float, optional
        Margins: also test whether the difference is *smaller*. The measures have different units;
        one number serves for all four.
    classes, pos_label, sample_weight, normalize
        See `Predictions`.
    rng : None, int or Generator
        Draws the random features that are used above 50 000 rows; by default always the same
        ones. Nothing else is random.
    n_jobs : int, optional
        Threads; all cores this process may use by default.
    executor : concurrent.futures.Executor, optional
        Where tiles of pairs are computed instead.
    progress : callable, optional
        Called with (done, total) as the models are measured.

    Returns
    -------
    ComparisonResult

    Notes
    -----
    With the same kernel for both models the difference of the errors is the U-statistic of
    :math:`h^A_{ij} - h^B_{ij}`. Its standard error is that of the jackknife over rows, like that
    of the mean differences of scores; intervals are estimate ± z·se, p-values those of estimate/se
    under a standard normal. Accuracy is told apart by the rows that only one of two models hits:
    without weights its p-value is exact (McNemar's test), its interval that of Bonett and Price,
    which holds for few such rows. Coverage of 95 % intervals for the SKCE is .95 to .99 in
    simulations, conservative where both models are calibrated. `pvalue_holm` holds for all
    comparisons of one measure together.

    Equivalence is shown by two one-sided tests at 1 − confidence_level: "differs by less than eps".

    Above 50 000 rows and two classes the default kernel is approximated by 512 random
    frequencies, the same for all models; `details` says so. That is a kernel of its own: sign,
    p-value and interval are valid for it, and its SKCE is that of the Laplacian to a few percent.

    Examples
    --------
    >>> import calibrant as cal
    >>> y_true, p = cal.models.TemperatureModel(0.5, 3, temperature=3.0).sample(400, rng=0)
    >>> scaled = cal.models.temperature_scale(p, 3.0)
    >>> result = cal.compare(y_true, {"raw": p, "scaled": scaled})
    >>> result.difference("raw", "scaled").interval.low > 0
    True
    >>> print(result.verdict)
    scaled is better calibrated than raw.
    """
    check_confidence_level(confidence_level)
    margins = check_margins(equivalence)
    models = align(
        y_true,
        y_probs,
        classes=classes,
        pos_label=pos_label,
        sample_weight=sample_weight,
        normalize=normalize,
    )
    pairs = _pairs(list(models), reference)
    rows = {name: counted(predictions) for name, predictions in models.items()}
    shared = common_kernel(list(rows.values()), kernel)
    seed = _feature_seed(next(iter(rows.values())), kernel, rng)
    measured = _measure(rows, shared, seed, confidence_level, Parallel(n_jobs, executor, progress))
    differences = [
        difference
        for measure in MEASURES
        for difference in family(measured, pairs, measure, confidence_level, margins.get(measure))
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
        details=_details(rows, seed),
    )


def _pairs(names: list[str], reference: str | None) -> list[Pair]:
    if reference is None:
        return list(combinations(names, 2))
    if reference not in names:
        raise ValueError(f"`reference` must be one of the models {names}; got {reference!r}.")
    return [(name, reference) for name in names if name != reference]


def _feature_seed(rows: Predictions, kernel: Kernel | None, rng: RandomSource) -> int | None:
    # a choice of n and m only; a given kernel is computed as it was asked for
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
        measured[name] = Measured.of(model, sums, confidence_level)
        if parallel.progress is not None:
            parallel.progress(done, len(rows))
    return measured


def _details(rows: Mapping[str, Predictions], seed: int | None) -> dict[str, Any]:
    choice = "all pairs of rows, once per model"
    if seed is not None:
        choice = (
            f"{N_FREQUENCIES} random frequencies of the kernel, the same for all models: more "
            f"than {sizes.EXACT_ROWS} rows"
        )
    details: dict[str, Any] = {
        "choice": choice,
        "n_counted": next(iter(rows.values())).n_samples,
        "impossible_labels": {name: impossible_labels(model).count for name, model in rows.items()},
    }
    if seed is not None:
        details["feature_seed"] = seed
    return details
