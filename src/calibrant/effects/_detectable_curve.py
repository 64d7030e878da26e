"""The temperatures that more or fewer rows of the same kind would detect."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibrant._native import FloatArray
from calibrant._output import concise
from calibrant._predictions import Predictions
from calibrant.effects._detectable import Detectable, detectable_temperature
from calibrant.effects._temperature_power import TemperaturePower
from calibrant.recalibration import HIGHEST_TEMPERATURE as HIGHEST

#: the curve starts at this fraction of the detectable distance from 1
_NEAREST = 0.1


@concise
@dataclass(frozen=True, eq=False)
class DetectableCurve:
    """The number of rows needed to detect each temperature.

    Attributes
    ----------
    temperature : ndarray of shape (k,)
        Ascending, below and above 1.
    n_samples : ndarray of shape (k,)
        Rows needed to detect the temperature; infinite if no number suffices.
    given : Detectable
        What is detectable with the given rows.
    n_given : int
        The number of given rows.

    Examples
    --------
    >>> import calibrant as cal
    >>> from calibrant.effects import detectable_curve
    >>> curve = detectable_curve(cal.Predictions(*cal.models.M1(10).sample(500, rng=0)))
    >>> rows = curve.n_samples[curve.temperature > 1]
    >>> bool(rows[-1] < rows[0])
    True

    Stronger over-confidence can be detected with fewer rows.
    """

    temperature: FloatArray
    n_samples: FloatArray
    given: Detectable
    n_given: int


def detectable_curve(
    predictions: Predictions, alpha: float = 0.05, power: float = 0.8, n_points: int = 24
) -> DetectableCurve:
    r"""Return how many rows like these are needed to detect each temperature.

    Cost: about 2·n_points passes over at most 131,072 probabilities; larger data are reduced to
    evenly spaced rows.

    Parameters
    ----------
    predictions : Predictions
        Labels and probabilities.
    alpha : float in (0, 1), default 0.05
        The test rejects at p ≤ alpha.
    power : float in (0, 1), default 0.8
        The probability of detection.
    n_points : int, default 24
        Number of temperatures on either side of 1.

    Returns
    -------
    DetectableCurve

    Notes
    -----
    The rows needed for a temperature are those at which the default test rejects with probability
    `power`: see `detectable_temperature`. Repeating the rows k times multiplies the mean of the
    z-value by √k.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant import Predictions
    >>> from calibrant.effects import detectable_curve
    >>> y_prob = np.random.default_rng(0).dirichlet(np.full(10, 0.1), 1000)
    >>> curve = detectable_curve(Predictions(np.zeros(1000, dtype=int), y_prob))
    >>> rows = np.interp(1.5, curve.temperature, curve.n_samples)
    >>> f"{rows:.0f}"
    '81'

    About eighty rows are enough to detect logits that are 1.5 times too large.
    """
    given = detectable_temperature(predictions, alpha, power)
    rows = TemperaturePower.of(predictions)
    near = min((given.over or 1.1) - 1.0, HIGHEST - 1.0)
    above = 1.0 + np.geomspace(max(_NEAREST * near, 1e-6), HIGHEST - 1.0, n_points)
    temperature = np.concatenate([1.0 / above[::-1], above])
    n_samples = np.array([rows.rows_needed(float(t), alpha, power) for t in temperature])
    return DetectableCurve(temperature, n_samples, given, predictions.n_samples)
