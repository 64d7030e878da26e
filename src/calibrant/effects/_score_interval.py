"""A confidence interval for a squared error, whose noise grows with the error."""

from __future__ import annotations

import math

from calibrant.effects._interval import Interval, check_confidence_level, normal_quantile


def score_interval(
    estimate: float,
    error: float,
    null_variance: float,
    confidence_level: float = 0.95,
    *,
    least_growth: float = 0.0,
) -> Interval:
    r"""Return the interval of true values s ≥ 0 that are consistent with the estimate.

    Unlike estimate ± z·error, it keeps its coverage near 0, where the standard error vanishes with
    the error and cannot be estimated. It contains the estimate unless that is negative, which
    unbiased estimates of a squared error may be.

    Parameters
    ----------
    estimate : float
        Unbiased estimate; may be negative.
    error : float
        Its standard error, for example from the jackknife; NaN gives an unknown interval.
    null_variance : float
        The variance of the estimate for a calibrated model. If it is NaN, the variance is error²
        at all values, which gives the interval estimate ± z·error.
    confidence_level : float, default 0.95
        Coverage of the interval.
    least_growth : float, default 0
        A lower bound of the slope a below, about which an estimate near 0 says little.

    Returns
    -------
    Interval

    Notes
    -----
    The variance at a true value s is about :math:`v_0 + a s` with the null variance :math:`v_0` and
    a slope a. With the squared standard error v, :math:`a = \max(v - v_0, 0)/u` if the estimate u
    exceeds :math:`\sqrt{v_0}`, else :math:`a = v/\sqrt{v_0}`. The interval solves
    :math:`(u - s)^2 \le z^2 (v_0 + a s)`, with negative u replaced by 0 so that it never shrinks to
    a point.

    Examples
    --------
    >>> from calibrant.effects import score_interval
    >>> interval = score_interval(0.0, 0.0001, 0.01**2)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.0, 0.0196)

    The standard error is far too small: even a calibrated model has a spread of 0.01.
    """
    check_confidence_level(confidence_level)
    if not (math.isfinite(estimate) and math.isfinite(error)):
        return Interval.unknown(confidence_level)
    known = math.isfinite(null_variance)
    v0, u = null_variance if known else error**2, max(estimate, 0.0)
    growth = max(_growth(u, error**2, v0), least_growth) if known else 0.0
    z2 = normal_quantile(confidence_level) ** 2
    middle = u + 0.5 * z2 * growth
    half = math.sqrt(z2 * (v0 + growth * u) + (0.5 * z2 * growth) ** 2)
    return Interval(max(middle - half, 0.0), middle + half, confidence_level)


def _growth(u: float, variance: float, v0: float) -> float:
    """Return the slope of the variance in the true value."""
    if u > math.sqrt(v0):
        return max(variance - v0, 0.0) / u
    return variance / math.sqrt(v0) if v0 > 0.0 else 0.0
