"""`calibration_test`, the main function of the package."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import TYPE_CHECKING, Any

from calibrant._calibration_test._in_memory import InMemory
from calibrant._calibration_test._result import CalibrationTestResult
from calibrant._calibration_test._shares import (
    effects_seconds,
    estimate_seconds,
    method_seconds,
    seconds_taken,
)
from calibrant._calibration_test._streamed import Streamed
from calibrant._engine import RandomSource, as_generator
from calibrant._execution import Parallel, Progress, Stages, single_threaded_blas
from calibrant._predictions import as_predictions
from calibrant.effects import Effect, NoiseFloor
from calibrant.estimators import Estimator
from calibrant.io import PredictionScan
from calibrant.methods import Aggregated, Auto, Choice, Evidence, Method, Setting

if TYPE_CHECKING:
    from concurrent.futures import Executor


@single_threaded_blas()  # BLAS sums depend on the number of threads
def calibration_test(
    y_true: Any,
    y_prob: Any = None,
    *,
    estimator: Estimator | None = None,
    method: Method | None = None,
    classes: Iterable[Any] | None = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    normalize: bool = False,
    clusters: Any = None,
    ordered: bool = False,
    rng: RandomSource = None,
    n_jobs: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    checkpoint: str | PathLike[str] | None = None,
    effects: bool = True,
) -> CalibrationTestResult:
    """Test whether predicted probabilities are calibrated, with a valid p-value.

    By default, it runs the exact aggregated test, which needs no tuning.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Predictions or PredictionScan
        Labels, or one `Predictions` in place of both arrays, or files larger than memory, opened
        with `calibrant.io.scan_predictions`.
    y_prob : array-like of shape (n_samples, n_classes) or (n_samples,)
        Predicted distributions, or probabilities of the positive class.
    estimator : Estimator, optional
        The calibration error to test; the default method is then `methods.Exact`.
    method : Method, optional
        How to test; the default error is then ``SKCE(Laplacian(Typical()))``.
    classes, pos_label, sample_weight, normalize
        See `Predictions`.
    clusters : array-like of shape (n_samples,), optional
        Cluster ids, such as patients: rows with the same id may depend on each other in any way.
        At least 10 clusters are needed.
    ordered : bool, default False
        Whether the classes are grades in increasing order, such as stages or stars. The default
        test then also uses this order (see `methods.Aggregated`), and the RPS is reported.
    rng : None, int or Generator
        Source of randomness; an integer makes the result reproducible with any number of threads.
    n_jobs : int, optional
        Number of threads; all cores this process may use by default.
    executor : concurrent.futures.Executor or distributed.Client, optional
        Executor for sums over pairs and label sets. The result is the same to the last bit.
    progress : callable, optional
        Called with (done, total) as work completes; the count restarts for the effect sizes.
    checkpoint : path, optional
        A file that stores finished work: after a crash, repeating the call resumes the computation.
        Requires a fixed `rng`.
    effects : bool, default True
        Also compute the effect sizes that are reported with the p-value.

    Returns
    -------
    CalibrationTestResult
        The p-value, the estimate, effect sizes with intervals, and the verdict in words.

    Notes
    -----
    The null hypothesis is strong calibration: given the predictions, the labels are independent
    draws from them. With clusters, the null hypothesis is that every label is a draw from its
    prediction and that clusters are independent; labels within a cluster may depend on each other.
    Label sets then share noise within a cluster to the same degree as the residuals, and the test
    is approximate; ``details["clusters"]`` contains the estimated dependence.
    `methods.BetweenClusters` assumes nothing about the dependence. Cost: see the method;
    `methods.Auto` reports what would run. The estimate of the default test uses all pairs up to
    50,000 rows (n²·m is bounded: 15,811 rows for 100 classes, 5,000 for 1,000), else random
    features.

    Examples
    --------
    >>> import calibrant as cal
    >>> y_true, y_prob = cal.models.M1(n_classes=3).sample(200, rng=0)  # calibrated
    >>> result = cal.calibration_test(y_true, y_prob, rng=0)
    >>> result.pvalue > 0.05
    True
    >>> print(result.verdict)
    No evidence against calibration: p = 0.494; with 95 % confidence the typical error of the
    predicted label is below 0.146.
    """
    _check_types(estimator, method)
    options = {
        "classes": classes,
        "pos_label": pos_label,
        "sample_weight": sample_weight,
        "clusters": clusters,
        "ordered": ordered,
        "normalize": normalize,
    }
    rows = _rows(y_true, y_prob, options)
    choice, chosen = _choose(rows, estimator, method)
    generator = as_generator(rng)

    def belongs_to() -> dict[str, Any]:
        _require_fixed(rng)
        settings = {"estimator": chosen, "method": choice.method, "effects": effects}
        return rows.computation(**settings, rng=generator.bit_generator.state)

    n, m = rows.n_samples, rows.n_classes
    seconds = estimate_seconds(chosen, n, m, known=not choice.method.own_statistic)
    shares = [
        method_seconds(choice.method, chosen, n, m),
        seconds + effects * effects_seconds(n, m),
    ]
    stages = Stages(progress, shares)
    with Parallel(n_jobs, executor, progress, checkpoint).resumed(belongs_to) as opened:
        setting = Setting(generator, opened)
        evidence = rows.test(choice.method, chosen, setting.telling(stages.next()))
        stages.correct(seconds_taken(choice.method, chosen, n, m, evidence.details))
        then = setting.telling(stages.next())
        estimate, found = rows.measure(chosen, evidence, then, effects=effects)
    result = _describe(rows, choice, chosen, evidence, estimate, found)
    stages.end()
    return result


def _rows(y_true: Any, y_prob: Any, options: dict[str, Any]) -> InMemory | Streamed:
    if not isinstance(y_true, PredictionScan):
        return InMemory(as_predictions(y_true, y_prob, **options))
    given = [y_prob, *options.values()]
    if any(value is not None and value is not False for value in given):
        raise ValueError(
            "a PredictionScan comes alone: its classes, their order, weights, clusters and "
            "`normalize` belong to `scan_predictions`."
        )
    return Streamed(y_true) if y_true.is_streamed else InMemory(y_true.read().predictions)


def _choose(
    rows: InMemory | Streamed, estimator: Estimator | None, method: Method | None
) -> tuple[Choice, Estimator]:
    choice = Auto().select(rows.n_samples, rows.n_classes, estimator, method)
    chosen = choice.method.default_estimator() if estimator is None else estimator
    choice.method.check(chosen)
    rows.check(choice.method)
    return choice, chosen


def _describe(
    rows: InMemory | Streamed,
    choice: Choice,
    estimator: Estimator,
    evidence: Evidence,
    estimate: float,
    effects: dict[str, Effect],
) -> CalibrationTestResult:
    null = evidence.null_estimates
    # the detectable temperatures are those of the default test
    facts = rows.details(effects=bool(effects) and isinstance(choice.method, Aggregated))
    return CalibrationTestResult(
        estimate=estimate,
        statistic=evidence.statistic,
        pvalue=evidence.pvalue,
        method=choice.method,
        estimator=estimator,
        n_samples=rows.n_samples,
        n_classes=rows.n_classes,
        null_distribution=evidence.null_distribution,
        noise_floor=None if null is None else NoiseFloor.of(null),
        effects=effects,
        details={**evidence.details, "choice": choice.reason + rows.remark, **facts},
    )


def _require_fixed(rng: RandomSource) -> None:
    if rng is None:
        raise ValueError(
            "`checkpoint` needs random numbers that are the same when the work goes on; got "
            "`rng=None`. Pass an integer such as `rng=0`."
        )


def _check_types(estimator: Any, method: Any) -> None:
    for name, value, kind, example in (
        ("estimator", estimator, Estimator, "calibrant.ECE()"),
        ("method", method, Method, "calibrant.methods.Exact()"),
    ):
        if value is not None and not isinstance(value, kind):
            raise ValueError(
                f"`{name}` must be an instance of calibrant's {kind.__name__}, for example "
                f"`{example}`; got {value!r}. Leave it out for the automatic choice."
            )
