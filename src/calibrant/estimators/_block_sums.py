"""The block SKCE: pair sums of blocks of rows, and totals that add up over parts of the data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant._engine import block_residual_sums, block_sums, is_radial
from calibrant._execution import Parallel, spans
from calibrant._native import FloatArray
from calibrant._predictions import Predictions, pair_weights
from calibrant.errors import DataError, Problem
from calibrant.kernels import Kernel, ScalarKernel

if TYPE_CHECKING:
    from calibrant.estimators._skce import SKCE

#: entries of the predictions processed at a time
CHUNK = 1 << 18
#: largest block whose pairs are visited one by one
FEW_ROWS = 8
#: a spread of the blocks below this fraction of their size is rounding error
_ROUNDING = 1e-14


@dataclass
class BlockSums:
    """N, Σs, Σp, Σs², Σsp, Σp² and Σs⁴ over blocks with pair sums s and pair weights p."""

    values: FloatArray

    @classmethod
    def zero(cls) -> BlockSums:
        """Return the sums over zero blocks."""
        return cls(np.zeros(7))

    @classmethod
    def of(cls, skce: SKCE, predictions: Predictions, parallel: Parallel) -> BlockSums:
        """Return the sums over the full blocks of some rows, with a resolved kernel."""
        s, p = skce._block_sums(predictions, parallel)
        sums = (s.sum(), p.sum(), (s * s).sum(), (s * p).sum(), (p * p).sum(), (s**4).sum())
        return cls(np.array([float(len(s)), *map(float, sums)]))

    @property
    def n_blocks(self) -> int:
        """The number of blocks."""
        return int(self.values[0])

    @property
    def estimate(self) -> float:
        """Σs/Σp; NaN if all pair weights are 0."""
        _, s, p, *_ = self.values.tolist()
        return s / p if p > 0.0 else math.nan

    @property
    def deviation_squares(self) -> float:
        """Σ(p_b(u_b − ū)/p̄)², the squares of the linear terms of the estimate."""
        n, s, p, ss, sp, pp, _ = self.values.tolist()
        mean = s / p
        squares = ss - 2.0 * mean * sp + mean * mean * pp
        # equal blocks leave only rounding errors
        return float(0.0 if squares <= _ROUNDING * ss else squares * (n / p) ** 2)

    @property
    def effective_blocks(self) -> float:
        """(Σs²)²/Σs⁴, the number of equal blocks that would vary as much as these."""
        squares, fourths = float(self.values[3]), float(self.values[6])
        return squares * squares / fourths if fourths > 0.0 else float(self.n_blocks)


def refuse_soft_blocks(predictions: Predictions) -> None:
    """Refuse blocks with soft labels, where consecutive rows are shares of the same item."""
    if predictions.soft:
        raise DataError(
            Problem.SOFT,
            "blocks of rows need one label per row",
            got="soft labels",
            hint="consecutive rows are shares of the same item, which make no pair",
            remedy="leave `block_size` out",
        )


def block_pair_sums(
    kernel: Kernel, size: int, predictions: Predictions, parallel: Parallel
) -> tuple[FloatArray, FloatArray]:
    """Return Σ_{i≠j} h_ij and Σ_{i≠j} w_i w_j of every full block, with a resolved kernel."""
    weights = predictions.weights
    sums = _few_row_sums(predictions, kernel, weights, size)
    if sums is None:
        sums = _chunked_sums(predictions, kernel, size, parallel)
    blocks = weights[: len(sums) * size].reshape(len(sums), size)
    return 2.0 * sums, pair_weights(blocks)


def _few_row_sums(
    predictions: Predictions, kernel: Kernel, weights: FloatArray, size: int
) -> FloatArray | None:
    # small blocks and a kernel k·I need one pass over the predictions and no residuals
    if size > FEW_ROWS or not isinstance(kernel, ScalarKernel):
        return None
    forms = kernel.forms(predictions.y_prob, predictions.y_prob)
    form = forms[0]
    if len(forms) != 1 or not is_radial(form):
        return None
    return block_residual_sums(form, predictions.y_true, weights, size)


def _chunked_sums(
    predictions: Predictions, kernel: Kernel, size: int, parallel: Parallel
) -> FloatArray:
    # a few rows at a time, because all residuals would be a second copy of the data
    stop = predictions.n_samples // size * size
    step = size * max(1, CHUNK // (size * predictions.n_classes))
    sums = []
    for rows in spans(stop, step):
        part = predictions.take(rows)
        forms = kernel.forms(part.y_prob, part.weighted_residuals)
        sums.append(block_sums(forms, size, parallel))
    return np.concatenate(sums)
