"""Other libraries' measures of a single event, and the equivalent calls of calibrant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import calibrant as cal
from benchmarks.same import Same
from calibrant.effects import observed_expected
from calibrant.estimators import (
    DSC,
    ICI,
    MCB,
    RPS,
    UNC,
    KolmogorovSmirnov,
    Kuiper,
    cumulative_differences,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: MAPIE breaks ties by random relative changes of 1e-8
JITTER = 1e-5
#: like R, our lowess uses a mean if points differ by less than 1/1000 of the range
CELLS = 1e-3


def cumulative_of_mapie() -> Iterator[Same]:
    from mapie.metrics.calibration import kolmogorov_smirnov_statistic, kuiper_statistic

    def range_after_the_first_row(predictions: cal.Predictions) -> float:
        found = cumulative_differences(predictions)
        return float(np.ptp(found.difference) / found.sd[-1])

    yield Same(
        "MAPIE", "kolmogorov_smirnov_statistic(y, p)", "KolmogorovSmirnov()", "binary",
        lambda y, p: kolmogorov_smirnov_statistic(y, p[:, 1]), KolmogorovSmirnov(), JITTER,
    )  # fmt: skip
    yield Same(
        "MAPIE", "kuiper_statistic(y, p)", "Kuiper() without the empty sum", "binary",
        lambda y, p: kuiper_statistic(y, p[:, 1]), range_after_the_first_row, JITTER,
    )  # fmt: skip


def model_diagnostics() -> Iterator[Same]:
    from model_diagnostics.scoring import LogLoss, SquaredError, decompose

    def part(name: str, score: Any) -> Callable[[Any, Any], float]:
        return lambda y, p: decompose(y_obs=y, y_pred=p[:, 1], scoring_function=score)[name].item()

    parts = {"miscalibration": MCB, "discrimination": DSC, "uncertainty": UNC}
    for name, kind in parts.items():
        yield Same(
            "model-diagnostics", f"decompose(SquaredError())[{name}]", f"{kind.__name__}()",
            "binary", part(name, SquaredError()), kind(),
        )  # fmt: skip
        yield Same(
            "model-diagnostics", f"decompose(LogLoss())[{name}]", f'{kind.__name__}("log")',
            "binary", part(name, LogLoss()), kind("log"),
        )  # fmt: skip


def mcgrad() -> Iterator[Same]:
    from mcgrad.metrics import calibration_ratio, ecce, ecce_sigma

    yield Same(
        "mcgrad", "ecce(y, p)", "Kuiper(standardized=False)", "binary",
        lambda y, p: ecce(y, p[:, 1]), Kuiper(standardized=False),
    )  # fmt: skip
    yield Same(
        "mcgrad", "ecce_sigma(y, p)", "Kuiper()", "binary",
        lambda y, p: ecce_sigma(y, p[:, 1]), Kuiper(), 1e-10,
    )  # fmt: skip
    yield Same(
        "mcgrad", "calibration_ratio(y, p)", "1/observed_expected(predictions).estimate", "binary",
        lambda y, p: calibration_ratio(y, p[:, 1]), lambda d: 1.0 / observed_expected(d).estimate,
    )  # fmt: skip


def scoringrules() -> Iterator[Same]:
    from scoringrules import rps_score

    yield Same(
        "scoringrules", "mean of rps_score(y + 1, P)", "RPS()", "classes",
        lambda y, p: float(np.mean(rps_score(y + 1, p))), RPS(),
    )  # fmt: skip


def statsmodels() -> Iterator[Same]:
    from statsmodels.nonparametric.smoothers_lowess import lowess

    def distances(y: Any, p: Any) -> Any:
        curve = lowess(y, p[:, 1], frac=2 / 3, it=0, return_sorted=False)
        return np.abs(np.clip(curve, 0.0, 1.0) - p[:, 1])

    yield Same(
        "statsmodels", "mean |lowess(y, p, frac=2/3, it=0) - p|", "ICI()", "binary",
        lambda y, p: float(distances(y, p).mean()), ICI(), CELLS,
    )  # fmt: skip
    yield Same(
        "statsmodels", "max |lowess(y, p, frac=2/3, it=0) - p|", 'ICI("max")', "binary",
        lambda y, p: float(distances(y, p).max()), ICI("max"), CELLS,
    )  # fmt: skip
