"""The registry of all measures, which tests, tables, gates and pages read."""

from __future__ import annotations

import math

from calibrant.binning import MedianVariance, Uniform
from calibrant.effects._bias import BIAS_MEANING, bias, describe_bias
from calibrant.effects._calibration_loss import (
    CALIBRATION_LOSS_MEANING,
    calibration_loss,
    describe_calibration_loss,
)
from calibrant.effects._event_measures import EVENT_MEASURES
from calibrant.effects._intercept import INTERCEPT_MEANING, describe_intercept, intercept
from calibrant.effects._interval import Effect
from calibrant.effects._measure import JOINT, Measure
from calibrant.effects._rmsce import RMSCE_MEANING, rmsce
from calibrant.effects._scores import (
    ACCURACY_MEANING,
    BRIER_MEANING,
    LOG_LOSS_MEANING,
    RPS_MEANING,
    accuracy,
    brier,
    log_loss,
    rps,
)
from calibrant.effects._slope import SLOPE_MEANING, describe_slope, slope
from calibrant.effects._temperature import (
    TEMPERATURE_MEANING,
    describe_temperature,
    temperature,
)
from calibrant.estimators import ECE, KCE, MCE, MMCE, RPS, SKCE, OfEvent, SmoothECE

_UNIT, _POSITIVE, _ANYTHING = (0.0, 1.0), (0.0, math.inf), (-math.inf, math.inf)


#: in reading order: the easiest to understand come first
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
        neutral=0.0,
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
        neutral=0.0,
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
        neutral=1.0,
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
        neutral=1.0,
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
        neutral=0.0,
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
        neutral=0.0,
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
        "calibration error of {event} without bins, from a smoothed curve",
        "Smoothed over neighbors instead of bins, they differ by {text}.{chance}",
        _UNIT,
        estimator=SmoothECE(),
        adds_in_squares=True,
    ),
    *EVENT_MEASURES,
    Measure(
        "mce",
        "Largest error of a bin (MCE)",
        "largest error of a bin and class, {bins} bins of every class",
        "In the worst bin a class is off by {text}; often a bin of few rows.{chance}",
        _UNIT,
        estimator=MCE(JOINT),
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
        estimator=ECE(JOINT),
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
        neutral=0.0,
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
    Measure(
        "rps",
        "Ranked probability score (RPS)",
        RPS_MEANING,
        "Mean squared distance of cumulative probabilities, 0 is best; only for classes that have "
        "an order, and like every score it mixes calibration with how much the model knows."
        "{chance}",
        _POSITIVE,
        effect=rps,
        estimator=RPS(),
        has_interval=True,
        with_test=True,
        for_order=True,
        by_default=False,
        in_report=False,
    ),
)


def find_measure(name: str) -> Measure:
    """Return the measure with this name, which must exist."""
    return next(one for one in MEASURES if one.name == name)


def arrange(effects: dict[str, Effect]) -> dict[str, Effect]:
    """Return effects in the order of the table; effects that are not in it come last."""
    order = [one.name for one in MEASURES if one.name in effects]
    return {name: effects[name] for name in dict.fromkeys([*order, *effects])}
