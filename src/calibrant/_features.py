r"""Random Fourier features of the Laplacian of total variation.

:math:`\exp(-TV(p, q)/\nu) = \prod_c \exp(-|p_c - q_c|/(2\nu))` is the characteristic function of
independent Cauchy frequencies with scale :math:`1/(2\nu)` at :math:`p - q`, so with D draws ω the
features :math:`D^{-1/2}(\cos \omega^\top p, \sin \omega^\top p)` have inner products that
approximate the kernel, and equal it in expectation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant._resampling import LabelResampler

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibrant._typing import FloatArray


@dataclass(frozen=True, eq=False)
class FourierFeatures:
    """Features of Laplacian kernels of one or more bandwidths, side by side."""

    draws: FloatArray  # (m, D) standard Cauchy variates
    bandwidths: tuple[float, ...]

    @classmethod
    def draw(
        cls, n_classes: int, bandwidths: Sequence[float], n_frequencies: int, seed: int
    ) -> FourierFeatures:
        """Draw frequencies from a seed; every bandwidth scales the same draws."""
        uniforms = LabelResampler(seed, stream=1).uniforms(range(n_frequencies), range(n_classes))
        return cls(np.tan(np.pi * (uniforms - 0.5)), tuple(bandwidths))

    @property
    def n_features(self) -> int:
        """Features of one bandwidth, 2·D."""
        return 2 * self.draws.shape[1]

    def transform(self, y_prob: FloatArray) -> FloatArray:
        """Return the features of rows (n, m), shape (n, n_bandwidths·n_features); O(n·m·D)."""
        out = np.empty((len(y_prob), len(self.bandwidths), 2, self.draws.shape[1]))
        projections = y_prob @ self.draws
        for k, bandwidth in enumerate(self.bandwidths):
            angles = (0.5 / bandwidth) * projections
            np.cos(angles, out=out[:, k, 0])
            np.sin(angles, out=out[:, k, 1])
        out *= self.draws.shape[1] ** -0.5
        return out.reshape(len(y_prob), -1)
