"""The base classes of kernels: matrix-valued functions on the probability simplex."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, overload

import numpy as np
from numpy.typing import ArrayLike

from calibrant._engine import BlockForm, Form, TileForm
from calibrant._execution import limits, spans
from calibrant._native import FloatArray
from calibrant.kernels._bounds import check_orders, identity_norm, term_bound, vertex_bound
from calibrant.kernels._metrics import as_rows


class Kernel(ABC):
    """A matrix-valued kernel k(s, t) ∈ R^{m×m} on the probability simplex.

    Kernels are immutable values. They add (``k1 + k2``) and scale (``2.0 * k``); a scalar
    kernel is lifted by a positive semi-definite matrix (``k * A``). A custom kernel only needs
    `blocks`; `check_kernel` checks that it obeys the rules. Override the other methods for
    speed, and `envelope` to give it a bound.

    Examples
    --------
    >>> from calibrant.kernels import Kernel
    >>> from calibrant.testing import check_kernel
    >>> class Outer(Kernel):
    ...     def blocks(self, s, t):
    ...         return s[:, None, :, None] * t[None, :, None, :]
    >>> check_kernel(Outer())

    No error is raised, so the outer product obeys the rules.
    """

    #: makes NumPy arrays leave ``A * kernel`` to the kernel
    __array_ufunc__: ClassVar[None] = None

    @abstractmethod
    def blocks(self, s: FloatArray, t: FloatArray) -> FloatArray:
        """Return k(s_i, t_j) for rows s (a, m) and t (b, m) as an array (a, b, m, m)."""

    @property
    def n_classes(self) -> int | None:
        """The number of classes that the kernel requires; ``None`` if any."""
        return None

    @property
    def is_universal(self) -> bool | None:
        """Whether the calibration error is 0 only for calibrated models; ``None`` if unknown."""
        return None

    def resolve(self, y_prob: ArrayLike) -> Kernel:
        """Return the kernel with every bandwidth rule replaced by a number.

        Parameters
        ----------
        y_prob : array-like of shape (n_samples, n_classes)
            The predictions. Labels are not used, so resampling tests stay exact.

        Returns
        -------
        Kernel
        """
        return self

    def forms(self, x: FloatArray, v: FloatArray) -> list[Form]:
        """Return forms whose sum is h_ij = v_iᵀ k(x_i, x_j) v_j, for the pair engine.

        Parameters
        ----------
        x : ndarray of shape (n_samples, n_classes)
            Predictions.
        v : ndarray of shape (n_samples, n_classes)
            Residuals, multiplied by the sample weights if there are any.

        Returns
        -------
        list of Form
        """
        x, v = self._contiguous(x, v)
        return [BlockForm(x, v, self.blocks)]

    def lifts(self, n_classes: int) -> list[FloatArray] | None:
        """Return, for each of the `forms`, the matrix L that multiplies the residuals: v·L.

        It is the identity for a kernel k·I. Return None if residuals are not just multiplied by a
        matrix; sums over many label sets are then slow.
        """
        # a class that overrides `forms` must also define its lifts
        return [np.eye(n_classes)] if type(self).forms is Kernel.forms else None

    def apply(self, points: FloatArray, x: FloatArray, v: FloatArray) -> FloatArray:
        """Return Σ_j k(points_i, x_j) v_j as an array (n_points, n_classes).

        Cost: O(n_points · n_samples) kernel values; memory of one row block.
        """
        result = np.zeros((len(points), v.shape[1]))
        for rows in row_blocks(len(points), v.shape[1] ** 2):
            for columns in row_blocks(len(x), v.shape[1] ** 2 * (rows.stop - rows.start)):
                values = self.blocks(points[rows], x[columns])
                result[rows] += np.einsum("ijcd,jd->ic", values, v[columns])
        return result

    def diagonal(self, x: FloatArray, v: FloatArray) -> FloatArray:
        """Return h_ii = v_iᵀ k(x_i, x_i) v_i as an array (n_samples,)."""
        result = np.empty(len(x))
        for rows in _diagonal_blocks(len(x)):
            values = np.einsum("iicd->icd", self.blocks(x[rows], x[rows]))
            result[rows] = np.einsum("ic,icd,id->i", v[rows], values, v[rows])
        return result

    def bound(self, n_classes: int, p: float | None = None, q: float | None = None) -> float:
        """Return a bound B with |(e_y − s)ᵀ k(s, t) (e_y' − t)| ≤ B for all s, t, y, y'.

        Parameters
        ----------
        n_classes : int
            The number of classes m.
        p, q : float in [1, inf], optional
            Return the paper's B_{p;q} = 2^{1+1/p−1/q}·K_{p;q}, K_{p;q} = sup ‖k(s,t)‖_{p;q}.

        Returns
        -------
        float
            By default max_{a,b}(E_aa + E_bb − 2E_ab) with E = Σ_l sup|k_l|·A_l, never larger
            than any B_{p;q}; 2·sup|k| for a scalar kernel.

        Notes
        -----
        K_{p;q} of Σ_l k_l A_l is bounded by Σ_l sup|k_l|·‖A_l‖_{p;q}. For a scalar kernel it
        is sup|k| if p ≤ q and m^{1/q−1/p}·sup|k| if p > q.

        Examples
        --------
        >>> from calibrant.kernels import Laplacian
        >>> Laplacian(0.5).bound(10), Laplacian(0.5).bound(10, p=1, q=2)
        (2.0, 2.8284271247461903)
        """
        self._check_classes(n_classes)
        if p is None and q is None:
            return vertex_bound(self.envelope(n_classes))
        p, q = check_orders(p, q)
        return term_bound(self.induced_norm(n_classes, p, q), p, q)

    def envelope(self, n_classes: int) -> FloatArray:
        """Return a matrix E (m, m) with |uᵀ k(s, t) v|² ≤ (uᵀEu)(vᵀEv): Σ_l sup|k_l|·A_l."""
        raise ValueError(
            f"no bound is known for {self!r}; give `sup` or `term_bound` to a kernel made from "
            "a function, or override `envelope`."
        )

    def induced_norm(self, n_classes: int, p: float, q: float) -> float:
        """Return K_{p;q} = sup ‖k(s, t)‖_{p;q}, or an upper bound."""
        raise ValueError(
            f"no K_{{p;q}} is known for {self!r}; pass neither p nor q, or override `induced_norm`."
        )

    # assigned in `_combine`, which knows all kinds of kernels
    if TYPE_CHECKING:

        def __add__(self, other: object) -> Kernel: ...
        def __radd__(self, other: object) -> Kernel: ...
        def __mul__(self, factor: Any) -> Kernel: ...
        def __rmul__(self, factor: Any) -> Kernel: ...

    def _check_classes(self, n_classes: int) -> None:
        if self.n_classes not in (None, n_classes):
            raise ValueError(
                f"the kernel is made for {self.n_classes} classes; got {n_classes}. Lift it with "
                f"a matrix of shape ({n_classes}, {n_classes})."
            )

    def _contiguous(self, x: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
        self._check_classes(x.shape[1])
        return (
            np.ascontiguousarray(x, dtype=np.float64),
            np.ascontiguousarray(v, dtype=np.float64),
        )


class ScalarKernel(Kernel):
    """A scalar kernel k(s, t), which stands for the matrix-valued kernel k(s, t)·I.

    A custom scalar kernel needs `tile`, and `sup` to have a bound.

    Examples
    --------
    >>> from calibrant.kernels import ScalarKernel
    >>> class Linear(ScalarKernel):
    ...     def tile(self, s, t):
    ...         return s @ t.T
    >>> Linear()([0.5, 0.5], [1.0, 0.0])
    0.5
    """

    @abstractmethod
    def tile(self, s: FloatArray, t: FloatArray) -> FloatArray:
        """Return k(s_i, t_j) for rows s (a, m) and t (b, m) as an array (a, b)."""

    @property
    def sup(self) -> float | None:
        """The supremum of |k|; ``None`` if unknown."""
        return None

    @overload
    def __call__(self, p: list[float], q: list[float]) -> float: ...
    @overload
    def __call__(self, p: ArrayLike, q: ArrayLike) -> FloatArray | float: ...
    def __call__(self, p: ArrayLike, q: ArrayLike) -> FloatArray | float:
        """Return k(p_i, q_j) for the rows of p (a, m) and of q (b, m) as an array (a, b).

        Two single distributions (m,) give a float.

        Examples
        --------
        >>> from calibrant.kernels import Laplacian
        >>> Laplacian(1.0)([0.5, 0.5], [0.5, 0.5])
        1.0
        """
        single = np.ndim(p) == 1 and np.ndim(q) == 1
        s, t = as_rows("p", np.atleast_2d(p)), as_rows("q", np.atleast_2d(q))
        if s.shape[1] != t.shape[1]:
            raise ValueError(
                f"`p` and `q` must have the same number of classes; got {s.shape[1]} and "
                f"{t.shape[1]}."
            )
        values = self.tile(s, t)
        return float(values[0, 0]) if single else values

    def resolve(self, y_prob: ArrayLike) -> ScalarKernel:
        return self

    def blocks(self, s: FloatArray, t: FloatArray) -> FloatArray:
        return self.tile(s, t)[:, :, None, None] * np.eye(s.shape[1])

    def forms(self, x: FloatArray, v: FloatArray) -> list[Form]:
        x, v = self._contiguous(x, v)
        return [TileForm(x, v, self.tile)]

    def lifts(self, n_classes: int) -> list[FloatArray]:
        return [np.eye(n_classes)]

    def apply(self, points: FloatArray, x: FloatArray, v: FloatArray) -> FloatArray:
        result = np.zeros((len(points), v.shape[1]))
        for rows in row_blocks(len(points), 1 << 12):
            for columns in row_blocks(len(x), 1 << 8):
                result[rows] += self.tile(points[rows], x[columns]) @ v[columns]
        return result

    def diagonal(self, x: FloatArray, v: FloatArray) -> FloatArray:
        squares: FloatArray = np.einsum("ic,ic->i", v, v)
        return self.diagonal_values(x) * squares

    def diagonal_values(self, x: FloatArray) -> FloatArray:
        """Return k(x_i, x_i) as an array (n_samples,)."""
        values = np.empty(len(x))
        for rows in _diagonal_blocks(len(x)):
            values[rows] = np.diagonal(self.tile(x[rows], x[rows]))
        return values

    def envelope(self, n_classes: int) -> FloatArray:
        if self.sup is None:
            return super().envelope(n_classes)
        return self.sup * np.eye(n_classes)

    def induced_norm(self, n_classes: int, p: float, q: float) -> float:
        if self.sup is None:
            return super().induced_norm(n_classes, p, q)
        return self.sup * identity_norm(n_classes, p, q)


def as_scalar(kernel: Any) -> ScalarKernel:
    """Return the kernel if it is k·I, or raise TypeError."""
    if isinstance(kernel, ScalarKernel):
        return kernel
    raise ValueError(
        f"`kernel` must be scalar, so that every class has its own part; got {kernel!r}. Use for "
        "example kernels.Laplacian(0.2), without a matrix."
    )


def row_blocks(n_rows: int, row_size: int) -> list[slice]:
    """Cut n_rows rows of row_size numbers into blocks of bounded size."""
    return spans(n_rows, max(1, limits().kernel_numbers // max(1, row_size)))


def _diagonal_blocks(n_rows: int) -> list[slice]:
    # the diagonal costs 8 times as much from a function on square tiles
    return row_blocks(n_rows, limits().kernel_numbers // 8)
