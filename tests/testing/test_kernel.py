"""check_kernel finds every broken rule and says which."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from calibrant.kernels import (
    FunctionKernel,
    Gaussian,
    Laplacian,
    MatrixKernel,
    ScalarKernel,
)
from calibrant.testing import check_kernel


def broken(**methods):
    """Return a Laplacian with some methods replaced."""
    return type("Broken", (Laplacian,), methods)(0.3)


def tv_gaussian(p, q):
    """A Gaussian of the total variation distance, which looks like a kernel and is none."""
    return np.exp(-np.square(np.abs(p[:, None] - q[None]).sum(axis=2)))


def test_the_message_names_the_points():
    kernel = FunctionKernel(lambda p, q: p[:, :1] - q[:, 0])
    with pytest.raises(ValueError, match=r"for example at \[.*, .*, .*\] and \[.*\]\.$"):
        check_kernel(kernel)


def forms_of_twice_the_residuals(self, x, v):
    return Laplacian(0.3).forms(x, 2.0 * v)


class Restless(Laplacian):
    def resolve(self, y_prob):
        return replace(self, bandwidth=float(np.asarray(y_prob)[0].max()))


class Changing(ScalarKernel):
    def tile(self, s, t):
        values = s @ t.T
        s *= 1.0 + 1e-14
        return values


class Neighbors(ScalarKernel):
    """Divides by the largest value of the tile."""

    def tile(self, s, t):
        return s @ t.T / (s.sum() * t.sum())


class Restive(ScalarKernel):
    def tile(self, s, t):
        return s @ t.T * (1.0 + 1e-12 * np.random.default_rng().random())


@dataclass
class Mutable(ScalarKernel):
    width: float = 1.0

    def tile(self, s, t):
        return s @ t.T


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (FunctionKernel(lambda p, q: p[:, :1] - q[:, 0]), r"transpose of k\(t, s\) must be equal"),
        (
            MatrixKernel(
                lambda p, q: (p @ q.T)[:, :, None, None] * np.array([[1, 1, 0], [0] * 3, [0] * 3])
            ),
            r"transpose of k\(t, s\)",
        ),
        (FunctionKernel(lambda p, q: 1.0 - p @ q.T), r"not positive semi-definite: .* from -"),
        (FunctionKernel(lambda p, q: p @ q.T, sup=0.1), r"`bound` gives 0.2, but a term of size"),
        (broken(forms=forms_of_twice_the_residuals), r"sum of `forms` and `blocks` must be equal"),
        (broken(diagonal=lambda self, x, v: np.ones(len(x))), r"`diagonal` and `blocks` must be"),
        (broken(apply=lambda self, points, x, v: points), r"`apply` and `blocks` must be equal"),
        (broken(apply=lambda self, points, x, v: x[:2]), r"`apply` and `blocks` differ in shape"),
        (broken(blocks=lambda self, s, t: self.tile(s, t)), r"`blocks` must return finite values"),
        (FunctionKernel(tv_gaussian), r"not positive semi-definite"),
        (Changing(), r"must not modify its arguments"),
        (Neighbors(), r"in a tile of one row and of many must be equal"),
        (Restive(), r"must be deterministic"),
        (Mutable(), r"must be immutable; Mutable can be changed"),
        (Restless(), r"a resolved kernel before and after `resolve` must be equal"),
    ],
)
def test_says_what_is_broken(kernel, message):
    with pytest.raises(ValueError, match=message):
        check_kernel(kernel)


def test_returns_none_for_good_kernels_of_any_number_of_classes():
    assert check_kernel(Laplacian(), n_classes=2) is None
    assert check_kernel(Gaussian(), n_classes=10, rng=np.random.default_rng(5)) is None
    assert check_kernel(Laplacian() * np.diag([1.0, 2.0]), n_classes=2, rng=None) is None


def test_a_matrix_that_residuals_cannot_see_is_fine():
    # residuals sum to 0, so every term is rounding and the bound is 0
    kernel = Laplacian() * np.ones((3, 3))
    assert kernel.bound(3) == 0.0
    check_kernel(kernel)


def test_kernels_without_a_bound_are_fine():
    check_kernel(FunctionKernel(lambda p, q: p @ q.T))


def test_other_things_are_refused():
    with pytest.raises(TypeError, match="`kernel` must be a Kernel; got 3"):
        check_kernel(3)
