"""What could have been detected: the smallest over- and under-confidence a test would see."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from calibrant._engine import tempered_moments
from calibrant._execution import spans
from calibrant._output import Plain
from calibrant._predictions import Predictions
from calibrant.effects._brier_direction import clustered_sums
from calibrant.effects._root import find_root
from calibrant.effects._rows import counted
from calibrant.effects._tempering import PART, weights_of
from calibrant.recalibration import HIGHEST_TEMPERATURE as HIGHEST, LOWEST_TEMPERATURE as LOWEST

#: no probability below this matters at any temperature in the bounds
_TINY = 1e-300


@dataclass(frozen=True)
class Detectable(Plain):
    """The temperatures nearest to 1 that would be detected; None where none in the bounds is.

    Parameters
    ----------
    over : float in (1, 20] or None
        The smallest over-confidence.
    under : float in [1/20, 1) or None
        The largest temperature of under-confidence.
    alpha : float
        The alpha α of the two-sided test.
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
    predictions: Predictions,
    alpha: float = 0.05,
    power: float = 0.8,
    n_samples: int | None = None,
) -> Detectable:
    r"""Return the temperatures nearest to 1 that the Brier direction would detect at this n.

    The labels have no say: only the predictions do. Cost: about five passes of O(n·m), memory of
    a fixed block.

    Parameters
    ----------
    predictions : Predictions
    alpha : float in (0, 1), default 0.05
        The alpha of the two-sided test.
    power : float in (0, 1), default 0.8
        The probability with which it should reject.
    n_samples : int, optional
        The number of rows like these; by default as many as there are.

    Returns
    -------
    Detectable

    Notes
    -----
    If the truth is :math:`q_i \propto p_i^{1/\tau}`, the Brier direction has the mean

    .. math:: E z_B = \frac{\sum_i w_i \langle q_i - p_i, p_i \rangle}
        {\sqrt{\sum_i w_i^2 (\sum_c p_{ic}^3 - |p_i|^4)}},

    which falls in τ. Its variance is taken to be 1 (with clusters, what their sums show), and τ is
    detected if
    :math:`\Phi(|E z_B| - z_{1-\alpha/2})` is at least `power`.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant import Predictions
    >>> from calibrant.effects import detectable_temperature
    >>> y_prob = np.random.default_rng(0).dirichlet(np.full(10, 0.1), 1000)
    >>> found = detectable_temperature(Predictions(np.zeros(1000, dtype=int), y_prob))
    >>> f"{found.under:.2f} {found.over:.2f}"
    '0.88 1.12'

    A thousand such rows show logits that are 12 % too large in four data sets of five.
    """
    for name, value in (("alpha", alpha), ("power", power)):
        if not 0.0 < value < 1.0:
            raise ValueError(f"`{name}` must be in (0, 1), for example 0.05 or 0.8; got {value}.")
    rows = counted(predictions)
    needed = detectable_shift(alpha, power)
    _, variance = clustered_sums(rows)
    if not variance > 0:
        return Detectable(None, None, alpha, power)
    if needed <= 0:  # the alpha alone rejects that often
        return Detectable(1.0, 1.0, alpha, power)
    share = 1.0 if n_samples is None else predictions.n_samples / n_samples
    shift = needed * math.sqrt(variance * share)
    mean, slope = agreement(rows, 1.0)
    step = shift / slope if slope > 0 else math.inf
    over = find_root(_minus(rows, mean - shift), 1.0 - step, 1.0 / HIGHEST, 1.0)
    under = find_root(_minus(rows, mean + shift), 1.0 + step, 1.0, 1.0 / LOWEST)
    return Detectable(
        None if over.at_bound else 1.0 / over.x,
        None if under.at_bound else 1.0 / under.x,
        alpha,
        power,
    )


def detectable_shift(alpha: float, power: float) -> float:
    """Return z_{1−α/2} + z_power: the mean of z at which a two-sided test has that power."""
    normal = NormalDist()
    return normal.inv_cdf(1.0 - 0.5 * alpha) + normal.inv_cdf(power)


def _minus(rows: Predictions, target: float) -> Callable[[float], tuple[float, float]]:
    def difference(beta: float) -> tuple[float, float]:
        value, slope = agreement(rows, beta)
        return value - target, slope

    return difference


def agreement(rows: Predictions, beta: float) -> tuple[float, float]:
    """Return Σ w⟨q, p⟩ with q ∝ p^β, and its derivative Σ w Cov_q(log p, p) ≥ 0."""
    value = slope = 0.0
    every = np.arange(rows.n_samples)
    for part in spans(rows.n_samples, PART):
        found = tempered_moments(rows.y_prob, beta, _TINY, rows=every[part], relative=True)
        share = weights_of(rows, part) / found.row_sum
        value += float(np.sum(share * found.agreement))
        slope += float(np.sum(share * (found.product - found.mean * found.agreement)))
    return value, slope
