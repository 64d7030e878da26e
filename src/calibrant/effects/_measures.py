"""Everything that can be measured, one row each: what tests, tables, gates and pages read."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from calibrant._engine import LabelResampler, sizes
from calibrant._execution import Parallel, Progress, single_threaded_blas
from calibrant._output import number, percent
from calibrant._predictions import Predictions, event_name
from calibrant.binning import MedianVariance, Uniform
from calibrant.effects._bias import BIAS_MEANING, bias, describe_bias
from calibrant.effects._calibration_loss import (
    CALIBRATION_LOSS_MEANING,
    calibration_loss,
    describe_calibration_loss,
)
from calibrant.effects._intercept import INTERCEPT_MEANING, describe_intercept, intercept
from calibrant.effects._interval import Effect, Interval
from calibrant.effects._noise_floor import NoiseFloor
from calibrant.effects._rmsce import RMSCE_MEANING, rmsce
from calibrant.effects._scores import (
    ACCURACY_MEANING,
    BRIER_MEANING,
    LOG_LOSS_MEANING,
    accuracy,
    brier,
    log_loss,
)
from calibrant.effects._slope import SLOPE_MEANING, describe_slope, slope
from calibrant.effects._temperature import (
    TEMPERATURE_MEANING,
    describe_temperature,
    temperature,
)
from calibrant.estimators import ECE, KCE, MCE, MMCE, SKCE, Estimator, OfEvent, SmoothECE
from calibrant.kernels import Laplacian

#: bins of every class, unless a user says otherwise
_JOINT = Uniform(10)
_UNIT, _POSITIVE, _ANYTHING = (0.0, 1.0), (0.0, math.inf), (-math.inf, math.inf)


#: values of a calibrated model, where they are the same for all of them
_NEUTRAL = {"calibration_loss": 0.0, "bias": 0.0, "temperature": 1.0, "slope": 1.0,
            "intercept": 0.0, "rmsce": 0.0, "skce": 0.0}  # fmt: skip


@dataclass(frozen=True)
class Measure:
    """A number that a person can ask for.

    In texts ``{event}`` is what `Predictions.event` asks, and ``{bins}`` the number of bins.

    Parameters
    ----------
    name : str
        In results, documents and conditions of a gate.
    title : str
        In tables.
    meaning : str
        What it is, in a line.
    words : str or callable
        What a value says to a reader without statistics: a text with ``{text}`` and ``{share}``
        for the value and ``{chance}`` for what chance alone would show, or a function of the
        effect.
    range : (float, float)
        Where values lie, whatever the data.
    effect : callable, optional
        Measures it with an interval, from `Predictions` and a confidence level.
    estimator : Estimator, optional
        The calibration error, which can be tested.
    has_interval : bool
    with_test : bool
        Whether it is reported with every p-value.
    over_pairs : bool
        Whether it costs a pass over all pairs of rows.
    adds_in_squares : bool
        Whether noise and error add in squares, so that a noise floor gives the size of the error.
    in_report : bool
    """

    name: str
    title: str
    meaning: str
    words: str | Callable[[Effect], str]
    range: tuple[float, float]
    effect: Callable[..., Effect] | None = None
    estimator: Estimator | None = None
    has_interval: bool = False
    with_test: bool = False
    over_pairs: bool = False
    adds_in_squares: bool = False
    in_report: bool = True

    @property
    def neutral(self) -> float | None:
        """The value that a calibrated model has; None where that depends on the data."""
        return _NEUTRAL.get(self.name)

    def measure(
        self,
        predictions: Predictions,
        parallel: Parallel = Parallel(),
        *,
        n_resamples: int = 0,
        resampler: LabelResampler | None = None,
    ) -> Effect:
        """Measure; with a resampler also what a calibrated model would show."""
        if self.effect is not None:
            return self.effect(predictions)
        assert self.estimator is not None
        estimate, details = (
            self.estimator.estimate(predictions, parallel),
            self._details(predictions),
        )
        if resampler is not None and n_resamples:
            floor = _noise_floor(self.estimator, predictions, resampler, n_resamples, parallel)
            details |= {"noise_floor": floor.to_dict(), "excess": floor.excess(estimate)}
            if self.adds_in_squares:
                details["size"] = floor.size(estimate)
        meaning = self.describe(predictions)
        return Effect(self.name, estimate, Interval.unknown(), meaning, details=details)

    def describe(self, predictions: Any) -> str:
        """Return the meaning for the classes of some predictions."""
        binning = getattr(self.estimator, "binning", None)
        return self.meaning.format(event=_event(predictions), bins=getattr(binning, "n", None))

    def put_into_words(self, effect: Effect, chance: NoiseFloor | None) -> str:
        """Say what a measured value means."""
        if not isinstance(self.words, str):
            return self.words(effect)
        text, share = number(effect.estimate), percent(effect.estimate)
        shown = self._put_chance_into_words(effect.estimate, chance)
        return self.words.format(text=text, share=share, chance=shown)

    def _put_chance_into_words(self, estimate: float, chance: NoiseFloor | None) -> str:
        if chance is None or not chance.n_resamples:
            return ""
        text = f" A calibrated model would show {number(chance.mean)} by chance"
        if self.adds_in_squares and estimate > chance.mean:
            text += f"; without chance about {number(chance.size(estimate))} is left"
        return f"{text}."

    def adjusted(self, bins: int, bandwidth: float | None) -> Measure:
        """Return the measure with other bins of every class and another bandwidth."""
        if self.estimator is None:
            return self
        given = {f.name: getattr(self.estimator, f.name) for f in fields(self.estimator)}  # type: ignore[arg-type]
        changes: dict[str, Any] = {}
        if given.get("binning") == _JOINT:
            changes["binning"] = Uniform(bins)
        if bandwidth is not None and given.get("kernel") == SKCE().kernel:
            changes["kernel"] = Laplacian(bandwidth)
        return replace(self, estimator=replace(self.estimator, **changes)) if changes else self  # type: ignore[type-var]

    def _details(self, predictions: Predictions) -> dict[str, Any]:
        return {"event": _event(predictions)} if "{event}" in self.title else {}


#: in the order of reading: what a person understands first
MEASURES: tuple[Measure, ...] = (
    Measure(
        "calibration_loss",
        "Calibration loss",
        CALIBRATION_LOSS_MEANING,
        describe_calibration_loss,
        _ANYTHING,
        effect=calibration_loss,
        has_interval=True,
        with_test=True,
    ),
    Measure(
        "bias",
        "Bias of {event}",
        BIAS_MEANING,
        describe_bias,
        (-1.0, 1.0),
        effect=bias,
        has_interval=True,
        with_test=True,
    ),
    Measure(
        "temperature",
        "Temperature",
        TEMPERATURE_MEANING,
        describe_temperature,
        _POSITIVE,
        effect=temperature,
        has_interval=True,
        with_test=True,
    ),
    Measure(
        "slope",
        "Calibration slope",
        SLOPE_MEANING,
        describe_slope,
        _ANYTHING,
        effect=slope,
        has_interval=True,
        with_test=True,
    ),
    Measure(
        "intercept",
        "Calibration intercept of {event}",
        INTERCEPT_MEANING,
        describe_intercept,
        _ANYTHING,
        effect=intercept,
        has_interval=True,
        with_test=True,
    ),
    Measure(
        "rmsce",
        "Typical error of {event} (RMSCE)",
        RMSCE_MEANING,
        "Predicted probability and frequency typically differ by {text}; chance is already "
        "subtracted.",
        _UNIT,
        effect=rmsce,
        has_interval=True,
        with_test=True,
    ),
    Measure(
        "ece",
        "ECE of {event}",
        "expected calibration error of {event}, 15 equal bins: biased upwards",
        "Over 15 bins, predicted probability and frequency differ by {text} on average.{chance}",
        _UNIT,
        estimator=OfEvent(ECE(Uniform(15))),
        with_test=True,
        adds_in_squares=True,
    ),
    Measure(
        "smooth_ece",
        "Smooth ECE of {event}",
        "calibration error of {event} without bins, smoothed as widely as it is large",
        "Smoothed over neighbors instead of bins, they differ by {text}.{chance}",
        _UNIT,
        estimator=SmoothECE(),
        adds_in_squares=True,
    ),
    Measure(
        "mce",
        "Largest error of a bin (MCE)",
        "largest error of a bin and class, {bins} bins of every class",
        "In the worst bin a class is off by {text}; often a bin of few rows.{chance}",
        _UNIT,
        estimator=MCE(_JOINT),
    ),
    Measure(
        "mmce",
        "Kernel error of {event} (MMCE)",
        "kernel calibration error of {event}",
        "Without bins, weighted by a kernel, at least 0.{chance}",
        _POSITIVE,
        estimator=MMCE(),
        adds_in_squares=True,
    ),
    Measure(
        "ece_joint",
        "ECE of all classes, equal bins",
        "expected calibration error of all classes together, {bins} bins of every class",
        "Average distance of whole predicted distributions and label frequencies.{chance}",
        _UNIT,
        estimator=ECE(_JOINT),
        adds_in_squares=True,
    ),
    Measure(
        "ece_adaptive",
        "ECE of all classes, adaptive bins",
        "expected calibration error of all classes together, bins of at least 100 rows",
        "The same with bins of at least 100 rows, less noisy.{chance}",
        _UNIT,
        estimator=ECE(MedianVariance(min_size=100)),
        adds_in_squares=True,
    ),
    Measure(
        "kce",
        "Kernel calibration error (KCE)",
        "kernel calibration error of whole distributions, at least 0: root of skce_biased",
        "Error of whole distributions without bins, at least 0.{chance}",
        _POSITIVE,
        estimator=KCE(),
        over_pairs=True,
        adds_in_squares=True,
    ),
    Measure(
        "skce",
        "Squared kernel calibration error (SKCE)",
        "squared kernel calibration error, unbiased; may be negative",
        "Error of whole distributions, unbiased: 0 on average for a calibrated model, so it may "
        "be negative.",
        _ANYTHING,
        estimator=SKCE(),
        has_interval=True,
        with_test=True,
        over_pairs=True,
    ),
    Measure(
        "skce_biased",
        "SKCE of all pairs, also of a row with itself",
        "squared kernel calibration error, at least 0",
        "Error of whole distributions, at least 0.{chance}",
        _POSITIVE,
        estimator=SKCE(unbiased=False),
        over_pairs=True,
        in_report=False,
    ),
    Measure(
        "skce_linear",
        "SKCE of consecutive pairs",
        "skce of consecutive pairs only",
        "Error of whole distributions from few pairs, noisy.{chance}",
        _ANYTHING,
        estimator=SKCE(block_size=2),
        in_report=False,
    ),
    Measure(
        "accuracy",
        "Accuracy",
        ACCURACY_MEANING,
        "The most probable class occurred in {share} of rows.",
        _UNIT,
        effect=accuracy,
        has_interval=True,
        with_test=True,
    ),
    Measure(
        "brier",
        "Brier score",
        BRIER_MEANING,
        "Mean squared distance of prediction and outcome, 0 (best) to 2; mixes calibration with "
        "how much the model knows.",
        (0.0, 2.0),
        effect=brier,
        has_interval=True,
        with_test=True,
    ),
    Measure(
        "log_loss",
        "Log loss",
        LOG_LOSS_MEANING,
        "Mean surprise at the labels in nats, 0 is best; mixes calibration with how much the "
        "model knows.",
        _POSITIVE,
        effect=log_loss,
        has_interval=True,
        with_test=True,
    ),
)  # fmt: skip


def find_measure(name: str) -> Measure:
    """Return the measure of a name, which must be one of theirs."""
    return next(one for one in MEASURES if one.name == name)


def arrange(effects: dict[str, Effect]) -> dict[str, Effect]:
    """Return effects in the order of the table; those that are not in it come last."""
    order = [one.name for one in MEASURES if one.name in effects]
    return {name: effects[name] for name in dict.fromkeys([*order, *effects])}


@single_threaded_blas()  # whose sums depend on the number of its threads
def measure_all(
    predictions: Predictions,
    measures: Iterable[Measure],
    parallel: Parallel = Parallel(),
    *,
    n_resamples: int = 0,
    resampler: LabelResampler | None = None,
    progress: Progress | None = None,
) -> list[Effect]:
    """Return the measures of some predictions, with their noise floors if labels are drawn."""
    chosen, effects = list(measures), []
    for measure in chosen:
        effects.append(
            measure.measure(predictions, parallel, n_resamples=n_resamples, resampler=resampler)
        )
        if progress is not None:
            progress(len(effects), len(chosen))
    return effects


def _noise_floor(
    estimator: Estimator,
    predictions: Predictions,
    resampler: LabelResampler,
    n_resamples: int,
    parallel: Parallel,
) -> NoiseFloor:
    """Return what a calibrated model would show, from labels drawn from the predictions."""
    quiet = parallel.quiet()
    null = [
        estimator.over_labels(predictions, resampler.labels(predictions.y_prob, part), quiet)
        for part in sizes.replicate_batches(n_resamples, predictions.n_samples)
    ]
    return NoiseFloor.of(np.concatenate(null))


def _event(predictions: Any) -> str:
    return event_name(predictions.classes, ranked=getattr(predictions, "ranked", False))
