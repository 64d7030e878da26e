"""Estimators and methods by name: strings exist at the command line only."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from calibrant.estimators import Estimator
    from calibrant.methods import Method

ESTIMATORS = ("skce", "skce-biased", "skce-linear", "kce", "mmce", "ece", "mce")
METHODS = (
    "aggregated",
    "exact",
    "moments",
    "asymptotic",
    "asymptotic-block",
    "distribution-free",
    "consistency",
)


def chosen_estimator(name: str | None) -> Estimator | None:
    """Return the estimator of a name."""
    if name is None:
        return None
    import calibrant as cal

    made: dict[str, Estimator] = {
        "skce": cal.SKCE(),
        "skce-biased": cal.SKCE(unbiased=False),
        "skce-linear": cal.SKCE(block_size=2),
        "kce": cal.KCE(),
        "mmce": cal.MMCE(),
        "ece": cal.ECE(),
        "mce": cal.MCE(),
    }
    return made[name]


def chosen_method(name: str | None, estimator: str | None, n_resamples: int) -> Method:
    """Return the method of a name; the number of resamples is the user's in any case."""
    from calibrant import methods

    made: dict[str, Method] = {
        "aggregated": methods.Aggregated(n_resamples),
        "exact": methods.Exact(n_resamples),
        "moments": methods.Moments(),
        "asymptotic": methods.Asymptotic(n_resamples),
        "asymptotic-block": methods.AsymptoticBlock(),
        "distribution-free": methods.DistributionFree(),
        "consistency": methods.Consistency(n_resamples),
    }
    return made[name or ("aggregated" if estimator is None else "exact")]
