"""The pair terms h_ij = v_iᵀ k(s_i, t_j) w_j of a kernel, as tensors with gradients."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from calibrant.kernels import (
    GEOMETRIES,
    Classwise,
    FunctionKernel,
    Kernel,
    Lifted,
    RadialKernel,
    Scaled,
    Sum,
)


def pair_terms(kernel: Kernel, s: Tensor, t: Tensor, v: Tensor, w: Tensor) -> Tensor:
    """Return h_ij = v_iᵀ k(s_i, t_j) w_j, shape (..., a, b), of a resolved kernel.

    Points s (..., a, m), t (..., b, m) and vectors v (..., a, e), w (..., b, e). Distances of 0
    have the gradient 0. Memory O(a·b) for each batch, m times that for `Classwise`.
    """
    if isinstance(kernel, Sum):
        return torch.stack([pair_terms(k, s, t, v, w) for k in kernel.terms]).sum(dim=0)
    if isinstance(kernel, Scaled):
        return kernel.factor * pair_terms(kernel.kernel, s, t, v, w)
    if isinstance(kernel, Lifted):
        matrix = torch.tensor(kernel.matrix, dtype=v.dtype, device=v.device)
        return pair_terms(kernel.kernel, s, t, v @ matrix, w)
    if isinstance(kernel, Classwise):
        return _classwise_terms(kernel.kernel, s, t, v, w)
    if isinstance(kernel, FunctionKernel):
        return _function_values(kernel, s, t) * _products(v, w)
    assert isinstance(kernel, RadialKernel)  # see `check_differentiable`
    return _values(kernel, _distances(kernel, s, t)) * _products(v, w)


def check_differentiable(kernel: Kernel) -> None:
    """Raise an error if the values of a kernel cannot be computed with tensors."""
    if isinstance(kernel, Sum):
        for term in kernel.terms:
            check_differentiable(term)
    elif isinstance(kernel, Scaled | Lifted | Classwise):
        check_differentiable(kernel.kernel)
    elif isinstance(kernel, RadialKernel) and type(kernel).tile is RadialKernel.tile:
        _check_profile(kernel)
    elif not isinstance(kernel, FunctionKernel):
        raise TypeError(
            "`kernel` must be a radial kernel such as Laplacian(), a FunctionKernel whose function "
            "takes tensors, or a sum, multiple, lift or class-wise form of them; got "
            f"{kernel!r}, of which torch knows no gradient."
        )


def _check_profile(kernel: RadialKernel) -> None:
    try:
        values = kernel.profile(torch.ones(1, requires_grad=True), torch)
    except (RuntimeError, TypeError) as error:
        values = error
    if not isinstance(values, torch.Tensor):
        raise TypeError(
            f"the profile of {kernel!r} must be written with its argument `xp`, e.g. `xp.exp(-t)`, "
            f"so that it takes tensors; got {values!r}."
        )


def _distances(kernel: RadialKernel, s: Tensor, t: Tensor) -> Tensor:
    geometry = GEOMETRIES[kernel.metric]
    if geometry.square_root:
        s, t = safe_sqrt(s), safe_sqrt(t)
    order = 1.0 if geometry.norm == "cityblock" else 2.0
    # a faster matrix product would lose half of the digits of small distances
    norms = torch.cdist(s, t, p=order, compute_mode="donot_use_mm_for_euclid_dist")
    return geometry.factor * norms


def _classwise_terms(kernel: RadialKernel, s: Tensor, t: Tensor, v: Tensor, w: Tensor) -> Tensor:
    terms = []
    for c in range(s.shape[-1]):
        distances = (s[..., :, None, c] - t[..., None, :, c]).abs()
        products = v[..., :, None, c] * w[..., None, :, c]
        terms.append(_values(kernel, distances) * products)
    return torch.stack(terms).sum(dim=0)


def _values(kernel: RadialKernel, distances: Tensor) -> Tensor:
    values: Tensor = kernel.profile(kernel.rate * distances, torch)
    return values


def _function_values(kernel: FunctionKernel, s: Tensor, t: Tensor) -> Tensor:
    plain: Any = kernel.function  # annotated for arrays, called with tensors here
    function = torch.vmap(plain) if s.ndim == 3 else plain
    values: Any = function(s, t)
    shape = (*s.shape[:-1], t.shape[-2])
    if not isinstance(values, torch.Tensor) or values.shape != shape:
        got = tuple(values.shape) if hasattr(values, "shape") else type(values).__name__
        raise TypeError(
            "the function of a kernel in a loss must take tensors and return a tensor of shape "
            f"{tuple(shape)}; got {got}. Write it with operations of tensors, e.g. `p @ q.T`."
        )
    tensor: Tensor = values
    return tensor


def _products(v: Tensor, w: Tensor) -> Tensor:
    return v @ w.transpose(-2, -1)


def safe_sqrt(x: Tensor) -> Tensor:
    """Return √x with the gradient 0 if x is 0, or negative by rounding."""
    positive = x > 0
    return torch.where(positive, torch.where(positive, x, 1.0).sqrt(), 0.0)
