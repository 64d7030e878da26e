"""What the operators of kernels do; imported last, when all kinds of kernels are known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from calibrant.kernels._base import Kernel, ScalarKernel
from calibrant.kernels._combine import ScalarSum, Scaled, ScaledScalar, Sum
from calibrant.kernels._lift import Lifted


def add(left: Kernel, right: Kernel) -> Kernel:
    """Return left + right, the terms of sums side by side."""
    terms = _terms(left) + _terms(right)
    scalars = tuple(term for term in terms if isinstance(term, ScalarKernel))
    return ScalarSum(scalars) if len(scalars) == len(terms) else Sum(terms)


def multiply(kernel: Kernel, factor: Any) -> Kernel:
    """Return the kernel times a positive number, or lifted by a square array."""
    array = np.asarray(factor, dtype=np.float64)
    if array.ndim == 0:
        return scale(kernel, float(array))
    if not isinstance(kernel, ScalarKernel):
        raise TypeError(
            f"only scalar kernels can be lifted by a matrix; got {kernel!r}. Lift its parts: "
            "k1 * A1 + k2 * A2."
        )
    return Lifted(kernel, array)


def scale(kernel: Kernel, factor: float) -> Kernel:
    """Return factor·kernel, the factor pushed down to terms and matrices."""
    if isinstance(kernel, Sum):
        return replace(kernel, terms=tuple(scale(term, factor) for term in kernel.terms))
    if isinstance(kernel, Scaled):
        return replace(kernel, factor=factor * kernel.factor)
    if isinstance(kernel, ScalarKernel):
        return ScaledScalar(kernel, factor)
    scaled = Scaled(kernel, factor)  # refuses a factor that is not positive
    return replace(kernel, matrix=factor * kernel.matrix) if isinstance(kernel, Lifted) else scaled


def _terms(kernel: Kernel) -> tuple[Kernel, ...]:
    return kernel.terms if isinstance(kernel, Sum) else (kernel,)


def _plus(self: Kernel, other: object) -> Kernel:
    return add(self, other) if isinstance(other, Kernel) else NotImplemented


def _after_zero(self: Kernel, other: object) -> Kernel:
    # so that the built-in sum(), which starts from 0, adds kernels
    return self if isinstance(other, int) and other == 0 else NotImplemented


def _times(self: Kernel, factor: Any) -> Kernel:
    return NotImplemented if isinstance(factor, Kernel | str) else multiply(self, factor)


Kernel.__add__ = _plus  # type: ignore[method-assign]
Kernel.__radd__ = _after_zero  # type: ignore[method-assign]
Kernel.__mul__ = Kernel.__rmul__ = _times  # type: ignore[method-assign]
