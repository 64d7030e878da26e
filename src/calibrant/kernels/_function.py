"""Kernels from user-defined functions."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from calibrant._engine import BlockFunction, TileFunction
from calibrant._native import FloatArray
from calibrant.kernels._base import Kernel, ScalarKernel


@dataclass(frozen=True)
class FunctionKernel(ScalarKernel):
    """A scalar kernel from any function on tiles.

    Parameters
    ----------
    function : callable
        Maps rows p (a, m) and q (b, m) to the values k(p_i, q_j) as an array (a, b). It must
        be symmetric and positive semi-definite (`check_kernel` checks this), and picklable if
        processes are to share the work.
    sup : float, optional
        The supremum of |k|, needed only for `bound`.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant.kernels import FunctionKernel
    >>> from calibrant.testing import check_kernel
    >>> linear = FunctionKernel(lambda p, q: p @ q.T, sup=1.0)
    >>> linear([[0.5, 0.5]], [[1.0, 0.0]])
    array([[0.5]])
    >>> check_kernel(linear)
    """

    function: TileFunction
    sup: float | None = None

    def __post_init__(self) -> None:
        _check_function(self.function)
        _check_bound("sup", self.sup)

    def tile(self, s: FloatArray, t: FloatArray) -> FloatArray:
        return _checked(self.function(s, t), (len(s), len(t)))


@dataclass(frozen=True)
class MatrixKernel(Kernel):
    """A matrix-valued kernel from any function on tiles: the general, slow path.

    Parameters
    ----------
    function : callable
        Maps rows p (a, m) and q (b, m) to the blocks k(p_i, q_j) as an array (a, b, m, m),
        with k(p, q) = k(q, p)ᵀ and positive semi-definite (`check_kernel` checks this), and
        picklable if processes are to share the work. Costs m² numbers for every pair.
    term_bound : float, optional
        The supremum of |(e_y − p)ᵀ k(p, q) (e_y' − q)|, needed only for `bound`.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant.kernels import MatrixKernel
    >>> outer = MatrixKernel(lambda p, q: p[:, None, :, None] * q[None, :, None, :])
    >>> outer.blocks(np.array([[1.0, 0.0]]), np.array([[0.5, 0.5]]))[0, 0]
    array([[0.5, 0.5],
           [0. , 0. ]])
    """

    function: BlockFunction
    term_bound: float | None = None

    def __post_init__(self) -> None:
        _check_function(self.function)
        _check_bound("term_bound", self.term_bound)

    def blocks(self, s: FloatArray, t: FloatArray) -> FloatArray:
        return _checked(self.function(s, t), (len(s), len(t), s.shape[1], s.shape[1]))

    def envelope(self, n_classes: int) -> FloatArray:
        """Return ½·term_bound·I, which adds `term_bound` to the bound of every sum."""
        if self.term_bound is None:
            return super().envelope(n_classes)
        return 0.5 * self.term_bound * np.eye(n_classes)


def _check_function(function: object) -> None:
    if not callable(function):
        raise TypeError(f"`function` must be callable; got {function!r}.")


def _check_bound(name: str, value: float | None) -> None:
    if value is not None and not 0.0 < value < math.inf:
        raise ValueError(f"`{name}` must be positive and finite, or None; got {value}.")


def _checked(values: object, shape: tuple[int, ...]) -> FloatArray:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != shape:
        raise ValueError(
            f"the function of a kernel must return an array of shape {shape} for {shape[0]} rows "
            f"p and {shape[1]} rows q; got shape {array.shape}."
        )
    if not np.isfinite(array).all():
        raise ValueError("the function of a kernel must return finite values; got NaN or infinity.")
    return array
