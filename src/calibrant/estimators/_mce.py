"""The maximum calibration error, estimated from bins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibrant._native import FloatArray
from calibrant.estimators._binned import BinnedEstimator


@dataclass(frozen=True)
class MCE(BinnedEstimator):
    r"""Maximum calibration error: the largest difference between prediction and frequency in a bin.

    From 0 to 1; 0 means that label frequencies match the predictions in every bin. A bin of one row
    counts like any other, so small bins dominate: prefer bins with a minimum size. Cost O(n·m) plus
    that of the binning; memory O(k·m) for k bins.

    Parameters
    ----------
    binning : Binning, default Uniform(10)
        How predictions are binned.

    Notes
    -----
    .. math:: \max_b \max_c |\bar p_{bc} - \bar y_{bc}|

    over the non-empty bins b and the classes c, with mean predictions :math:`\bar p_b` and label
    frequencies :math:`\bar y_b`. Bins of weight 0 do not count.

    References
    ----------
    Widmann, Lindsten and Zachariah, "Calibration tests in multi-class classification: a unifying
    framework", NeurIPS 2019.

    Examples
    --------
    >>> from calibrant.binning import Uniform
    >>> from calibrant.estimators import MCE
    >>> MCE(Uniform(2))([0, 0, 1, 1, 1], [0.25, 0.25, 0.75, 0.75, 0.75])
    0.25

    In its worst bin, the model is off by 25 percentage points.
    """

    def _combine(self, gap: FloatArray, weight: FloatArray) -> float:
        return float(np.abs(gap, out=gap).max())

    def _native_form(self) -> tuple[str, int]:
        return "maximum", 1
