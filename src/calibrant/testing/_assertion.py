"""An assertion for test suites: no relevant evidence against calibration."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from calibrant._calibration_test import CalibrationTestResult, calibration_test
from calibrant._output import estimate_text, number, percent, pvalue_text
from calibrant.methods import Aggregated


def assert_calibrated(
    y_true: Any,
    y_prob: Any = None,
    *,
    alpha: float = 0.01,
    tolerance: float = 0.02,
    within: float | None = None,
    classes: Iterable[Any] | None = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    n_resamples: int = 999,
    rng: Any = 0,
) -> CalibrationTestResult:
    """Raise `AssertionError` unless predictions are calibrated well enough.

    It fails if there is evidence against calibration and the error matters: p < `alpha`, and the
    whole interval of the typical error (`rmsce`) is above `tolerance`. A p-value alone would fail
    good models on large samples. Small samples prove nothing either way; pass `within` to also fail
    if the error is not shown to be small. Cost: one `calibration_test`.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or Predictions
        Labels, or one `Predictions` in place of labels and probabilities.
    y_prob : array-like of shape (n_samples, n_classes) or (n_samples,)
        Predicted probabilities.
    alpha : float in (0, 1), default 0.01
        Significance: the largest probability that a calibrated model fails.
    tolerance : float in [0, 1), default 0.02
        The largest acceptable typical error, in units of probability.
    within : float in (0, 1), optional
        Also fail unless the typical error is below this limit with 95 % confidence.
    classes, pos_label, sample_weight
        See `calibrant.Predictions`.
    n_resamples : int, default 999
        Number of label sets drawn for the test.
    rng : int, Generator or None, default 0
        Source of randomness; the same seed gives the same outcome.

    Returns
    -------
    CalibrationTestResult

    Raises
    ------
    AssertionError
        If the assertion fails, with the verdict and the numbers.

    Examples
    --------
    >>> import calibrant as cal
    >>> from calibrant.testing import assert_calibrated
    >>> result = assert_calibrated(*cal.models.M1(3).sample(500, rng=0))
    >>> too_sure = cal.models.TemperatureModel(0.1, 10, temperature=2.0)
    >>> assert_calibrated(*too_sure.sample(500, rng=0))
    Traceback (most recent call last):
        ...
    AssertionError: Evidence against calibration...
    """
    __tracebackhide__ = True  # pytest then shows the calling line
    if not 0.0 < alpha < 1.0:
        raise ValueError(f"`alpha` must be in (0, 1); got {alpha!r}.")
    if not 0.0 <= tolerance < 1.0:
        raise ValueError(f"`tolerance` must be in [0, 1); got {tolerance!r}.")
    if 1.0 / (1.0 + n_resamples) >= alpha:  # no p-value could be smaller
        raise ValueError(
            f"`n_resamples` must be at least {int(1.0 / alpha)} where `alpha` is {alpha:g}, or "
            f"nothing could fail; got {n_resamples}."
        )
    result = calibration_test(
        y_true,
        y_prob,
        method=Aggregated(n_resamples),
        classes=classes,
        pos_label=pos_label,
        sample_weight=sample_weight,
        rng=rng,
    )
    error = result.effects["rmsce"]
    text = estimate_text(error.estimate, error.interval.low, error.interval.high)
    numbers = f"{pvalue_text(result.pvalue, n_resamples)}, typical error {text}"
    if result.pvalue < alpha and error.interval.low > tolerance:
        raise AssertionError(
            f"{result.verdict}\n{numbers}: p is below {alpha:g}, and the error is above "
            f"{tolerance:g} with {percent(0.95)} confidence."
        )
    if within is not None and not result.within(within):
        raise AssertionError(
            f"The typical error was not shown to be below {within:g}.\n{numbers}; it is at most "
            f"{number(result.upper_bound())} with {percent(0.95)} confidence. Use more rows, or a "
            "larger limit."
        )
    return result
