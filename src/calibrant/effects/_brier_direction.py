"""The direction of miscalibration: over- or under-confident, as a standardized score."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrant._engine import Verdict, center_scores, name_direction, two_sided_tail
from calibrant._execution import spans
from calibrant._native import FloatArray
from calibrant._output import Plain
from calibrant._predictions import Predictions

#: entries in a block of rows
_BLOCK = 1 << 18


@dataclass(frozen=True)
class Direction(Plain):
    """A standardized score z, its two-sided normal p-value, and the meaning of its sign.

    If the predictions leave no variance, `verdict` is None, z is NaN and the p-value is 1.

    Examples
    --------
    >>> from calibrant.effects import Direction
    >>> Direction(-2.1, 0.036, "over-confident").to_dict()
    {'z': -2.1, 'pvalue': 0.036, 'verdict': 'over-confident'}
    """

    z: float
    pvalue: float
    verdict: Verdict | None


def direction(
    predictions: Predictions, f: Callable[[FloatArray], FloatArray] | None = None
) -> Direction:
    r"""Return the Brier direction z_B, or the direction of any function of the predictions.

    z is standard normal for a calibrated model and many rows; negative means over-confident. Cost
    O(n·m); memory of one block.

    Parameters
    ----------
    predictions : Predictions
        Labels and probabilities; rows are divided by their sums.
    f : callable, optional
        ``f(probs)`` maps a block of rows, shape (rows, n_classes), to finite values of the same
        shape. The default, the identity, gives the multi-class Spiegelhalter statistic. A floored
        logarithm gives the score test of temperature scaling.

    Returns
    -------
    Direction

    Notes
    -----
    .. math:: z_f = \frac{\sum_i w_i\, r_i^\top f(p_i)}
        {\sqrt{\sum_i w_i^2 f_i^\top (\mathrm{diag}\, p_i - p_i p_i^\top) f_i}}, \qquad
        z_B = \frac{\sum_i w_i (p_i(y_i) - |p_i|^2)}
        {\sqrt{\sum_i w_i^2 (\sum_c p_{ic}^3 - |p_i|^4)}}.

    With clusters, the variance is that of the cluster sums, :math:`\sum_g s_g^2`, if that is
    larger.

    Examples
    --------
    >>> from calibrant import Predictions
    >>> from calibrant.effects import direction
    >>> found = direction(Predictions([1, 0, 1, 0, 1, 0], [0.8, 0.3, 0.5, 0.5, 0.7, 0.1]))
    >>> round(found.z, 5), round(found.pvalue, 4), found.verdict
    (1.03024, 0.3029, 'under-confident')

    It leans toward under-confidence, but without evidence.
    """
    return direction_of(*clustered_sums(predictions, f))


def clustered_sums(
    predictions: Predictions, f: Callable[[FloatArray], FloatArray] | None = None
) -> tuple[float, float]:
    """Return numerator and variance of z_f; with clusters, at least the variance between them."""
    total, variance = direction_sums(predictions, f)
    index = predictions.cluster_index
    if index is None:
        return total, variance
    terms = [
        _row_terms(predictions.take(rows), f)[0]
        for rows in spans(len(index), max(1, _BLOCK // predictions.n_classes))
    ]
    sums = np.bincount(index, predictions.weights * np.concatenate(terms))
    return total, max(variance, float(sums @ sums))


def direction_of(total: float, variance: float) -> Direction:
    """Return the direction from its numerator and variance."""
    if not variance > 0:
        return Direction(math.nan, 1.0, None)
    z = total / math.sqrt(variance)
    return Direction(z, float(two_sided_tail(z)), name_direction(z))


def direction_sums(
    predictions: Predictions, f: Callable[[FloatArray], FloatArray] | None = None
) -> tuple[float, float]:
    """Return numerator and variance of z_f, which add up over parts of the rows.

    Parameters
    ----------
    predictions : Predictions
        Labels and probabilities.
    f : callable, optional
        The direction, as for `direction`.

    Returns
    -------
    total, variance : float

    Examples
    --------
    >>> import math
    >>> from calibrant import Predictions
    >>> from calibrant.effects import direction, direction_sums
    >>> predictions = Predictions([1, 0, 1], [0.8, 0.3, 0.5])
    >>> total, variance = direction_sums(predictions)
    >>> math.isclose(total / math.sqrt(variance), direction(predictions).z)
    True
    """
    n, m = predictions.y_prob.shape
    weight = predictions.sample_weight
    # a common factor of all weights cancels; without it their squares stay in range
    scale = 1.0 if weight is None else 1.0 / float(weight.max())
    total = variance = 0.0
    for rows in spans(n, max(1, _BLOCK // m)):
        deviation, spread = _row_terms(predictions.take(rows), f)
        w = 1.0 if weight is None else weight[rows] * scale
        total += float(np.sum(w * deviation))
        variance += float(np.sum(w * w * spread))
    return total / scale, variance / scale**2


def _row_terms(
    rows: Predictions, f: Callable[[FloatArray], FloatArray] | None
) -> tuple[FloatArray, FloatArray]:
    p = rows.distributions
    centered, spread = center_scores(p, p if f is None else _checked(f(p), p.shape))
    return centered[np.arange(len(p)), rows.y_true], spread


def _checked(values: Any, shape: tuple[int, ...]) -> FloatArray:
    numbers: FloatArray = np.asarray(values, dtype=np.float64)
    if numbers.shape != shape or not np.isfinite(numbers).all():
        raise ValueError(
            f"`f` must return finite numbers of the shape it was given, {shape}; got shape "
            f"{numbers.shape}. Put a floor under probabilities before taking logarithms."
        )
    return numbers
