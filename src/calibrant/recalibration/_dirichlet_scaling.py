"""Dirichlet scaling: a full matrix on the log-probabilities, and an intercept for every class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibrant._native import FloatArray
from calibrant.recalibration._likelihood import Affine
from calibrant.recalibration._likelihood_map import PenalizedMap
from calibrant.recalibration._log_linear import LogLinear
from calibrant.recalibration._map import FLOOR, check_penalty
from calibrant.recalibration._minimize import Penalty, Problem


@dataclass(frozen=True)
class DirichletScaling(PenalizedMap):
    r"""Multiply the log-probabilities by a full matrix (Kull et al. 2019), with penalties.

    The map is flexible and needs many rows; it may change the ranking of the classes. Cost: a few
    passes of O(n·m⁴) up to 24 classes, about a hundred of O(n·m²) above; memory of a copy of
    `y_prob`.

    Parameters
    ----------
    penalty : float, optional
        The penalty λ of the intercepts and of the diagonal, which is pulled toward a common
        temperature, in units of the mean log loss; ``n_classes / n_samples`` by default, 0 for no
        penalty.
    off_diagonal : float, optional
        The penalty μ of the other entries; ``n_classes (n_classes − 1) / n_samples`` by default.
    floor : float, default 1e-12
        Smaller probabilities are raised to it.

    Notes
    -----
    The map minimizes

    .. math:: -\frac1{\sum w} \sum_i w_i \log \mathrm{softmax}
        \big(W \log\max(p_i, \epsilon) + b\big)_{y_i}
        + \lambda \Big(\sum_c (W_{cc} - \bar W)^2 + |b|^2\Big) + \mu \sum_{c \ne d} W_{cd}^2

    with a ridge of 1e-10 toward the identity. Without penalties, W is determined only up to a
    vector added to all of its rows; the ridge makes it unique.

    Examples
    --------
    >>> from calibrant.models import Distorted, Swap
    >>> from calibrant.recalibration import DirichletScaling
    >>> model = Distorted(1.0, 3, truth=Swap(0, 1, probability=0.3))
    >>> y_true, y_prob = model.sample(3000, rng=0)
    >>> fitted = DirichletScaling().fit(y_prob, y_true)
    >>> bool(fitted.matrix[0, 1] > 0.1)
    True

    Probability predicted for class 1 also counts for class 0, because the two are confused.
    """

    penalty: float | None = None
    off_diagonal: float | None = None
    floor: float = FLOOR

    def __post_init__(self) -> None:
        super().__post_init__()
        check_penalty(self.off_diagonal, "off_diagonal")

    @property
    def name(self) -> str:
        """What the map is called in results and files."""
        return "Dirichlet scaling"

    def count_parameters(self, n_classes: int) -> int:
        """Return the number of parameters of a fit; one row is implied by the others."""
        return (n_classes - 1) * (n_classes + 1)

    def _problem(self, n_classes: int) -> Problem:
        """Return the family with a full matrix and intercepts."""
        m = n_classes
        family = Affine(m, np.repeat(np.arange(m), m + 1), np.tile(np.arange(m + 1), m))
        on_diagonal = family.classes == family.features
        start = on_diagonal.astype(np.float64)
        off_diagonal = ~on_diagonal & (family.features < m)

        def penalty(n: float) -> Penalty:
            near = self._rate(n, m)
            far = m * (m - 1) / n if self.off_diagonal is None else self.off_diagonal
            rates = np.where(off_diagonal, 2.0 * far, 2.0 * near)
            return Penalty(start, rates, common=np.flatnonzero(on_diagonal))

        return Problem(family, penalty, start)

    def _fitted(self, theta: FloatArray, n_classes: int) -> LogLinear:
        """Return the map with this matrix and these intercepts."""
        m = n_classes
        table = theta.reshape(m, m + 1)
        slopes = np.ascontiguousarray(table[:, :m])
        return LogLinear(m, self.floor, slopes, table[:, m].copy(), self.count_parameters(m))
