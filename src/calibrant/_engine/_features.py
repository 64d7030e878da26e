r"""Random Fourier features of the Laplacian of total variation.

:math:`\exp(-TV(p, q)/\nu) = \prod_c \exp(-|p_c - q_c|/(2\nu))` is the characteristic function of
independent Cauchy frequencies with scale :math:`1/(2\nu)` at :math:`p - q`, so with D draws ω the
features :math:`D^{-1/2}(\cos \omega^\top p, \sin \omega^\top p)` have inner products that
approximate the kernel and equal it in expectation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrant import _native
from calibrant._engine._resampling import LabelResampler
from calibrant._execution import spans
from calibrant._native import FloatArray

#: rows whose features are computed and summed together, so that they stay in the cache
_ROWS = 128
#: above this many classes, `table`, `outer` and `smooth` multiply blocks of rows in single
#: precision and add them in double precision; the random features have an error of 1/√D anyway
_DOUBLE_CLASSES = 128


@dataclass(frozen=True, eq=False)
class FourierFeatures:
    """Features of Laplacian kernels of one or more bandwidths, side by side."""

    draws: FloatArray  # (m, D) standard Cauchy variates
    bandwidths: tuple[float, ...]

    @classmethod
    def draw(
        cls, n_classes: int, bandwidths: Sequence[float], n_frequencies: int, seed: int
    ) -> FourierFeatures:
        """Draw frequencies from a seed; all bandwidths scale the same draws."""
        uniforms = LabelResampler(seed, stream=1).uniforms(range(n_frequencies), range(n_classes))
        return cls(np.tan(np.pi * (uniforms - 0.5)), tuple(bandwidths))

    @property
    def n_features(self) -> int:
        """The number of features of one bandwidth, 2·D."""
        return 2 * int(self.draws.shape[1])

    @property
    def _number(self) -> Any:
        """The precision of products."""
        return np.float64 if len(self.draws) <= _DOUBLE_CLASSES else np.float32

    def first(self, n_frequencies: int, sums: FloatArray) -> tuple[FourierFeatures, FloatArray]:
        """Return the features of the first frequencies of one bandwidth, and their part of `sums`.

        The sums Σ_i v_i φ_iᵀ, shape (d, n_features), are those of all frequencies.
        """
        parts = sums.reshape(len(sums), 2, -1)[..., :n_frequencies]
        scale = np.sqrt(self.draws.shape[1] / n_frequencies)
        few = FourierFeatures(np.ascontiguousarray(self.draws[:, :n_frequencies]), self.bandwidths)
        return few, scale * parts.reshape(len(sums), -1)

    def transform(self, y_prob: FloatArray) -> FloatArray:
        """Return the features of rows (n, m), shape (n, n_bandwidths·n_features); O(n·m·D)."""
        out = np.empty((len(y_prob), len(self.bandwidths), 2, self.draws.shape[1]))
        self._fill(y_prob, out)
        return out.reshape(len(y_prob), -1)

    def table(self, y_prob: FloatArray) -> FloatArray:
        """Return the features that `outer` and `smooth` use, for one bandwidth, (n, n_features)."""
        out = np.empty((len(y_prob), 1, 2, self.draws.shape[1]))
        for rows in spans(len(y_prob), _ROWS):
            self._fill(y_prob[rows], out[rows], self._number)
        return out.reshape(len(y_prob), -1)

    def outer(
        self, y_prob: FloatArray, vectors: FloatArray, table: FloatArray | None = None
    ) -> FloatArray:
        """Return Σ_i v_i φ_iᵀ over rows with vectors (n, d), shape (d, n_features)."""
        total = np.zeros((vectors.shape[1], len(self.bandwidths) * self.n_features))
        number = self._number
        for rows, phi in self._blocks(y_prob, table):
            total += vectors[rows].T.astype(number, copy=False) @ phi.astype(number, copy=False)
        return total

    def smooth(
        self, y_prob: FloatArray, sums: FloatArray, table: FloatArray | None = None
    ) -> FloatArray:
        """Return S φ_i for every row with S of shape (d, n_features), shape (n, d)."""
        out = np.empty((len(y_prob), len(sums)))
        number = self._number
        sums = sums.astype(number, copy=False)
        for rows, phi in self._blocks(y_prob, table):
            out[rows] = phi.astype(number, copy=False) @ sums.T
        return out

    def _blocks(
        self, y_prob: FloatArray, table: FloatArray | None
    ) -> Iterator[tuple[slice, FloatArray]]:
        """Yield the features block by block, in reused memory."""
        out = np.empty((_ROWS, len(self.bandwidths), 2, self.draws.shape[1]))
        for rows in spans(len(y_prob), _ROWS):
            if table is not None:
                yield rows, table[rows]
                continue
            part = out[: rows.stop - rows.start]
            self._fill(y_prob[rows], part, self._number)
            yield rows, part.reshape(len(part), -1)

    def _fill(
        self,
        y_prob: FloatArray,
        out: FloatArray,
        number: type[np.float64 | np.float32] = np.float64,
    ) -> None:
        products = y_prob.astype(number, copy=False) @ self.draws.astype(number, copy=False)
        projections = products.astype(np.float64, copy=False)
        rates = 0.5 / np.array(self.bandwidths)
        scale = self.draws.shape[1] ** -0.5
        core = _native.active()
        if core is not None:
            core.fourier_features(projections, rates / (2.0 * np.pi), scale, out)  # in turns
            return
        for k, rate in enumerate(rates):
            angles = rate * projections
            np.cos(angles, out=out[:, k, 0])
            np.sin(angles, out=out[:, k, 1])
        out *= scale
