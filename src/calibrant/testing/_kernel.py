"""Checks that a kernel obeys the rules."""

from __future__ import annotations

import numpy as np

from calibrant._engine import pair_products
from calibrant._native import FloatArray
from calibrant.kernels import Kernel
from calibrant.testing._value import check_value

#: largest difference between two computations of a number, relative to the largest |k|
TOLERANCE = 1e-10


def check_kernel(
    kernel: Kernel, n_classes: int = 3, rng: int | np.random.Generator | None = 0
) -> None:
    """Raise an error unless a kernel obeys the rules, on random and on extreme predictions.

    Checks shapes and finiteness; symmetry k(s, t) = k(t, s)ᵀ; positive semi-definiteness; that
    values depend only on the two points (not on other rows or the call); `resolve` (a resolved
    kernel must not change); `forms`, `apply` and `diagonal` (against `blocks`); `bound` (if the
    kernel has one); that arguments are not modified; and that the kernel is a value, equal to its
    copies, to unpickled ones and to the object that its ``repr`` creates. The predictions are
    random, confident, at the vertices, uniform, equal, almost equal, and with probabilities of
    1e-300. Passing is evidence, not proof. Cost: O(n_classes³), milliseconds for a few classes.

    Parameters
    ----------
    kernel : Kernel
        The kernel to check.
    n_classes : int
        Number of classes of the test data.
    rng : int, Generator or None
        Source of randomness of the test data.

    Raises
    ------
    ValueError
        If a rule is broken, with the size of the violation and the predictions.

    Examples
    --------
    >>> from calibrant.kernels import FunctionKernel, Laplacian
    >>> from calibrant.testing import check_kernel
    >>> check_kernel(Laplacian())
    >>> check_kernel(FunctionKernel(lambda p, q: -(p @ q.T)))
    Traceback (most recent call last):
    ...
    ValueError: the kernel is not positive semi-definite: ...
    """
    if not isinstance(kernel, Kernel):
        raise TypeError(f"`kernel` must be a Kernel; got {kernel!r}.")
    check_value("a kernel", kernel)
    generator = np.random.default_rng(rng)
    s, t = _predictions(generator, n_classes), _predictions(generator, n_classes)
    v = np.eye(n_classes)[generator.integers(n_classes, size=len(s))] - s
    w = np.eye(n_classes)[generator.integers(n_classes, size=len(t))] - t
    untouched = [(array, array.copy()) for array in (s, t, v, w)]
    kernel = _check_resolve(kernel, s, t)
    gram, cross = _finite_blocks(kernel, s, s), _finite_blocks(kernel, s, t)
    _check_untouched(untouched)
    size = float(np.abs(gram).max())
    mirrored = kernel.blocks(t, s).transpose(1, 0, 3, 2)
    _equal("k(s, t) and the transpose of k(t, s)", cross, mirrored, size, (s, t))
    _check_alone(kernel, cross, size, s, t)
    _check_semidefinite(gram)
    terms, sums = _terms(v, gram, v), np.einsum("ijcd,jd->ic", cross, w)
    forms = np.sum([pair_products(form, form) for form in kernel.forms(s, v)], axis=0)
    _equal("the sum of `forms` and `blocks`", forms, terms, size, (s, s))
    _equal("`diagonal` and `blocks`", kernel.diagonal(s, v), np.diagonal(terms), size, (s,))
    _equal("`apply` and `blocks`", kernel.apply(s, t, w), sums, size, (s,))
    largest = float(np.abs([terms, _terms(v, cross, w)]).max())
    _check_bound(kernel, n_classes, largest - TOLERANCE * size)
    _check_untouched(untouched)


def _predictions(rng: np.random.Generator, n_classes: int) -> FloatArray:
    smooth = rng.dirichlet(np.ones(n_classes), size=10)
    confident = rng.dirichlet(np.full(n_classes, 0.2), size=6)
    uniform = np.full((1, n_classes), 1.0 / n_classes)
    almost = 0.999999999 * smooth[:1] + 0.000000001 * smooth[1:2]
    tiny = np.full((1, n_classes), 1e-300)
    tiny[0, 0] = 1.0
    corners = np.eye(n_classes)[:8]
    return np.concatenate([smooth, confident, corners, uniform, smooth[:1], almost, tiny])


def _terms(v: FloatArray, blocks: FloatArray, w: FloatArray) -> FloatArray:
    terms: FloatArray = np.einsum("ic,ijcd,jd->ij", v, blocks, w)
    return terms


def _check_resolve(kernel: Kernel, s: FloatArray, t: FloatArray) -> Kernel:
    resolved = kernel.resolve(s)
    before = resolved.blocks(s, t)
    after = resolved.resolve(t[: len(t) // 2]).blocks(s, t)
    _equal("a resolved kernel before and after `resolve`", after, before, np.abs(before).max())
    return resolved


def _finite_blocks(kernel: Kernel, s: FloatArray, t: FloatArray) -> FloatArray:
    blocks, shape = kernel.blocks(s, t), (len(s), len(t), s.shape[1], s.shape[1])
    if blocks.shape != shape or not np.isfinite(blocks).all():
        raise ValueError(
            f"`blocks` must return finite values of shape {shape}; got shape {blocks.shape}."
        )
    return blocks


def _check_untouched(arrays: list[tuple[FloatArray, FloatArray]]) -> None:
    if not all(np.array_equal(now, before) for now, before in arrays):
        raise ValueError("a kernel must not modify its arguments; it has changed an array.")


def _check_alone(
    kernel: Kernel, cross: FloatArray, size: float, s: FloatArray, t: FloatArray
) -> None:
    again = kernel.blocks(s, t)
    if not np.array_equal(again, cross):
        raise ValueError("a kernel must be deterministic; `blocks` gave two answers.")
    for i in (0, len(s) - 1):
        alone = kernel.blocks(s[i : i + 1], t[::-1])[:, ::-1]
        what = "k(s, t) in a tile of one row and of many"
        _equal(what, alone, cross[i : i + 1], size, (s[i : i + 1], t))


def _check_semidefinite(gram: FloatArray) -> None:
    size = gram.shape[0] * gram.shape[2]
    eigenvalues = np.linalg.eigvalsh(gram.transpose(0, 2, 1, 3).reshape(size, size))
    if eigenvalues[0] < -TOLERANCE * max(eigenvalues[-1], 0.0):
        raise ValueError(
            f"the kernel is not positive semi-definite: its matrix on {gram.shape[0]} "
            f"predictions has eigenvalues from {eigenvalues[0]:.3g} to {eigenvalues[-1]:.3g}."
        )


def _check_bound(kernel: Kernel, n_classes: int, largest: float) -> None:
    try:
        bound = kernel.bound(n_classes)
    except ValueError:  # a kernel need not have a bound
        return
    if largest > bound:
        raise ValueError(f"`bound` gives {bound:.6g}, but a term of size {largest:.6g} was found.")


def _equal(
    what: str,
    left: FloatArray,
    right: FloatArray,
    scale: float,
    points: tuple[FloatArray, ...] = (),
) -> None:
    if left.shape != right.shape:
        raise ValueError(f"{what} differ in shape: {left.shape} and {right.shape}.")
    differences = np.abs(left - right)
    worst = np.unravel_index(np.argmax(differences), differences.shape)
    if not differences[worst] <= TOLERANCE * scale:
        at = [x[i].tolist() for x, i in zip(points, worst[: len(points)], strict=True)]
        where = f", for example at {' and '.join(map(str, at))}" if at else ""
        raise ValueError(f"{what} must be equal; they differ by {differences[worst]:.3g}{where}.")
