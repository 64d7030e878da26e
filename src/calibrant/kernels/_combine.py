"""Sums and positive multiples of kernels, and the operators that create them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from calibrant._engine import Form
from calibrant._native import FloatArray
from calibrant.kernels._base import Kernel, ScalarKernel
from calibrant.kernels._classwise import Classwise
from calibrant.kernels._lift import Lifted, is_positive_definite


@dataclass(frozen=True)
class Sum(Kernel):
    """The sum of kernels; write ``k1 + k2``.

    Parameters
    ----------
    terms : tuple of Kernel
        The kernels to add.

    Examples
    --------
    >>> from calibrant.kernels import Classwise, Laplacian
    >>> (Laplacian(0.5) + Classwise(Laplacian(0.1))).bound(3)
    4.0
    """

    terms: tuple[Kernel, ...]

    def __post_init__(self) -> None:
        sizes = sorted({term.n_classes for term in self.terms if term.n_classes is not None})
        if len(sizes) > 1:
            raise ValueError(
                f"kernels in a sum must be made for the same number of classes; got {sizes}."
            )

    @property
    def n_classes(self) -> int | None:
        return next((t.n_classes for t in self.terms if t.n_classes is not None), None)

    @property
    def is_universal(self) -> bool | None:
        """True if a term is universal, or if the A_l of universal k_l sum to a definite matrix.

        False if all terms are lifts whose matrices sum to a singular one, or all are class-wise;
        otherwise ``None`` (unknown).
        """
        if any(term.is_universal for term in self.terms):
            return True
        lifts = [term for term in self.terms if isinstance(term, Lifted)]
        dense = [lift.matrix for lift in lifts if lift.kernel.is_universal]
        if dense and is_positive_definite(np.sum(dense, axis=0)):
            return True
        if len(lifts) == len(self.terms):
            total = np.sum([lift.matrix for lift in lifts], axis=0)
            return None if is_positive_definite(total) else False
        atoms = (term.kernel if isinstance(term, Scaled) else term for term in self.terms)
        return False if all(isinstance(atom, Classwise) for atom in atoms) else None

    def resolve(self, y_prob: ArrayLike) -> Self:
        return replace(self, terms=tuple(term.resolve(y_prob) for term in self.terms))

    def blocks(self, s: FloatArray, t: FloatArray) -> FloatArray:
        return reduce(add, [term.blocks(s, t) for term in self.terms])

    def forms(self, x: FloatArray, v: FloatArray) -> list[Form]:
        return [form for term in self.terms for form in term.forms(x, v)]

    def lifts(self, n_classes: int) -> list[FloatArray] | None:
        lifts = [term.lifts(n_classes) for term in self.terms]
        return None if None in lifts else [lift for some in lifts for lift in some or ()]

    def apply(self, points: FloatArray, x: FloatArray, v: FloatArray) -> FloatArray:
        return reduce(add, [term.apply(points, x, v) for term in self.terms])

    def diagonal(self, x: FloatArray, v: FloatArray) -> FloatArray:
        return reduce(add, [term.diagonal(x, v) for term in self.terms])

    def envelope(self, n_classes: int) -> FloatArray:
        return reduce(add, [term.envelope(n_classes) for term in self.terms])

    def induced_norm(self, n_classes: int, p: float, q: float) -> float:
        return math.fsum(term.induced_norm(n_classes, p, q) for term in self.terms)


@dataclass(frozen=True)
class ScalarSum(Sum, ScalarKernel):
    """The sum of scalar kernels, a scalar kernel."""

    terms: tuple[ScalarKernel, ...]

    def lifts(self, n_classes: int) -> list[FloatArray]:
        return [lift for term in self.terms for lift in term.lifts(n_classes)]

    @property
    def sup(self) -> float | None:
        """The sum of the suprema, or ``None`` if one is unknown."""
        sups = [term.sup for term in self.terms]
        return None if None in sups else math.fsum(s for s in sups if s is not None)

    def tile(self, s: FloatArray, t: FloatArray) -> FloatArray:
        return reduce(add, [term.tile(s, t) for term in self.terms])

    def diagonal_values(self, x: FloatArray) -> FloatArray:
        return reduce(add, [term.diagonal_values(x) for term in self.terms])


@dataclass(frozen=True)
class Scaled(Kernel):
    """A positive multiple of a kernel; write ``2.0 * k``.

    Parameters
    ----------
    kernel : Kernel
        The kernel k.
    factor : float
        The factor, positive and finite.

    Examples
    --------
    >>> from calibrant.kernels import Laplacian
    >>> (2.0 * Laplacian(0.5))([0.5, 0.5], [0.5, 0.5])
    2.0
    """

    kernel: Kernel
    factor: float

    def __post_init__(self) -> None:
        if not 0.0 < self.factor < math.inf:
            raise ValueError(
                f"a kernel can be multiplied with positive numbers only; got {self.factor}."
            )

    @property
    def n_classes(self) -> int | None:
        return self.kernel.n_classes

    @property
    def is_universal(self) -> bool | None:
        return self.kernel.is_universal

    def resolve(self, y_prob: ArrayLike) -> Self:
        return replace(self, kernel=self.kernel.resolve(y_prob))

    def blocks(self, s: FloatArray, t: FloatArray) -> FloatArray:
        return self.factor * self.kernel.blocks(s, t)

    def forms(self, x: FloatArray, v: FloatArray) -> list[Form]:
        forms = self.kernel.forms(x, v)
        return [replace(form, scale=self.factor * form.scale) for form in forms]

    def lifts(self, n_classes: int) -> list[FloatArray] | None:
        return self.kernel.lifts(n_classes)

    def apply(self, points: FloatArray, x: FloatArray, v: FloatArray) -> FloatArray:
        return self.factor * self.kernel.apply(points, x, v)

    def diagonal(self, x: FloatArray, v: FloatArray) -> FloatArray:
        return self.factor * self.kernel.diagonal(x, v)

    def envelope(self, n_classes: int) -> FloatArray:
        return self.factor * self.kernel.envelope(n_classes)

    def induced_norm(self, n_classes: int, p: float, q: float) -> float:
        return self.factor * self.kernel.induced_norm(n_classes, p, q)


@dataclass(frozen=True)
class ScaledScalar(Scaled, ScalarKernel):
    """A positive multiple of a scalar kernel, a scalar kernel."""

    kernel: ScalarKernel

    def lifts(self, n_classes: int) -> list[FloatArray]:
        return self.kernel.lifts(n_classes)

    @property
    def sup(self) -> float | None:
        return None if self.kernel.sup is None else self.factor * self.kernel.sup

    def tile(self, s: FloatArray, t: FloatArray) -> FloatArray:
        return self.factor * self.kernel.tile(s, t)

    def diagonal_values(self, x: FloatArray) -> FloatArray:
        return self.factor * self.kernel.diagonal_values(x)


def scale(kernel: Kernel, factor: float) -> Kernel:
    """Return factor·kernel, with the factor pushed down to terms and matrices."""
    if isinstance(kernel, Sum):
        return replace(kernel, terms=tuple(scale(term, factor) for term in kernel.terms))
    if isinstance(kernel, Scaled):
        return replace(kernel, factor=factor * kernel.factor)
    if isinstance(kernel, ScalarKernel):
        return ScaledScalar(kernel, factor)
    scaled = Scaled(kernel, factor)  # refuses a non-positive factor
    return replace(kernel, matrix=factor * kernel.matrix) if isinstance(kernel, Lifted) else scaled


def _plus(self: Kernel, other: object) -> Any:
    if not isinstance(other, Kernel):
        return NotImplemented
    # flatten nested sums
    terms = tuple(t for k in (self, other) for t in (k.terms if isinstance(k, Sum) else (k,)))
    scalars = tuple(term for term in terms if isinstance(term, ScalarKernel))
    return ScalarSum(scalars) if len(scalars) == len(terms) else Sum(terms)


def _after_zero(self: Kernel, other: object) -> Any:
    # lets the built-in sum(), which starts from 0, add kernels
    return self if isinstance(other, int) and other == 0 else NotImplemented


def _times(self: Kernel, factor: Any) -> Any:
    if isinstance(factor, Kernel | str):
        return NotImplemented
    array = np.asarray(factor, dtype=np.float64)
    if array.ndim == 0:
        return scale(self, float(array))
    if not isinstance(self, ScalarKernel):
        raise TypeError(
            f"only scalar kernels can be lifted by a matrix; got {self!r}. Lift its parts: "
            "k1 * A1 + k2 * A2."
        )
    return Lifted(self, array)


# assigned here, because this module knows all kinds of kernels
Kernel.__add__ = _plus  # type: ignore[method-assign]
Kernel.__radd__ = _after_zero  # type: ignore[method-assign]
Kernel.__mul__ = Kernel.__rmul__ = _times  # type: ignore[method-assign]
