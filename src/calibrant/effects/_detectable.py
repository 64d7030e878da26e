"""The smallest over- and under-confidence that a test would detect."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from calibrant._output import Plain
from calibrant._predictions import Predictions
from calibrant.effects._temperature_power import TemperaturePower
from calibrant.recalibration import HIGHEST_TEMPERATURE as HIGHEST, LOWEST_TEMPERATURE as LOWEST

#: logarithms of temperatures closer to 0 are treated as equal
_NEAREST = 1e-6
#: logarithm of a number of rows that counts as infinite
_FAR = 100.0


@dataclass(frozen=True)
class Detectable(Plain):
    """The temperatures closest to 1 that would be detected, or None if there are none in range.

    Parameters
    ----------
    over : float in (1, 20] or None
        The smallest detectable temperature above 1 (over-confidence).
    under : float in [1/20, 1) or None
        The largest detectable temperature below 1 (under-confidence).
    alpha : float
        The test rejects at p ≤ alpha.
    power : float
        The probability of detection.

    Examples
    --------
    >>> import calibrant as cal
    >>> from calibrant.effects import detectable_temperature
    >>> found = detectable_temperature(cal.Predictions(*cal.models.M1(10).sample(500, rng=0)))
    >>> found.under < 1 < found.over
    True
    """

    over: float | None
    under: float | None
    alpha: float
    power: float


def detectable_temperature(
    predictions: Predictions, alpha: float = 0.05, power: float = 0.8
) -> Detectable:
    r"""Return the temperatures closest to 1 that the default test would detect at this n.

    Without clusters, it uses only the predictions, not the labels. Cost: about twenty passes of
    O(m) over at most 131,072/m rows.

    Parameters
    ----------
    predictions : Predictions
        Labels and probabilities.
    alpha : float in (0, 1), default 0.05
        The test rejects at p ≤ alpha.
    power : float in (0, 1), default 0.8
        The probability of detection.

    Returns
    -------
    Detectable

    Notes
    -----
    If the truth is :math:`q_i \propto p_i^{1/\tau}`, the log-score direction has the mean

    .. math:: \mu = \frac{\sum_i w_i \langle q_i - p_i, f_i \rangle}
        {\sqrt{\sum_i w_i^2 \mathrm{Var}_{p_i} f_i}}, \qquad f_i = \log \max(p_i, 0.001),

    and its variance :math:`s^2` is :math:`\sum_i w_i^2 \mathrm{Var}_{q_i} f_i` over the same
    denominator squared. The default test rejects with a probability of about
    :math:`\Phi((|\mu| - c)/s)` with :math:`c = z_{1-\alpha/2} + 0.39`; the 0.39 is the price of
    looking for other errors, too (`rows_needed` finds c by simulation). With clusters, the mean is
    divided by the root of the design effect of the cluster sums.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant import Predictions
    >>> from calibrant.effects import detectable_temperature
    >>> y_prob = np.random.default_rng(0).dirichlet(np.full(10, 0.1), 1000)
    >>> found = detectable_temperature(Predictions(np.zeros(1000, dtype=int), y_prob))
    >>> f"{found.under:.2f} {found.over:.2f}"
    '0.88 1.13'

    With a thousand such rows, the test detects logits that are 13 % too large with power 0.8.
    """
    for name, value in (("alpha", alpha), ("power", power)):
        if not 0.0 < value < 1.0:
            raise ValueError(f"`{name}` must be in (0, 1), for example 0.05 or 0.8; got {value}.")
    return detectable(TemperaturePower.of(predictions), alpha, power)


def detectable(rows: TemperaturePower, alpha: float = 0.05, power: float = 0.8) -> Detectable:
    """Return the temperatures that these rows can detect."""
    if not rows.strength(HIGHEST).mean > 0.0 and not rows.strength(LOWEST).mean > 0.0:
        return Detectable(None, None, alpha, power)
    if power <= alpha:  # the test rejects that often without any error
        return Detectable(1.0, 1.0, alpha, power)

    def excess(log_temperature: float) -> float:
        needed = rows.rows_needed(math.exp(log_temperature), alpha, power) / rows.n_samples
        return min(max(math.log(needed), -_FAR), _FAR) if needed > 0.0 else -_FAR

    over, under = (_nearest(excess, math.log(end)) for end in (HIGHEST, LOWEST))
    return Detectable(over, under, alpha, power)


def _nearest(excess: Callable[[float], float], end: float) -> float | None:
    """Return the temperature between 1 and `end` where the excess is 0; None if it is above."""
    from scipy.optimize import brentq

    sign = math.copysign(1.0, end)

    def at(x: float) -> float:  # nearly linear in the logarithm of the logarithm
        return excess(sign * math.exp(x))

    ends = math.log(_NEAREST), math.log(abs(end))
    if at(ends[1]) > 0.0:
        return None
    if at(ends[0]) <= 0.0:
        return math.exp(sign * _NEAREST)
    return math.exp(sign * math.exp(brentq(at, *ends, xtol=1e-10)))
