"""Label sets of clustered rows: exact marginals, with noise shared within clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from calibrant import _native
from calibrant._engine._coupling import Coupling, estimate_coupling
from calibrant._engine._resampling import (
    LabelArray,
    LabelResampler,
    check_draw,
    labels_below,
    philox4x32,
)
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions, refuse_soft

#: entries of the NumPy twin's temporaries
_CHUNK = 1 << 18
#: the largest uniform below 1
_LARGEST = 1.0 - 2.0**-53
_LOW, _SHIFT = np.uint64(0xFFFF_FFFF), np.uint64(32)


@dataclass(frozen=True)
class CoupledResampler(LabelResampler):
    r"""Draw labels Y ~ Cat(p) that depend on each other within a cluster.

    With the uniform u of `LabelResampler`: if :math:`u < \lambda`, the label is the class with the
    smallest :math:`E_c / p_c`, with exponentials E keyed by seed, stream, cluster and replicate;
    otherwise it is the label of the uniform :math:`(u - \lambda)/(1 - \lambda)`. Both have exactly
    the distribution p, and so does every label. The bits are the same in both cores, on any number
    of threads, and for any split of rows and replicates.

    Parameters
    ----------
    seed, stream
        See `LabelResampler`.
    coupling : float in [0, 1]
        The probability λ that a row uses the noise of its cluster.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant import Predictions
    >>> from calibrant._engine import CoupledResampler
    >>> rows = Predictions([0, 1, 1, 0], [0.5, 0.5, 0.5, 0.5], clusters=["a", "a", "b", "b"])
    >>> labels = CoupledResampler(seed=1, coupling=1.0).draw(rows, range(1000))
    >>> bool((labels[:, 0] == labels[:, 1]).all()), bool((labels[:, 1] == labels[:, 2]).all())
    (True, False)

    With full coupling and equal predictions, rows of a cluster have the same label.
    """

    coupling: float = 0.0

    def draw(
        self, predictions: Predictions, replicates: range | tuple[int, int], *, first_row: int = 0
    ) -> LabelArray:
        """Draw a label for every row in every replicate, shape (R, n_samples); O(n·R·m)."""
        if predictions.clusters is None:
            raise ValueError("coupled labels need clusters; got rows without them.")
        p, rows, replicates, labels = check_draw(predictions.y_prob, replicates, first_row)
        codes = predictions.clusters.view(np.uint64)
        order = _cluster_by_cluster(predictions.clusters)
        core = _native.active()
        if core is None:
            self._fill(p, codes, order, rows, replicates, labels)
        else:
            core.coupled_labels(
                p, codes, order, labels, self.coupling, self.seed, self._shared_seed,
                self.stream, rows.start, replicates.start,
            )  # fmt: skip
        return labels

    @property
    def _shared_seed(self) -> int:
        return (self.seed ^ (0x9E3779B97F4A7C15 * (self.stream + 1))) & ((1 << 64) - 1)

    def _fill(
        self,
        p: FloatArray,
        codes: npt.NDArray[np.uint64],
        order: IntArray,
        rows: range,
        replicates: range,
        labels: npt.NDArray[Any],
    ) -> None:
        height = max(2, _CHUNK // (len(p) * p.shape[1]) // 2 * 2)
        first = np.flatnonzero(np.append(True, codes[order][1:] != codes[order][:-1]))
        cluster = np.empty(len(p), dtype=np.int64)
        cluster[order] = np.repeat(np.arange(len(first)), np.diff(np.append(first, len(p))))
        with np.errstate(divide="ignore"):
            rates = 1.0 / p
        cumulated = np.cumsum(p, axis=1)
        rest = 1.0 - self.coupling
        for start in range(0, len(replicates), height):
            some = replicates[start : start + height]
            noise = self._exponentials(codes[order[first]], p.shape[1], some)
            best = np.argmin(noise[:, cluster] * rates, axis=2)
            u = self.uniforms(rows, some)
            above = (u - self.coupling) / rest if rest > 0.0 else np.zeros_like(u)
            own = labels_below(cumulated, np.clip(above, 0.0, _LARGEST))
            labels[start : start + height] = np.where(u < self.coupling, best, own)

    def _exponentials(
        self, codes: npt.NDArray[np.uint64], n_classes: int, replicates: range
    ) -> FloatArray:
        """Return the noise of clusters, shape (R, n_clusters, n_classes)."""
        pairs = np.arange(replicates.start // 2, (replicates.stop + 1) // 2, dtype=np.uint64)
        counter = (
            (codes & _LOW)[None, :, None],
            (codes >> _SHIFT)[None, :, None],
            pairs[:, None, None],
            np.arange(n_classes, dtype=np.uint64)[None, None, :],
        )
        w0, w1, w2, w3 = philox4x32(counter, self._shared_seed)
        both = np.stack([exponentials(w0, w1), exponentials(w2, w3)], axis=1)
        skip = replicates.start % 2
        return both.reshape(2 * len(pairs), len(codes), n_classes)[skip : skip + len(replicates)]


def exponentials(high: npt.NDArray[np.uint64], low: npt.NDArray[np.uint64]) -> FloatArray:
    """Return −log u for u = (52 bits + ½)/2⁵² of two words, by the steps of the native core."""
    six = np.uint64(6)
    u = ((high >> six) * 67108864.0 + (low >> six) + 0.5) * 2.0**-52
    f, exponent = np.frexp(u)
    small = f < 0.7071067811865476
    f = np.where(small, 2.0 * f, f)
    scale = exponent - small.astype(np.float64)
    s = (f - 1.0) / (f + 1.0)
    z = s * s
    series = np.full_like(z, 1.0 / 17.0)
    for odd in (15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0):
        series = series * z + 1.0 / odd
    return np.asarray(-(scale * 0.6931471805599453 + 2.0 * s * series))


def resampler_for(
    predictions: Predictions, rng: np.random.Generator, stream: int = 0
) -> LabelResampler:
    """Return the resampler of some rows, coupled if they have dependent clusters."""
    return couple(LabelResampler.from_rng(rng, stream), coupling_of_rows(predictions))


def couple(resampler: LabelResampler, coupling: Coupling | None) -> LabelResampler:
    """Return the same resampler for independent rows, or a coupled one if λ > 0."""
    if coupling is None or coupling.used == 0.0:
        return resampler
    return CoupledResampler(resampler.seed, resampler.stream, coupling.used)


def coupling_of_rows(predictions: Predictions) -> Coupling | None:
    """Return how the labels of a cluster depend on each other, or None without clusters.

    This is called before labels are drawn, so it refuses soft labels.
    """
    refuse_soft(predictions, "drawing label sets")
    return None if predictions.clusters is None else estimate_coupling(predictions)


def _cluster_by_cluster(codes: IntArray) -> IntArray:
    """Return row numbers grouped by cluster, with clusters in order of first appearance."""
    _, first, index = np.unique(codes, return_index=True, return_inverse=True)
    return np.argsort(first[index], kind="stable")
