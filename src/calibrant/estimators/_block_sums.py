"""Sums over the blocks of a block SKCE that add up over parts of the rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant._execution import Parallel
from calibrant._native import FloatArray
from calibrant._predictions import Predictions

if TYPE_CHECKING:
    from calibrant.estimators._skce import SKCE

#: a spread of blocks below this part of their size is rounding
_ROUNDING = 1e-14


@dataclass
class BlockSums:
    """N, Σs, Σp, Σs², Σsp, Σp² and Σs⁴ over blocks with pair sums s and pair weights p."""

    values: FloatArray

    @classmethod
    def zero(cls) -> BlockSums:
        """Return the sums over no block."""
        return cls(np.zeros(7))

    @classmethod
    def of(cls, skce: SKCE, predictions: Predictions, parallel: Parallel) -> BlockSums:
        """Return the sums over the full blocks of some rows; the kernel is resolved."""
        s, p = skce._block_sums(predictions, parallel)
        sums = (s.sum(), p.sum(), (s * s).sum(), (s * p).sum(), (p * p).sum(), (s**4).sum())
        return cls(np.array([float(len(s)), *map(float, sums)]))

    @property
    def n_blocks(self) -> int:
        """The number of blocks."""
        return int(self.values[0])

    @property
    def estimate(self) -> float:
        """Σs/Σp, NaN where no pair weighs anything."""
        _, s, p, *_ = self.values.tolist()
        return s / p if p > 0.0 else math.nan

    @property
    def deviation_squares(self) -> float:
        """Σ(p_b(u_b − ū)/p̄)², the squares of the linear terms of the estimate."""
        n, s, p, ss, sp, pp, _ = self.values.tolist()
        mean = s / p
        squares = ss - 2.0 * mean * sp + mean * mean * pp
        # equal blocks leave nothing but rounding
        return float(0.0 if squares <= _ROUNDING * ss else squares * (n / p) ** 2)

    @property
    def effective_blocks(self) -> float:
        """(Σs²)²/Σs⁴, the number of equal blocks that would vary as much as these do."""
        squares, fourths = float(self.values[3]), float(self.values[6])
        return squares * squares / fourths if fourths > 0.0 else float(self.n_blocks)
