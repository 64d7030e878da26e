r"""Vectors whose inner products are the kernel values of pairs of rows.

With such vectors φ the pair sum of any part of the rows is a sum of squares,
:math:`\sum_{i \ne j} k_{ij} r_{ic} r_{jc} = |\sum_i r_{ic} \phi_i|^2 - \sum_i r_{ic}^2 |\phi_i|^2`,
and changing labels costs only additions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from calibrant._engine import sizes
from calibrant._execution import Limits, limits, spans
from calibrant._native import FloatArray, IntArray
from calibrant.kernels import ScalarKernel


@dataclass(frozen=True, eq=False)
class PairFeatures:
    """Vectors φ with ⟨φ_i, φ_j⟩ equal (``full``) or close (``landmarks``) to k(p_i, p_j), i ≠ j."""

    variant: Literal["full", "landmarks"]
    size: int
    #: |φ_i|², to subtract from the squares of sums; empty for lazy vectors
    squares: FloatArray
    x: FloatArray
    kernel: ScalarKernel
    landmarks: FloatArray
    #: maps kernel values at the landmarks to φ
    whiten: FloatArray
    kept: FloatArray | None

    @classmethod
    def make(
        cls,
        x: FloatArray,
        kernel: ScalarKernel,
        full_rows: int = Limits.where_rows,
        *,
        lazy: bool = False,
    ) -> PairFeatures:
        """Choose the vectors from the predictions, never the labels.

        Lazy vectors, each of which is needed only once, are not computed in advance, nor are their
        squares, unless there are few.
        """
        kept: FloatArray | None
        # every label set needs a vector for each class, so long vectors are slow for many classes
        small = len(x) <= limits().landmarks or x.size <= limits().where_size
        if len(x) <= full_rows and small:
            kept = shifted_root(kernel.tile(x, x))
            squares = np.einsum("if,if->i", kept, kept)
            empty = np.empty((0, 0))
            return cls("full", len(x), squares, x, kernel, empty, empty, kept)
        landmarks = x[sizes.evenly_spaced(len(x), sizes.landmark_rows(len(x)))]
        count = len(landmarks)
        root = shifted_root(kernel.tile(landmarks, landmarks))
        whiten = np.asarray(np.linalg.inv(root).T, dtype=np.float64)
        squares = np.empty(len(x))
        kept = np.empty((len(x), count)) if len(x) * count <= limits().where_kept else None
        if lazy and kept is None:
            squares = np.empty(0)
            return cls("landmarks", count, squares, x, kernel, landmarks, whiten, kept)
        for rows in spans(len(x), limits().chunk_rows):
            vectors = kernel.tile(x[rows], landmarks) @ whiten
            squares[rows] = np.einsum("if,if->i", vectors, vectors)
            if kept is not None:
                kept[rows] = vectors
        return cls("landmarks", count, squares, x, kernel, landmarks, whiten, kept)

    def rows(self, index: IntArray) -> FloatArray:
        """Return the vectors of some rows, shape (len(index), size)."""
        if self.kept is not None:
            return self.kept[index]
        return self.kernel.tile(self.x[index], self.landmarks) @ self.whiten


def shifted_root(gram: FloatArray) -> FloatArray:
    """Return L with L·Lᵀ equal to `gram` off the diagonal.

    The diagonal is raised until the matrix has a root. Pairs of different rows do not depend on it,
    so equal rows or a kernel that is not positive semi-definite do no harm.
    """
    n = len(gram)
    size = max(float(np.abs(np.diagonal(gram)).max()), np.finfo(float).tiny)
    shift = 1e-12 * n * size
    while True:
        try:
            return np.asarray(np.linalg.cholesky(gram + shift * np.eye(n)), dtype=np.float64)
        except np.linalg.LinAlgError:
            shift *= 100.0
