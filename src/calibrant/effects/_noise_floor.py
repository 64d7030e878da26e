"""The noise floor: what a perfectly calibrated model would score on these predictions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant.effects._interval import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

_QUANTILES = (0.05, 0.5, 0.95)


@dataclass(frozen=True)
class NoiseFloor:
    """Mean, standard deviation and quantiles of an estimate under calibration.

    Parameters
    ----------
    mean, sd : float
        NaN where there are no estimates, sd also where there is one only.
    quantiles : mapping from probability to value
        The 5 %, 50 % and 95 % quantiles.
    n_resamples : int
        From how many finite estimates.

    Examples
    --------
    >>> from calibrant.effects import NoiseFloor
    >>> floor = NoiseFloor.of([0.25, 0.5, 0.75])
    >>> floor.mean, floor.sd, floor.excess(0.75)
    (0.5, 0.25, 0.25)

    Of the error 0.75 a perfect model would show 0.5 ± 0.25; 0.25 is left.
    """

    mean: float
    sd: float
    quantiles: Mapping[float, float]
    n_resamples: int

    @classmethod
    def of(cls, null_estimates: npt.ArrayLike) -> NoiseFloor:
        """Summarise estimates on resampled labels, shape (n_resamples,); O(n_resamples)."""
        values = np.asarray(null_estimates, dtype=np.float64).ravel()
        values = values[np.isfinite(values)]
        n = len(values)
        if n == 0:
            return cls(math.nan, math.nan, dict.fromkeys(_QUANTILES, math.nan), 0)
        sd = float(values.std(ddof=1)) if n > 1 else math.nan
        found = np.quantile(values, _QUANTILES).tolist()
        return cls(float(values.mean()), sd, dict(zip(_QUANTILES, found, strict=True)), n)

    def excess(self, estimate: float) -> float:
        """Return estimate − mean: what is left beyond the noise; below 0 where it is less."""
        return estimate - self.mean

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; the quantiles under the keys "0.05", "0.5" and "0.95"."""
        return {
            "mean": plain(self.mean),
            "sd": plain(self.sd),
            "quantiles": plain(self.quantiles),
            "n_resamples": self.n_resamples,
        }

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> NoiseFloor:
        """Read what `to_dict` wrote."""

        def number(value: float | None) -> float:
            return math.nan if value is None else float(value)

        quantiles = {float(key): number(value) for key, value in table["quantiles"].items()}
        return cls(number(table["mean"]), number(table["sd"]), quantiles, table["n_resamples"])
