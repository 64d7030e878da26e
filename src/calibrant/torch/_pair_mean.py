"""The mean of the pair terms, over all pairs, different samples or blocks, shared by the losses."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from calibrant._execution import spans
from calibrant._predictions import pair_weights
from calibrant.kernels import Kernel
from calibrant.torch._inputs import Inputs, check_inputs
from calibrant.torch._terms import check_differentiable, pair_terms


@dataclass(frozen=True)
class PairMean:
    """The pairs to average, and the number of rows in memory at a time."""

    unbiased: bool = True
    block_size: int | None = None
    chunk_size: int | None = None

    def __post_init__(self) -> None:
        for name, least in (("block_size", 2), ("chunk_size", 1)):
            size: Any = getattr(self, name)
            if size is not None and (not isinstance(size, int) or size < least):
                raise ValueError(f"`{name}` must be an integer of {least} or more; got {size!r}")
        if self.block_size is not None and not self.unbiased:
            raise ValueError("block estimators are unbiased; drop `unbiased=False` or `block_size`")
        if self.block_size is not None and self.chunk_size is not None:
            raise ValueError("blocks need no chunks; drop `chunk_size` or `block_size`")

    def __call__(self, kernel: Kernel, x: Tensor, v: Tensor, weights: Tensor | None) -> Tensor:
        """Return the mean of w_i·w_j·v_iᵀ k(x_i, x_j) v_j; a rule takes its bandwidth from x."""
        least = self.block_size or (2 if self.unbiased else 1)
        if len(x) < least:
            raise ValueError(
                f"the loss needs at least {least} rows; got {len(x)}. Leave out a last batch that "
                "is too small, e.g. DataLoader(..., drop_last=True)."
            )
        # the bandwidth is a constant of the batch, without gradient
        kernel = kernel.resolve(_as_array(x)) if x.device.type != "meta" else kernel
        weights = torch.ones_like(x[:, 0]) if weights is None else weights
        with _full_precision(x.device.type):
            return self._mean(kernel, x, weights[:, None] * v, weights)

    def _mean(self, kernel: Kernel, x: Tensor, v: Tensor, weights: Tensor) -> Tensor:
        if self.block_size is not None:
            x, v, weights = (_in_blocks(array, self.block_size) for array in (x, v, weights))
            total, diagonal = _sums(kernel, x, x, v, v, 0)
        else:
            parts = [
                self._part(kernel, x, v, rows) for rows in spans(len(x), self.chunk_size or len(x))
            ]
            total, diagonal = (torch.stack(part).sum() for part in zip(*parts, strict=True))
        if not self.unbiased:
            return total / weights.sum() ** 2
        pairs: Tensor = pair_weights(weights)
        return (total - diagonal) / pairs.sum()

    def _part(self, kernel: Kernel, x: Tensor, v: Tensor, rows: slice) -> tuple[Tensor, Tensor]:
        if self.chunk_size is None:
            return _sums(kernel, x, x, v, v, 0)
        # the terms of a chunk are recomputed in the backward pass, not stored
        arguments = (kernel, x[rows], x, v[rows], v, rows.start)
        sums: tuple[Tensor, Tensor] = checkpoint(_sums, *arguments, use_reentrant=False)
        return sums


class PairLoss(torch.nn.Module):
    """The base class of the losses, with their common configuration."""

    def __init__(self, kernel: Kernel, inputs: Inputs, pair_mean: PairMean) -> None:
        super().__init__()
        check_inputs(inputs)
        check_differentiable(kernel)
        self.kernel = kernel
        self.inputs = inputs
        self.pair_mean = pair_mean

    def extra_repr(self) -> str:
        """Return the configuration, for the printed module."""
        return f"{self.kernel!r}, inputs={self.inputs!r}, {self.pair_mean!r}"


def _sums(
    kernel: Kernel, s: Tensor, t: Tensor, v: Tensor, w: Tensor, offset: int
) -> tuple[Tensor, Tensor]:
    """Return the sum of all terms, and of the terms of samples with themselves."""
    terms = pair_terms(kernel, s, t, v, w)
    return terms.sum(), terms.diagonal(offset, dim1=-2, dim2=-1).sum()


def _in_blocks(array: Tensor, size: int) -> Tensor:
    n_blocks = len(array) // size
    return array[: n_blocks * size].reshape(n_blocks, size, *array.shape[1:])


def _as_array(x: Tensor) -> Any:
    return x.detach().cpu().double().numpy()


def _full_precision(device: str) -> Any:
    # sums that cancel need more digits than autocast keeps
    return nullcontext() if device in ("meta", "mps") else torch.autocast(device, enabled=False)
