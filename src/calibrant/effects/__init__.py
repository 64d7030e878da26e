"""What stands beside a p-value: effect sizes with intervals, noise floor, what could be seen."""

from __future__ import annotations

from calibrant.effects._brier_direction import Direction, direction, direction_sums
from calibrant.effects._detectable import Detectable, detectable_temperature
from calibrant.effects._detectable_curve import DetectableCurve, detectable_curve
from calibrant.effects._impossible import ImpossibleLabels, impossible_labels
from calibrant.effects._interval import Effect, Interval
from calibrant.effects._jackknife import skce_interval
from calibrant.effects._noise_floor import NoiseFloor
from calibrant.effects._rmsce import rmsce
from calibrant.effects._scores import accuracy, brier, log_loss
from calibrant.effects._summarise import summarise
from calibrant.effects._temperature import temperature

__all__ = [
    "Detectable",
    "DetectableCurve",
    "Direction",
    "Effect",
    "ImpossibleLabels",
    "Interval",
    "NoiseFloor",
    "accuracy",
    "brier",
    "detectable_curve",
    "detectable_temperature",
    "direction",
    "direction_sums",
    "impossible_labels",
    "log_loss",
    "rmsce",
    "skce_interval",
    "summarise",
    "temperature",
]
