"""The front door: data in, evidence out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant._checkpoint import computation, resumable
from calibrant._executors import Parallel
from calibrant._measures import TOP_ECE
from calibrant._predictions import as_predictions
from calibrant._random import as_generator
from calibrant._resampling import LabelResampler
from calibrant._result import CalibrationTestResult
from calibrant._streamed_test import streamed_computation, streamed_test
from calibrant.effects import (
    Effect,
    NoiseFloor,
    detectable_temperature,
    impossible_labels,
    skce_interval,
    summarise,
)
from calibrant.effects._jackknife import row_sum_effect
from calibrant.estimators import SKCE, Estimator
from calibrant.estimators._feature_skce import feature_row_sums
from calibrant.io._scan import PredictionScan
from calibrant.kernels import Median
from calibrant.methods import Auto, Method, Setting
from calibrant.methods._auto import EXACT_ROWS

if TYPE_CHECKING:
    from collections.abc import Iterable
    from concurrent.futures import Executor
    from os import PathLike

    import numpy as np

    from calibrant._executors import Progress
    from calibrant._predictions import Predictions
    from calibrant._random import RandomSource
    from calibrant.methods import Evidence

#: resamples behind the noise floor of the ECE
ECE_RESAMPLES = 199


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
    rng: RandomSource = None,
    n_jobs: int | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
    checkpoint: str | PathLike[str] | None = None,
    effects: bool = True,
) -> CalibrationTestResult:
    """Test whether predicted probabilities are calibrated, with a p-value that is valid.

    With neither estimator nor method the exact aggregated test runs: no choices needed.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), Predictions or PredictionScan
        Labels; or one `Predictions` (any lens, weights) in place of both arrays; or files that
        need not fit into memory, from `calibrant.io.scan_predictions`.
    y_prob : array-like of shape (n_samples, n_classes) or (n_samples,)
        Predicted distributions, or probabilities of the positive class.
    estimator : Estimator, optional
        The calibration error to test; alone, it gets the exact test `methods.Exact`.
    method : Method, optional
        How to test; alone, it tests ``SKCE(Laplacian(Median()))``.
    classes, pos_label, sample_weight, normalize
        See `Predictions`.
    rng : None, int or Generator
        Randomness; an integer makes the result reproducible, on any number of threads.
    n_jobs : int, optional
        Threads; all cores this process may use by default.
    executor : concurrent.futures.Executor or distributed.Client, optional
        Where sums over pairs and label sets are computed instead. No bit of the result depends
        on it.
    progress : callable, optional
        Called with (done, total) as parts finish; the estimate beside the test counts anew.
    checkpoint : path, optional
        A file that keeps finished work: after a crash the same call goes on where it was. Needs
        a fixed `rng`.
    effects : bool, default True
        Also compute the effects that stand beside the p-value.

    Returns
    -------
    CalibrationTestResult

    Notes
    -----
    The null hypothesis is strong calibration: given the predictions the labels are independent
    draws from them. Cost: see the method; `methods.Auto` says what would run. The estimate of
    the default test is computed from all pairs up to 50 000 rows and from random features above.

    Examples
    --------
    >>> import calibrant as cal
    >>> y_true, y_prob = cal.models.M1(n_classes=3).sample(200, rng=0)  # calibrated
    >>> result = cal.calibration_test(y_true, y_prob, rng=0)
    >>> result.pvalue > 0.05
    True
    >>> print(result.summary().splitlines()[0])
    No evidence against calibration: p = 0.238.
    """
    if isinstance(y_true, PredictionScan):
        given = (y_prob, classes, pos_label, sample_weight, normalize or None)
        if any(value is not None for value in given):
            raise ValueError(
                "a PredictionScan comes alone: its classes, weights and `normalize` belong to "
                "`scan_predictions`."
            )
        if y_true.is_streamed:
            return _streamed(
                y_true, estimator, method, rng, n_jobs, executor, progress, checkpoint, effects
            )
        y_true = y_true.read().predictions
    predictions = as_predictions(
        y_true,
        y_prob,
        classes=classes,
        pos_label=pos_label,
        sample_weight=sample_weight,
        normalize=normalize,
    )
    _check_types(estimator, method)
    choice = Auto().select(predictions.n_samples, predictions.n_classes, estimator, method)
    chosen = choice.method
    error = chosen.default_estimator() if estimator is None else estimator
    chosen.check(error)
    generator = as_generator(rng)

    def belongs_to() -> dict[str, Any]:
        _require_fixed(rng)
        rows = predictions.y_true, predictions.y_prob, predictions.sample_weight
        settings = {"estimator": error, "method": chosen, "effects": effects}
        return computation(*rows, **settings, rng=generator.bit_generator.state)

    with resumable(checkpoint, belongs_to) as opened:
        parallel = Parallel(n_jobs, executor, progress, checkpoint=opened)
        evidence = chosen.test(predictions, error, Setting(generator, parallel))
        found = _effects(predictions, error, evidence, generator, parallel) if effects else {}
        estimate = evidence.estimate
        if estimate is None:
            skce = found.get("skce")
            estimate = skce.estimate if skce else _estimate(predictions, error, parallel)
    return CalibrationTestResult(
        estimate=estimate,
        statistic=evidence.statistic,
        pvalue=evidence.pvalue,
        method=chosen,
        estimator=error,
        n_samples=predictions.n_samples,
        n_classes=predictions.n_classes,
        null_distribution=evidence.null_distribution,
        noise_floor=_floor(evidence),
        effects=found,
        details=_details(predictions, evidence, choice.reason, effects),
    )


def _streamed(
    scan: PredictionScan,
    estimator: Estimator | None,
    method: Method | None,
    rng: RandomSource,
    n_jobs: int | None,
    executor: Executor | None,
    progress: Progress | None,
    checkpoint: str | PathLike[str] | None,
    effects: bool,
) -> CalibrationTestResult:
    _check_types(estimator, method)
    choice = Auto().select(scan.n_samples, scan.n_classes, estimator, method)
    chosen = choice.method
    error = chosen.default_estimator() if estimator is None else estimator
    chosen.check(error)
    if not isinstance(error, SKCE):
        raise ValueError(
            f"only the SKCE is tested on streamed rows; got {error!r}. Estimate it with "
            "`calibrant.streaming`, or read all rows with `scan.read()`."
        )
    generator = as_generator(rng)

    def belongs_to() -> dict[str, Any]:
        _require_fixed(rng)
        settings = {"estimator": error, "method": chosen, "effects": effects}
        return streamed_computation(scan, **settings, rng=generator.bit_generator.state)

    with resumable(checkpoint, belongs_to) as opened:
        parallel = Parallel(n_jobs, executor, progress, checkpoint=opened)
        return streamed_test(
            scan, error, chosen, generator, parallel, effects=effects, reason=choice.reason
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


def _estimate(predictions: Predictions, estimator: Estimator, parallel: Parallel) -> float:
    if _is_large(predictions, estimator):
        return _large_skce(predictions, parallel).estimate
    if isinstance(estimator, SKCE):
        return estimator.estimate(
            predictions,
            n_jobs=parallel.n_jobs,
            executor=parallel.executor,
            checkpoint=parallel.checkpoint,
        )
    return estimator.estimate(predictions, n_jobs=parallel.n_jobs)


def _effects(
    predictions: Predictions,
    estimator: Estimator,
    evidence: Evidence,
    rng: np.random.Generator,
    parallel: Parallel,
) -> dict[str, Effect]:
    found = {}
    if isinstance(estimator, SKCE):
        found["skce"] = (
            _large_skce(predictions, parallel)
            if _is_large(predictions, estimator) and evidence.estimate is None
            else skce_interval(predictions, estimator, parallel=parallel)
        )
    found |= summarise(predictions)
    found["ece"] = TOP_ECE.effect(
        predictions,
        n_resamples=ECE_RESAMPLES,
        resampler=LabelResampler.from_rng(rng, stream=2),
        n_jobs=parallel.n_jobs,
    )
    order = ("skce", "temperature", "rmsce", "ece", "accuracy", "brier", "log_loss")
    return {name: found[name] for name in order if name in found}


def _is_large(predictions: Predictions, estimator: Estimator) -> bool:
    # a choice of n and m only; a given estimator is computed as it was asked for
    return estimator == SKCE() and predictions.n_samples > EXACT_ROWS and predictions.n_classes > 2


def _large_skce(predictions: Predictions, parallel: Parallel) -> Effect:
    bandwidth = Median().resolve(predictions.y_prob, "tv")
    sums = feature_row_sums(predictions, bandwidth, 0, parallel)
    return row_sum_effect(predictions, sums)


def _floor(evidence: Evidence) -> NoiseFloor | None:
    null = evidence.null_estimates
    return None if null is None else NoiseFloor.of(null)


def _details(
    predictions: Predictions, evidence: Evidence, reason: str, effects: bool
) -> dict[str, Any]:
    details: dict[str, Any] = {**evidence.details, "choice": reason}
    impossible = impossible_labels(predictions)
    details["impossible_labels"] = impossible.count
    if impossible.count:
        details["impossible_rows"] = impossible.rows
    if effects:
        details["detectable_temperature"] = detectable_temperature(predictions).to_dict()
    return details
