"""The label resampler: labels drawn from the predictions, addressed by row and replicate."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from calibrant import _native
from calibrant._execution import limits
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions

LabelArray = npt.NDArray[np.uint8 | np.uint16 | np.uint32]
Words = npt.NDArray[np.uint64]

_LOW = np.uint64(0xFFFF_FFFF)


@dataclass(frozen=True)
class LabelResampler:
    """Draw labels Y ~ Cat(p) that depend only on seed, stream, row and replicate.

    The draw of a row in a replicate is the same, bit for bit, for any split into row ranges or
    replicates, on any number of threads, in the native core and in its NumPy twin.

    Parameters
    ----------
    seed : int in [0, 2⁶⁴)
        The key of the generator.
    stream : int in [0, 2³²), default 0
        Different streams of one seed are independent.

    Notes
    -----
    Philox4x32-10 [1]_ with the key `seed` maps the counter (row mod 2³², row div 2³², replicate div
    2, stream) to two uniforms u of 53 bits in [0, 1), for the even and the odd replicate. The label
    is the number of classes c < m − 1 with p_0 + … + p_c ≤ u·(p_0 + … + p_{m−1}), with sums in
    class order. So predictions need not be normalized, and a class with probability exactly 0 is
    never drawn.

    References
    ----------
    .. [1] J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, "Parallel random numbers: as
       easy as 1, 2, 3", SC11, 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant._engine._resampling import LabelResampler
    >>> y_prob = np.array([[0.2, 0.3, 0.5], [0.0, 1.0, 0.0], [0.9, 0.1, 0.0], [0.4, 0.4, 0.2]])
    >>> resampler = LabelResampler(seed=1)
    >>> whole = resampler.labels(y_prob, range(100))
    >>> part = resampler.labels(y_prob[2:], range(40, 60), first_row=2)
    >>> bool((whole[40:60, 2:] == part).all())
    True

    A part of the rows and replicates gets the same labels as in the whole.
    """

    seed: int
    stream: int = 0

    def __post_init__(self) -> None:
        """Check that seed and stream fit into the generator's key and counter."""
        object.__setattr__(self, "seed", _word("seed", self.seed, 64))
        object.__setattr__(self, "stream", _word("stream", self.stream, 32))

    @classmethod
    def from_rng(cls, rng: np.random.Generator, stream: int = 0) -> LabelResampler:
        """Create a resampler with a 64-bit seed from `rng`."""
        return cls(int(rng.integers(0, 1 << 64, dtype=np.uint64)), stream)

    def labels(
        self,
        y_prob: FloatArray,
        replicates: range | tuple[int, int],
        *,
        first_row: int = 0,
    ) -> LabelArray:
        """Draw a label for every row in every replicate.

        Cost: O(n·R·log m) time; memory of the result and a small buffer.

        Parameters
        ----------
        y_prob : array of shape (n_samples, n_classes)
            Non-negative probabilities; rows may have any positive sum.
        replicates : range or (start, stop)
            The R replicates to draw, inside [0, 2³³).
        first_row : int, default 0
            The number of the first row, if `y_prob` is part of a larger array.

        Returns
        -------
        array of shape (R, n_samples)
            Labels in the smallest sufficient unsigned type: uint8, uint16 or uint32.
        """
        p, rows, replicates, labels = check_draw(y_prob, replicates, first_row)
        core = _native.active()
        if core is None:
            self._fill_labels(p, rows, replicates, labels)
        else:
            core.resample_labels(p, labels, self.seed, self.stream, rows.start, replicates.start)
        return labels

    def draw(
        self, predictions: Predictions, replicates: range | tuple[int, int], *, first_row: int = 0
    ) -> LabelArray:
        """Draw a label for every row of some predictions, as `labels` does.

        Subclasses whose labels depend on more than the probabilities override this.
        """
        return self.labels(predictions.y_prob, replicates, first_row=first_row)

    def fill_codes(
        self,
        predictions: Predictions,
        replicates: range,
        codes: LabelArray,
        column: int,
        *,
        first_row: int = 0,
    ) -> None:
        """Write the labels of `draw` sample by sample: those of row i to ``codes[i, column:]``."""
        core = _native.active()
        # subclasses override `draw`
        if core is None or type(self) is not LabelResampler or not codes.flags.c_contiguous:
            labels = self.draw(predictions, replicates, first_row=first_row)
            codes[:, column : column + len(replicates)] = labels.T
            return
        core.resample_codes(
            np.ascontiguousarray(predictions.y_prob, dtype=np.float64),
            codes,
            column,
            len(replicates),
            self.seed,
            self.stream,
            first_row,
            replicates.start,
        )

    def event_counts(
        self, views: Sequence[Predictions], ids: IntArray, n_groups: int, replicates: range
    ) -> IntArray:
        """Return how often the second of two classes is drawn in each group of rows.

        The views have the same rows, `ids` (n_views, n_samples) are their groups, and the counts
        have shape (n_views, R, n_groups). The labels are those of `draw`, whose uniforms all views
        share, and are not stored. O(n·R).
        """
        counts = np.zeros((len(views), len(replicates), n_groups), np.int64)
        core = _native.active()
        if core is None or type(self) is not LabelResampler:
            for view, own, out in zip(views, ids, counts, strict=True):
                for k, labels in enumerate(self.draw(view, replicates)):
                    out[k] = np.bincount(own, labels, n_groups)
            return counts
        p = np.stack([view.y_prob for view in views]).astype(np.float64, copy=False)
        core.resample_counts(p, ids, counts, self.seed, self.stream, 0, replicates.start)
        return counts

    def uniforms(self, rows: range, replicates: range | tuple[int, int]) -> FloatArray:
        """Return the uniforms behind the labels: shape (len(replicates), len(rows)), in [0, 1)."""
        rows = _interval("rows", rows, 64)
        replicates = _interval("replicates", replicates, 33)
        core = _native.active()
        if core is None:
            return self._draw(rows, replicates)
        uniforms = np.empty((len(replicates), len(rows)))
        core.resample_uniforms(uniforms, self.seed, self.stream, rows.start, replicates.start)
        return uniforms

    def _fill_labels(
        self, p: FloatArray, rows: range, replicates: range, labels: npt.NDArray[Any]
    ) -> None:
        width = max(1, min(len(rows), limits().drawn_numbers // p.shape[1]))
        height = max(1, limits().drawn_numbers // width)
        for i in range(0, len(rows), width):
            cumulated = np.cumsum(p[i : i + width], axis=1)  # sequential, as in the native core
            for r in range(0, len(replicates), height):
                u = self._draw(rows[i : i + width], replicates[r : r + height])
                labels[r : r + height, i : i + width] = labels_below(cumulated, u)

    def _draw(self, rows: range, replicates: range) -> FloatArray:
        """Draw with NumPy, by pairs of replicates, skipping halves that are not needed."""
        pairs = range(replicates.start // 2, (replicates.stop + 1) // 2)
        uniforms = np.empty((len(pairs), 2, len(rows)))
        height = max(1, limits().drawn_numbers // max(1, len(rows)))
        row = np.uint64(rows.start) + np.arange(len(rows), dtype=np.uint64)
        for k in range(0, len(pairs), height):
            part = pairs[k : k + height]
            pair = np.arange(part.start, part.stop, dtype=np.uint64)[:, None]
            counter = (row & _LOW, row >> np.uint64(32), pair, np.uint64(self.stream))
            w0, w1, w2, w3 = philox4x32(counter, self.seed)
            uniforms[k : k + height, 0] = unit_interval(w0, w1)
            uniforms[k : k + height, 1] = unit_interval(w2, w3)
        skip = replicates.start % 2
        return uniforms.reshape(2 * len(pairs), len(rows))[skip : skip + len(replicates)]


def check_draw(
    y_prob: FloatArray, replicates: range | tuple[int, int], first_row: int
) -> tuple[FloatArray, range, range, LabelArray]:
    """Return checked probabilities, rows and replicates, and an array for their labels."""
    p = np.ascontiguousarray(y_prob, dtype=np.float64)
    if p.ndim != 2 or p.shape[1] < 1:
        raise ValueError(
            f"`y_prob` must have shape (n_samples, n_classes); got shape {p.shape}. "
            "Pass probabilities of one class as two columns."
        )
    rows = _interval("rows", range(first_row, first_row + len(p)), 64)
    replicates = _interval("replicates", replicates, 33)
    return p, rows, replicates, np.empty((len(replicates), len(p)), label_type(p.shape[1]))


def philox4x32(
    counter: tuple[npt.ArrayLike, npt.ArrayLike, npt.ArrayLike, npt.ArrayLike], seed: int
) -> tuple[Words, Words, Words, Words]:
    """Apply the ten rounds of Philox4x32 to arrays of 32-bit words stored in 64 bits."""
    w0, w1, w2, w3 = np.broadcast_arrays(*(np.asarray(w, np.uint64) for w in counter))
    key0, key1 = seed & 0xFFFF_FFFF, seed >> 32
    shift = np.uint64(32)
    for _ in range(10):
        low = w0 * np.uint64(0xD2511F53)
        high = w2 * np.uint64(0xCD9E8D57)
        w0, w1, w2, w3 = (
            (high >> shift) ^ w1 ^ np.uint64(key0),
            high & _LOW,
            (low >> shift) ^ w3 ^ np.uint64(key1),
            low & _LOW,
        )
        key0 = (key0 + 0x9E3779B9) & 0xFFFF_FFFF
        key1 = (key1 + 0xBB67AE85) & 0xFFFF_FFFF
    return w0, w1, w2, w3


def unit_interval(high: Words, low: Words) -> FloatArray:
    """Return numbers in [0, 1) with 53 bits from two words."""
    bits = (high >> np.uint64(5) << np.uint64(26)) | (low >> np.uint64(6))
    return bits * 2.0**-53


def labels_below(cumulated: FloatArray, uniforms: FloatArray) -> npt.NDArray[np.intp]:
    """Count, by bisection, the classes c < m − 1 with cumulated[i, c] ≤ u[r, i]·total[i]."""
    n, m = cumulated.shape
    width = 1 << (m - 1).bit_length()
    thresholds = np.full((n, width), np.inf)  # padding is never counted
    thresholds[:, : m - 1] = cumulated[:, :-1]
    target = uniforms * cumulated[:, -1]
    first = np.arange(n) * width
    at = np.broadcast_to(first, target.shape).copy()
    flat = thresholds.ravel()
    step = width // 2
    while step:
        at += np.where(flat[at + (step - 1)] <= target, step, 0)
        step //= 2
    labels: npt.NDArray[np.intp] = at - first
    return labels


def label_type(n_classes: int) -> type[np.uint8 | np.uint16 | np.uint32]:
    """Return the smallest unsigned type for the classes."""
    if n_classes <= 1 << 8:
        return np.uint8
    return np.uint16 if n_classes <= 1 << 16 else np.uint32


def _word(name: str, value: int, bits: int) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"`{name}` must be an integer; got {value!r}.") from None
    if not 0 <= number < 1 << bits:
        raise ValueError(
            f"`{name}` must be in [0, 2**{bits}); got {number}. "
            "Take one from a generator: `LabelResampler.from_rng(rng)`."
        )
    return number


def _interval(name: str, numbers: range | tuple[int, int], bits: int) -> range:
    interval = numbers if isinstance(numbers, range) else range(*numbers)
    if interval.step != 1 or interval.start < 0 or interval.stop > 1 << bits:
        raise ValueError(
            f"`{name}` must be consecutive and inside [0, 2**{bits}]; got {numbers}. "
            "Draw other selections interval by interval."
        )
    return range(interval.start, max(interval.start, interval.stop))
