"""The expected calibration error, estimated from bins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from calibrant._native import FloatArray
from calibrant.estimators._binned import BinnedEstimator

Distance = Literal["tv", "cityblock", "sqeuclidean", "euclidean"]


@dataclass(frozen=True)
class ECE(BinnedEstimator):
    r"""Expected calibration error: mean distance between predictions and label frequencies in bins.

    From 0 to 1 with the total variation; 0 means that label frequencies match the predictions in
    every bin. The estimate is biased: even a calibrated model has an error in finite bins, larger
    in smaller bins, while wide bins hide errors that cancel. Cost O(n·m) plus that of the binning;
    memory O(k·m) for k bins.

    Parameters
    ----------
    binning : Binning, default Uniform(10)
        How predictions are binned.
    distance : {"tv", "cityblock", "sqeuclidean", "euclidean"}, default "tv"
        Distance of two distributions; "tv" is :math:`\frac12 \|p - q\|_1`, "cityblock" twice
        that, "sqeuclidean" the squared Euclidean distance.
    norm : {1, 2}, default 1
        1 for the mean distance, 2 for the root of the mean squared distance.

    Notes
    -----
    .. math:: \Big(\sum_b \frac{w_b}{w} d(\bar p_b, \bar y_b)^{\text{norm}}\Big)^{1/\text{norm}}

    with the total weight :math:`w_b` of bin b (its number of rows without sample weights), its
    mean prediction :math:`\bar p_b` and its label frequencies :math:`\bar y_b`.

    All classes are compared together. For the popular top-label and class-wise ECE, apply the
    estimator to ``predictions.top_label()`` and ``predictions.one_vs_rest(c)``.

    References
    ----------
    Widmann, Lindsten and Zachariah, "Calibration tests in multi-class classification: a unifying
    framework", NeurIPS 2019.

    Examples
    --------
    >>> from calibrant.binning import Uniform
    >>> from calibrant.estimators import ECE
    >>> ECE(Uniform(2))([0, 0, 1, 1, 1], [0.25, 0.25, 0.5, 0.75, 0.75])
    0.1

    Predictions differ from the frequencies of their bins by 0.1 on average.
    """

    distance: Distance = "tv"
    norm: Literal[1, 2] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.distance not in get_args(Distance):
            raise ValueError(
                f"`distance` must be one of {', '.join(map(repr, get_args(Distance)))}; "
                f"got {self.distance!r}."
            )
        if self.norm not in (1, 2):
            raise ValueError(f"`norm` must be 1 or 2; got {self.norm!r}.")
        if self.distance == "sqeuclidean" and self.norm == 2:
            raise ValueError(
                '`norm` must be 1 for distance="sqeuclidean", which is squared already; got 2. '
                'For the root of the mean squared distance use distance="euclidean".'
            )

    def _combine(self, gap: FloatArray, weight: FloatArray) -> float:
        if self.distance in ("tv", "cityblock"):
            distances = np.abs(gap, out=gap).sum(axis=1)
        else:
            distances = np.einsum("bc,bc->b", gap, gap)
        if self.distance == "tv":
            distances *= 0.5
        elif self.distance == "euclidean":
            np.sqrt(distances, out=distances)
        # not a BLAS product, whose order of summation depends on the machine
        total = (weight * distances**self.norm).sum() / weight.sum()
        return float(np.sqrt(total) if self.norm == 2 else total)

    def _native_form(self) -> tuple[str, int]:
        return self.distance, self.norm
