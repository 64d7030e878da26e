"""Before something long begins: how long it will take, and what else there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibrant.cli._streams import tell

if TYPE_CHECKING:
    from calibrant.estimators import Estimator
    from calibrant.methods import Method

#: rows times classes times label sets, or squared rows, that cannot take long on any machine
_SHORT = 3e8


def announce(
    n_samples: int,
    n_classes: int,
    estimator: Estimator | None,
    method: Method,
    n_jobs: int | None,
    quiet: bool,
) -> None:
    """Say on standard error what takes more than ten seconds, before it begins."""
    sets = getattr(method, "n_resamples", 1) + 1
    linear = n_samples * n_classes * sets
    quadratic = n_samples**2 * n_classes
    if quiet or (linear < _SHORT and quadratic < 10 * _SHORT):
        return  # not worth measuring
    from calibrant._calibration_test import estimate_cost

    cost = estimate_cost(n_samples, n_classes, estimator=estimator, method=method, n_jobs=n_jobs)
    if cost.is_long:
        tell(str(cost))
