"""The unnormalized calibration mean embedding: the witness at chosen locations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrant._execution import Parallel, spans
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions
from calibrant.estimators._base import Estimator
from calibrant.kernels import Kernel, ScalarKernel

#: rows whose m×m kernel blocks are in memory at the same time on the slow path
_ROWS = 256


@dataclass(frozen=True)
class UCME(Estimator):
    r"""Unnormalized calibration mean embedding: the mean squared witness at J locations, ≥ 0.

    Parameters
    ----------
    kernel : Kernel
        Kernel on the probability simplex.
    locations : sequence of (point, class index) pairs
        Points of the simplex, each with the component of the witness to evaluate there.

    Notes
    -----
    .. math::

        UCME = \frac1J \sum_{j=1}^J \bar z_j^2, \qquad
        \bar z_j = \frac1n \sum_i \big(k(t_j, p_i)\, r_i\big)_{c_j}.

    Cost O(nJm): linear in the number of samples. For analytic universal kernels and random
    locations, the true UCME is almost surely 0 if and only if the model is calibrated.

    References
    ----------
    Jitkrittum et al., "Testing goodness of fit of conditional density models with kernels",
    UAI 2020; Chwialkowski et al., "Fast two-sample testing with analytic representations of
    probability measures", NeurIPS 2015.

    Examples
    --------
    >>> import calibrant as cal
    >>> ucme = cal.UCME(cal.kernels.Gaussian(1.0), [([1.0, 0.0], 0), ([0.0, 1.0], 1)])
    >>> round(ucme([0, 0], [[1.0, 0.0], [0.0, 1.0]]), 4)
    0.1419
    """

    kernel: Kernel
    locations: Any

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, Kernel):
            raise TypeError(f"`kernel` must be a calibrant kernel; got {self.kernel!r}")
        try:
            pairs = tuple(
                (tuple(float(p) for p in point), int(index)) for point, index in self.locations
            )
        except (TypeError, ValueError):
            pairs = ()
        if not pairs or len({len(point) for point, _ in pairs}) != 1:
            raise ValueError(
                "`locations` must be a non-empty sequence of (point, class index) pairs with "
                f"points of one length, e.g. `[([0.5, 0.5], 0)]`; got {self.locations!r}"
            )
        for point, index in pairs:
            if not 0 <= index < len(point):
                raise ValueError(
                    f"class indices of `locations` must be in [0, {len(point)}); got {index}"
                )
        object.__setattr__(self, "locations", pairs)

    def estimate(self, predictions: Predictions, parallel: Parallel = Parallel()) -> float:
        """Return the estimate on checked data."""
        deviations = self.deviations(predictions)
        means = np.average(deviations, axis=0, weights=predictions.sample_weight)
        return float(np.mean(means**2))

    def deviations(self, predictions: Predictions) -> FloatArray:
        """Return each sample's term of the witness at each location, shape (n, J)."""
        points, classes = self._points()
        if points.shape[1] != predictions.n_classes:
            raise ValueError(
                f"the points of `locations` have {points.shape[1]} components, the predictions "
                f"have {predictions.n_classes} classes"
            )
        kernel = self.kernel.resolve(predictions.y_prob)
        residuals = predictions.residuals
        if isinstance(kernel, ScalarKernel):
            return kernel(predictions.y_prob, points) * residuals[:, classes]
        out = np.empty((len(residuals), len(points)))
        for rows in spans(len(residuals), _ROWS):
            blocks = kernel.blocks(points, predictions.y_prob[rows])
            chosen = blocks[np.arange(len(points)), :, classes, :]
            out[rows] = np.einsum("jic,ic->ij", chosen, residuals[rows])
        return out

    def _points(self) -> tuple[FloatArray, IntArray]:
        points, classes = zip(*self.locations, strict=True)
        return np.array(points, dtype=float), np.array(classes, dtype=np.int64)
