"""Effect sizes with intervals, noise floors and detectable errors, reported with a p-value."""

from __future__ import annotations

from calibrant._output import publish
from calibrant.effects._bias import bias, bias_effect
from calibrant.effects._brier_direction import Direction, direction, direction_of, direction_sums
from calibrant.effects._calibration_loss import (
    calibration_loss,
    calibration_loss_effect,
    repair_design_effect,
)
from calibrant.effects._clustered_pairs import design_effect
from calibrant.effects._detectable import Detectable, detectable, detectable_temperature
from calibrant.effects._detectable_curve import DetectableCurve, detectable_curve
from calibrant.effects._impossible import ImpossibleLabels, impossible_labels
from calibrant.effects._intercept import intercept, intercept_effect
from calibrant.effects._interval import Effect, Interval, check_confidence_level
from calibrant.effects._jackknife import (
    SKCE_MEANING,
    estimate_interval,
    interval_at,
    row_sum_effect,
    skce_interval,
)
from calibrant.effects._leave_one_out import jackknife_error
from calibrant.effects._measure import Measure, measure_all
from calibrant.effects._measures import MEASURES, arrange, find_measure
from calibrant.effects._noise_floor import NoiseFloor
from calibrant.effects._null_variance import null_variance
from calibrant.effects._observed_expected import observed_expected
from calibrant.effects._repair_gain import RepairGain
from calibrant.effects._repeated import repeated_rows
from calibrant.effects._rmsce import rmsce, upper_bound
from calibrant.effects._robust import Spread
from calibrant.effects._row_sums import RowSums
from calibrant.effects._rows import effective_size, rows_that_weigh, size_of_sums
from calibrant.effects._score_interval import score_interval
from calibrant.effects._scores import (
    BRIER_MEANING,
    LOG_LOSS_MEANING,
    RPS_MEANING,
    accuracy,
    accuracy_effect,
    brier,
    brier_remark,
    log_loss,
    rps,
)
from calibrant.effects._slope import slope, slope_effect
from calibrant.effects._streamed_gain import (
    assemble_rows,
    rows_of,
    streamed_calibration_loss,
)
from calibrant.effects._streamed_rmsce import streamed_rmsce
from calibrant.effects._summarize import summarize
from calibrant.effects._temperature import (
    Likelihood,
    add_labels_at_floor,
    labels_at_floor,
    likelihood_scores,
    likelihood_sums,
    logit_floor,
    smallest_probability,
    temperature,
    temperature_effect,
)
from calibrant.effects._temperature_power import (
    Strength,
    TemperaturePower,
    critical_value,
    log_score_terms,
)

__all__ = [
    "Detectable",
    "DetectableCurve",
    "Direction",
    "Effect",
    "ImpossibleLabels",
    "Interval",
    "NoiseFloor",
    "accuracy",
    "bias",
    "brier",
    "calibration_loss",
    "detectable_curve",
    "detectable_temperature",
    "direction",
    "direction_sums",
    "impossible_labels",
    "intercept",
    "log_loss",
    "observed_expected",
    "rmsce",
    "rps",
    "score_interval",
    "skce_interval",
    "slope",
    "summarize",
    "temperature",
    "upper_bound",
]

publish(__name__, globals(), __all__)
