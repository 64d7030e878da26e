"""Well-known measures of a single event, one row each, shown on request."""

from __future__ import annotations

import math
from functools import partial

from calibrant.effects._measure import Measure
from calibrant.effects._observed_expected import (
    OBSERVED_EXPECTED_MEANING,
    describe_observed_expected,
    observed_expected,
)
from calibrant.estimators import (
    DSC,
    ICI,
    MCB,
    UNC,
    HosmerLemeshow,
    KolmogorovSmirnov,
    Kuiper,
    MultiScale,
)

_UNIT, _POSITIVE, _ANYTHING = (0.0, 1.0), (0.0, math.inf), (-math.inf, math.inf)
_row = partial(Measure, by_default=False, in_report=False)

#: in reading order
EVENT_MEASURES: tuple[Measure, ...] = (
    _row(
        "observed_expected",
        "Observed/expected ratio of {event}",
        OBSERVED_EXPECTED_MEANING,
        describe_observed_expected,
        _POSITIVE,
        effect=observed_expected,
        has_interval=True,
    ),
    _row(
        "ici",
        "Mean distance from a smooth curve (ICI)",
        "integrated calibration index of {event}: mean distance from a lowess curve",
        "Predictions are {text} away from a smooth calibration curve on average.{chance}",
        _UNIT,
        estimator=ICI(),
        adds_in_squares=True,
    ),
    _row(
        "e50",
        "Median distance from a smooth curve (E50)",
        "median distance of {event} from a lowess curve",
        "Half of the predictions are at most {text} away from a smooth calibration curve.{chance}",
        _UNIT,
        estimator=ICI("median"),
    ),
    _row(
        "e90",
        "90 % of distances from a smooth curve (E90)",
        "90 % quantile of the distances of {event} from a lowess curve",
        "Nine of ten predictions are at most {text} away from a smooth calibration curve.{chance}",
        _UNIT,
        estimator=ICI("p90"),
    ),
    _row(
        "emax",
        "Largest distance from a smooth curve (Emax)",
        "largest distance of {event} from a lowess curve",
        "No prediction is more than {text} away from a smooth calibration curve.{chance}",
        _UNIT,
        estimator=ICI("max"),
    ),
    _row(
        "ecce_mad",
        "Largest cumulative difference (ECCE-MAD)",
        "largest cumulative difference of {event}, in probability",
        "Up to some probability, outcomes and predictions differ by {text} of all rows.{chance}",
        _UNIT,
        estimator=KolmogorovSmirnov(standardized=False),
    ),
    _row(
        "ecce_range",
        "Range of cumulative differences (ECCE-R)",
        "range of the cumulative differences of {event}, in probability",
        "Between two probabilities, outcomes and predictions differ by {text} of all rows.{chance}",
        _UNIT,
        estimator=Kuiper(standardized=False),
    ),
    _row(
        "ks",
        "Kolmogorov–Smirnov statistic of {event}",
        "largest cumulative difference of {event}, in deviations of a calibrated model",
        "The largest cumulative difference is {text} standard deviations of a calibrated "
        "model.{chance}",
        _POSITIVE,
        estimator=KolmogorovSmirnov(),
    ),
    _row(
        "kuiper",
        "Kuiper statistic of {event}",
        "range of the cumulative differences of {event}, in deviations of a calibrated model",
        "The range of cumulative differences is {text} standard deviations of a calibrated "
        "model.{chance}",
        _POSITIVE,
        estimator=Kuiper(),
    ),
    _row(
        "hosmer_lemeshow",
        "Hosmer–Lemeshow statistic of {event}",
        "Hosmer–Lemeshow statistic of {event}, 10 groups of equal size",
        "A sum of squared standardized differences over 10 groups; it grows with the rows.{chance}",
        _POSITIVE,
        estimator=HosmerLemeshow(),
    ),
    _row(
        "multi_scale",
        "Error of {event} on several scales (T-Cal)",
        "largest debiased squared error of {event} over 2 to 32 groups, in deviations of a "
        "calibrated model",
        "On the scale where it is clearest, the error is {text} standard deviations above that of "
        "a calibrated model.{chance}",
        _ANYTHING,
        estimator=MultiScale(),
    ),
    _row(
        "mcb",
        "Miscalibration (CORP, Brier)",
        "CORP miscalibration of {event}: what isotonic recalibration of the same rows gains in "
        "Brier score",
        "Isotonic recalibration of the same rows would gain {text} of the Brier score.{chance}",
        _UNIT,
        estimator=MCB(),
    ),
    _row(
        "dsc",
        "Discrimination (CORP, Brier)",
        "CORP discrimination of {event}: what recalibrated predictions gain over the base rate; "
        "larger is better",
        "After recalibration the predictions gain {text} of the Brier score over the base "
        "rate.{chance}",
        _UNIT,
        estimator=DSC(),
    ),
    _row(
        "unc",
        "Uncertainty (CORP, Brier)",
        "CORP uncertainty of {event}: the Brier score of its base rate",
        "The base rate alone would have a Brier score of {text}.{chance}",
        _UNIT,
        estimator=UNC(),
    ),
    _row(
        "mcb_log",
        "Miscalibration (CORP, log)",
        "CORP miscalibration of {event} in log loss",
        "Isotonic recalibration of the same rows would gain {text} nats of log loss.{chance}",
        _POSITIVE,
        estimator=MCB("log"),
    ),
    _row(
        "dsc_log",
        "Discrimination (CORP, log)",
        "CORP discrimination of {event} in log loss; larger is better",
        "After recalibration the predictions gain {text} nats over the base rate.{chance}",
        _POSITIVE,
        estimator=DSC("log"),
    ),
    _row(
        "unc_log",
        "Uncertainty (CORP, log)",
        "CORP uncertainty of {event}: the log loss of its base rate",
        "The base rate alone would have a log loss of {text} nats.{chance}",
        _POSITIVE,
        estimator=UNC("log"),
    ),
)
