"""The class-wise diagonal kernel."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from calibrant._engine import Form
from calibrant._execution import spans
from calibrant._native import FloatArray
from calibrant.kernels._base import Kernel
from calibrant.kernels._bounds import identity_norm
from calibrant.kernels._radial import Laplacian, RadialKernel


@dataclass(frozen=True)
class Classwise(Kernel):
    """The diagonal kernel diag_c k(p_c, q_c), which compares every class only with itself.

    It detects deviations from P(Y = c | p_c) = p_c, class by class, and nothing else, so it is not
    universal for more than two classes. A Laplacian costs O(m n log n) instead of O(m n²).

    Parameters
    ----------
    kernel : RadialKernel, default ``Laplacian()``
        Used as a function of |p_c − q_c|, whatever its `metric`, so ``Laplacian(h)`` is
        exp(−|p_c − q_c|/h), without the ½ of total variation. A bandwidth rule uses all
        differences |p_ic − p_jc|, pooled over the classes.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant.kernels import Classwise, Laplacian
    >>> kernel = Classwise(Laplacian(0.5))
    >>> s, t = np.array([[0.5, 0.25, 0.25]]), np.array([[0.0, 0.25, 0.75]])
    >>> np.diag(kernel.blocks(s, t)[0, 0]).round(4)
    array([0.3679, 1.    , 0.3679])
    """

    kernel: RadialKernel = field(default_factory=Laplacian)

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, RadialKernel):
            raise TypeError(
                "`kernel` of Classwise must be a radial kernel such as Laplacian(); got "
                f"{self.kernel!r}. Multiples and sums go outside: 2.0 * Classwise(k)."
            )
        if self.kernel.metric == "hellinger":
            raise ValueError(
                "Classwise compares single probabilities by |p_c − q_c|; got a kernel with "
                "metric='hellinger'. Use metric='tv' or 'euclidean', which mean the same here."
            )

    @property
    def is_universal(self) -> bool:
        """False, because the kernel is not universal for more than two classes."""
        return False

    def resolve(self, y_prob: ArrayLike) -> Classwise:
        return replace(self, kernel=self.kernel.resolve(y_prob, "classwise"))

    def blocks(self, s: FloatArray, t: FloatArray) -> FloatArray:
        n_classes = s.shape[1]
        blocks = np.zeros((len(s), len(t), n_classes, n_classes))
        for c in range(n_classes):
            blocks[:, :, c, c] = self._class_values(s[:, c], t[:, c])
        return blocks

    def forms(self, x: FloatArray, v: FloatArray) -> list[Form]:
        columns = (self._contiguous(x[:, [c]], v[:, [c]]) for c in range(x.shape[1]))
        return [self.kernel._form(*column, "cityblock", 1.0) for column in columns]

    def lifts(self, n_classes: int) -> list[FloatArray]:
        return [np.eye(n_classes)[:, [c]] for c in range(n_classes)]

    def apply(self, points: FloatArray, x: FloatArray, v: FloatArray) -> FloatArray:
        result = np.zeros((len(points), x.shape[1]))
        for rows in spans(len(points), 512):
            for columns in spans(len(x), 512):
                for c in range(x.shape[1]):
                    values = self._class_values(points[rows, c], x[columns, c])
                    result[rows, c] += values @ v[columns, c]
        return result

    def diagonal(self, x: FloatArray, v: FloatArray) -> FloatArray:
        squares: FloatArray = np.einsum("ic,ic->i", v, v)
        return squares

    def envelope(self, n_classes: int) -> FloatArray:
        return np.eye(n_classes)

    def induced_norm(self, n_classes: int, p: float, q: float) -> float:
        return identity_norm(n_classes, p, q)

    def _class_values(self, s: FloatArray, t: FloatArray) -> FloatArray:
        kernel = self.kernel
        values: FloatArray = kernel.profile(kernel.rate * np.abs(s[:, None] - t[None, :]))
        return values
