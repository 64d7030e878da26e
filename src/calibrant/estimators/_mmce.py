"""The maximum mean calibration error: the kernel calibration error of a single event."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from calibrant._execution import Parallel
from calibrant._native import FloatArray
from calibrant._predictions import Predictions
from calibrant.estimators._base import Estimator
from calibrant.estimators._kce import KCE
from calibrant.estimators._of_event import OfEvent
from calibrant.kernels import Kernel, Laplacian, ScalarKernel


@dataclass(frozen=True)
class MMCE(Estimator):
    r"""Maximum mean calibration error of the positive class, or of the top label; ≥ 0.

    Parameters
    ----------
    kernel : ScalarKernel, default ``Laplacian(0.4)``
        Kernel of two probabilities, taken as the distributions (1−s, s): exp(−2.5|s−t|) by
        default, the choice of Kumar et al. With ``metric="euclidean"`` the distance is √2|s−t|.

    Notes
    -----
    With the probability :math:`s_i` of the event of `Predictions.event` and its occurrence
    :math:`c_i \in \{0, 1\}` (with more than two classes, the confidence :math:`\max_c p_{ic}` and
    the correctness of the predicted label),

    .. math:: MMCE^2 = \frac{1}{n^2} \sum_{i,j} (c_i - s_i)(c_j - s_j)\, k(s_i, s_j),

    which is the squared `KCE` of ``predictions.event()`` with the kernel
    :math:`\frac12 k \cdot I_2` (the example of the paper). Cost O(n log n) for a Laplacian.

    References
    ----------
    Kumar, Sarawagi, Jain, "Trainable calibration measures for neural networks from kernel mean
    embeddings", ICML 2018.

    Examples
    --------
    >>> import calibrant as cal
    >>> round(cal.MMCE()([0, 1, 2], [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.6, 0.2, 0.2]]), 4)
    0.1595
    """

    kernel: ScalarKernel = field(default_factory=lambda: Laplacian(0.4))

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, ScalarKernel):
            raise TypeError(
                "`kernel` of the MMCE must be a scalar kernel of two probabilities, "
                f"e.g. `kernels.Laplacian(0.4)`; got {self.kernel!r}"
            )

    def estimate(self, predictions: Predictions, parallel: Parallel = Parallel()) -> float:
        """Return the estimate on checked data."""
        return self._of_event().estimate(predictions, parallel)

    def over_labels(
        self, predictions: Predictions, labels: Any, parallel: Parallel = Parallel()
    ) -> FloatArray:
        """Return one estimate for each label set; O(n) each for a Laplacian."""
        return self._of_event().over_labels(predictions, labels, parallel)

    def _of_event(self) -> Estimator:
        halved: Kernel = 0.5 * self.kernel
        return OfEvent(KCE(halved))
