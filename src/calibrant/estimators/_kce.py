"""The kernel calibration error: the square root of the biased SKCE."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from calibrant._execution import Parallel
from calibrant._native import FloatArray
from calibrant._predictions import Predictions
from calibrant.estimators._base import Estimator
from calibrant.estimators._skce import SKCE
from calibrant.kernels import Kernel


@dataclass(frozen=True)
class KCE(Estimator):
    r"""Kernel calibration error, :math:`\sqrt{\widehat{SKCE}_b} \ge 0`; 0 means no error.

    The largest mean of :math:`\langle r_i, f(p_i) \rangle` over the unit ball of the kernel's
    function space, estimated without correcting its upward bias: compare it with the value that
    calibrated labels would give, not with 0.

    Parameters
    ----------
    kernel : Kernel, default ``Laplacian()``
        Kernel on the probability simplex.

    Notes
    -----
    :math:`KCE^2 = \frac1n \sum_i \langle r_i, \hat\mu(p_i) \rangle` with the witness
    :math:`\hat\mu` of `SKCE.witness`. Cost as `SKCE`.

    Examples
    --------
    >>> import calibrant as cal
    >>> kce = cal.KCE(cal.kernels.Gaussian(1.0))
    >>> round(kce([1, 0], [[1.0, 0.0], [0.0, 1.0]]), 4)  # always sure, always wrong: 1 − 1/e
    0.7951
    """

    kernel: Kernel = field(default_factory=lambda: SKCE().kernel)

    def __post_init__(self) -> None:
        SKCE(self.kernel)  # refuses anything but a kernel

    def estimate(self, predictions: Predictions, parallel: Parallel = Parallel()) -> float:
        """Return the estimate on checked data."""
        squared = SKCE(self.kernel, unbiased=False).estimate(predictions, parallel)
        return math.sqrt(max(squared, 0.0))  # non-negative except for rounding

    def over_labels(
        self, predictions: Predictions, labels: Any, parallel: Parallel = Parallel()
    ) -> FloatArray:
        """Return one estimate for each label set; cost as `SKCE.over_labels`."""
        biased = SKCE(self.kernel, unbiased=False)
        squared = biased.over_labels(predictions, labels, parallel)
        return np.asarray(np.sqrt(np.maximum(squared, 0.0)))
