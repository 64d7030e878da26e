"""Matrix-valued kernels k·A from a scalar kernel and a positive semi-definite matrix A."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from calibrant._engine import Form
from calibrant._native import FloatArray
from calibrant.kernels._base import Kernel, ScalarKernel
from calibrant.kernels._bounds import matrix_norm

#: asymmetry and negative eigenvalues that count as rounding, relative to the largest
TOLERANCE = 1e-10


@dataclass(frozen=True, eq=False)
class Lifted(Kernel):
    """The matrix-valued kernel k(s, t)·A; write ``k * A`` or ``A * k``.

    The kernel is universal if and only if k is and A is definite.

    Parameters
    ----------
    kernel : ScalarKernel
        The kernel k.
    matrix : array-like of shape (n_classes, n_classes)
        The matrix A, symmetric and positive semi-definite up to 1e-10 of its largest entry and
        eigenvalue.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant.kernels import Laplacian
    >>> A = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> kernel = Laplacian(0.5) * A
    >>> kernel.is_universal, kernel.bound(2)
    (True, 2.0)
    """

    kernel: ScalarKernel
    matrix: FloatArray

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, ScalarKernel):
            raise TypeError(f"`kernel` must be a scalar kernel; got {self.kernel!r}.")
        object.__setattr__(self, "matrix", _semidefinite(self.matrix))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Lifted):
            return NotImplemented
        return self.kernel == other.kernel and np.array_equal(self.matrix, other.matrix)

    def __hash__(self) -> int:
        return hash((self.kernel, self.matrix.tobytes()))

    @property
    def n_classes(self) -> int:
        return len(self.matrix)

    @cached_property
    def root(self) -> FloatArray:
        """The matrix L (m, rank) with A = L Lᵀ."""
        return _root(self.matrix)

    @property
    def is_universal(self) -> bool | None:
        # all functions in the space take values in the range of A
        return self.kernel.is_universal if is_positive_definite(self.matrix) else False

    def resolve(self, y_prob: ArrayLike) -> Lifted:
        return replace(self, kernel=self.kernel.resolve(y_prob))

    def blocks(self, s: FloatArray, t: FloatArray) -> FloatArray:
        self._check_classes(s.shape[1])
        return self.kernel.tile(s, t)[:, :, None, None] * self.matrix

    def forms(self, x: FloatArray, v: FloatArray) -> list[Form]:
        self._check_classes(x.shape[1])
        return self.kernel.forms(x, v @ self.root)

    def lifts(self, n_classes: int) -> list[FloatArray]:
        return [lift @ self.root for lift in self.kernel.lifts(n_classes)]

    def apply(self, points: FloatArray, x: FloatArray, v: FloatArray) -> FloatArray:
        self._check_classes(x.shape[1])
        return self.kernel.apply(points, x, v @ self.matrix)

    def diagonal(self, x: FloatArray, v: FloatArray) -> FloatArray:
        self._check_classes(x.shape[1])
        products: FloatArray = np.einsum("ic,ic->i", v @ self.matrix, v)
        return self.kernel.diagonal_values(x) * products

    def envelope(self, n_classes: int) -> FloatArray:
        return float(self.kernel.envelope(1)[0, 0]) * self.matrix

    def induced_norm(self, n_classes: int, p: float, q: float) -> float:
        return self.kernel.induced_norm(1, p, q) * matrix_norm(self.matrix, p, q)


def is_positive_definite(matrix: FloatArray) -> bool:
    """Return whether all eigenvalues are positive beyond rounding."""
    eigenvalues = np.asarray(np.linalg.eigvalsh(matrix), dtype=np.float64)
    return bool(eigenvalues[0] > _rounding(eigenvalues))


def _semidefinite(matrix: ArrayLike) -> FloatArray:
    A = np.array(matrix, dtype=np.float64)
    if A.ndim != 2 or A.shape[0] != A.shape[1] or A.size == 0:
        raise ValueError(
            f"a kernel is lifted by a square matrix (n_classes, n_classes); got shape {A.shape}."
        )
    if not np.isfinite(A).all():
        raise ValueError("the matrix A of a lifted kernel must be finite; got NaN or infinity.")
    asymmetry = float(np.abs(A - A.T).max())
    if asymmetry > TOLERANCE * np.abs(A).max():
        raise ValueError(
            f"the matrix A of a lifted kernel must be symmetric; got a difference of "
            f"{asymmetry:.3g} between A and its transpose. Use (A + A.T) / 2."
        )
    A = 0.5 * (A + A.T) + 0.0  # no -0.0, so that equal matrices have equal hashes
    eigenvalues = np.linalg.eigvalsh(A)
    if eigenvalues[-1] <= 0.0 or eigenvalues[0] < -TOLERANCE * eigenvalues[-1]:
        raise ValueError(
            "the matrix A of a lifted kernel must be positive semi-definite and not zero; got "
            f"eigenvalues from {eigenvalues[0]:.3g} to {eigenvalues[-1]:.3g}. B @ B.T is "
            "positive semi-definite for every B."
        )
    A.flags.writeable = False
    return A


def _root(matrix: FloatArray) -> FloatArray:
    if np.array_equal(matrix, np.eye(len(matrix))):
        return matrix
    eigenvalues, vectors = np.linalg.eigh(matrix)
    present = eigenvalues > _rounding(eigenvalues)
    root: FloatArray = vectors[:, present] * np.sqrt(eigenvalues[present])
    return root


def _rounding(eigenvalues: FloatArray) -> float:
    return float(len(eigenvalues) * np.finfo(np.float64).eps * eigenvalues[-1])
