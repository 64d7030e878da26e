"""The noise floor: the estimates that a calibrated model would have on these predictions."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibrant._output import Count, Plain

_QUANTILES = (0.05, 0.5, 0.95)


@dataclass(frozen=True)
class NoiseFloor(Plain):
    """Mean, standard deviation and quantiles of an estimate under calibration.

    Parameters
    ----------
    mean, sd : float
        Mean and standard deviation; NaN if there are no estimates, sd also if there is only one.
    quantiles : mapping from probability to value
        The 5 %, 50 % and 95 % quantiles; the keys are strings in `to_dict`.
    n_resamples : int
        Number of finite estimates.

    Examples
    --------
    >>> from calibrant.effects import NoiseFloor
    >>> floor = NoiseFloor.of([0.25, 0.5, 0.75])
    >>> floor.mean, floor.sd, floor.excess(0.75), round(floor.size(0.75), 2)
    (0.5, 0.25, 0.25, 0.56)

    The estimate 0.75 is 0.25 above the 0.5 ± 0.25 of a calibrated model. Noise and error add in
    squares, so the true error is about 0.56.
    """

    mean: float
    sd: float
    quantiles: Mapping[float, float]
    n_resamples: Count

    @classmethod
    def of(cls, null_estimates: npt.ArrayLike) -> NoiseFloor:
        """Summarize estimates on resampled labels, shape (n_resamples,); O(n_resamples)."""
        values = np.asarray(null_estimates, dtype=np.float64).ravel()
        values = values[np.isfinite(values)]
        n = len(values)
        if n == 0:
            return cls(math.nan, math.nan, dict.fromkeys(_QUANTILES, math.nan), 0)
        sd = float(values.std(ddof=1)) if n > 1 else math.nan
        found = np.quantile(values, _QUANTILES).tolist()
        return cls(float(values.mean()), sd, dict(zip(_QUANTILES, found, strict=True)), n)

    def excess(self, estimate: float) -> float:
        """Return estimate − mean, the distance above the floor; negative below it.

        This does not estimate the true error, because noise does not simply add to it: see `size`.
        """
        return estimate - self.mean

    def size(self, estimate: float) -> float:
        """Return √max(0, estimate² − mean²), approximately the true error behind the estimate."""
        return math.sqrt(max(0.0, estimate**2 - self.mean**2))
