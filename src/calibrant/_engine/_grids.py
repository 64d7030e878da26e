r"""Random grids: the total variation Laplacian as the probability of sharing a cell.

:math:`\exp(-|d|/s)` is the probability that two points at distance d lie in the same interval of
a grid with random pitch, Gamma(2, s), and random shift (Rahimi and Recht, 2007). The product over
the classes is the probability of sharing a cell of a grid over the simplex. At small bandwidths few
pairs of rows share a cell, and a few grids approximate the kernel better than many cosines.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibrant._engine._resampling import LabelResampler
from calibrant._native import FloatArray


@dataclass(frozen=True, eq=False)
class RandomGrids:
    """Grids over the simplex, with cells hashed into buckets.

    Parameters
    ----------
    pitch, shift : arrays of shape (n_grids, m)
        Width and offset of the intervals of every class.
    factors : array of uint64, shape (m,)
        Odd multipliers of the hash.
    n_buckets : int
        Number of buckets, at most 65,536; a prime spreads them best.
    """

    pitch: FloatArray
    shift: FloatArray
    factors: npt.NDArray[np.uint64]
    n_buckets: int

    @classmethod
    def draw(
        cls, n_classes: int, bandwidth: float, n_grids: int, n_buckets: int, seed: int
    ) -> RandomGrids:
        """Draw grids of exp(−TV/bandwidth) from a seed."""
        uniforms = LabelResampler(seed, stream=5).uniforms(range(n_classes), range(4 * n_grids))
        first, second, shift, bits = uniforms.reshape(4, n_grids, n_classes)
        pitch = -2.0 * bandwidth * np.log((1.0 - first) * (1.0 - second))
        odd = (bits[0] * 2.0**53).astype(np.uint64) * np.uint64(2) + np.uint64(1)
        return cls(np.maximum(pitch, 1e-9), shift, odd, n_buckets)

    def buckets(self, y_prob: FloatArray) -> npt.NDArray[np.uint16]:
        """Return the bucket of every row in every grid, shape (n_grids, n); O(n·m·n_grids)."""
        golden = np.uint64(0x9E3779B97F4A7C15)
        out = np.empty((len(self.pitch), len(y_prob)), np.uint16)
        for k, (pitch, shift) in enumerate(zip(self.pitch, self.shift, strict=True)):
            cells = np.floor(y_prob / pitch + shift).astype(np.uint64)
            mixed = (cells * self.factors).sum(axis=1, dtype=np.uint64)
            mixed ^= mixed >> np.uint64(31)
            out[k] = ((mixed * golden) >> np.uint64(32)) % np.uint64(self.n_buckets)
        return out
