r"""Class-wise errors: how often each class occurs, and how far its odds are off.

Each class has two scores, its total :math:`b_c = \sum_i w_i r_{ic}` and
:math:`a_c = \sum_i w_i r_{ic} g(p_{ic})`, where g is the logarithm in sixteen levels. Together they
are the score of vector scaling, softmax(a∘log p + b), and their quadratic form in the exact
conditional covariance detects class-wise slopes and shifts. The negative logarithm of the harmonic
mean of the two-sided tails of the totals detects a single class predicted too often or too rarely.
It is nearly exponential, a member of the Pearson III family, which corrects its level. The sum of
squares :math:`\sum_c b_c^2 / Var\, b_c` detects many classes that are each off by less.
The largest total :math:`\max_c |b_c|` detects a common class among rare ones, which the most
surprising total can miss.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from calibrant._engine import LabelSets, cell_sums, own_cell_sums
from calibrant._native import FloatArray
from calibrant.methods._pearson import pearson3_sf

#: levels of the logarithm between its floor and 0
LEVELS = 16
#: largest number of classes with covariances between classes; above it, each class has a 2×2 block
CROSS_CLASSES = 128
#: added to the correlations of the scores, one of which is always a sum of others
RIDGE = 1e-6
#: entries of a table of levels filled at a time
_TABLE = 1 << 20
#: totals are rounded to this fraction of their deviation, or to one row if that is more
_STEP = 1.0 / 64.0


def log_levels(p: FloatArray, floor: float) -> npt.NDArray[np.uint16]:
    """Return the level of log max(p, floor) for every p; 0 at the floor."""
    depth = 1.0 - np.log(np.maximum(p, floor)) / np.log(floor)
    return np.asarray(np.minimum(depth * LEVELS, LEVELS - 1).astype(np.uint16))


def level_values(floor: float) -> FloatArray:
    """Return g, the logarithm at the middle of every level."""
    return np.asarray(np.log(floor) * (1.0 - (np.arange(LEVELS) + 0.5) / LEVELS))


@dataclass(frozen=True, eq=False)
class ClassMoments:
    """Exact conditional moments of the class scores, which add up over parts of the rows."""

    expected: FloatArray  # (m, LEVELS) Σ w p by level
    squared: FloatArray  # (m, LEVELS) Σ w² p by level
    products: FloatArray  # Σ w² x xᵀ of x = (p, p∘g): (2m, 2m), or (m, 2, 2) for many classes
    third: FloatArray  # (m,) Σ w³ p(1 − p)(1 − 2p)

    @classmethod
    def of(
        cls,
        p: FloatArray,
        weights: FloatArray,
        levels: npt.NDArray[np.uint16],
        floor: float,
        cross_classes: int = CROSS_CLASSES,
    ) -> ClassMoments:
        """Sum over rows with distributions p (n, m); O(n·m²), O(n·m) for many classes."""
        m, w = p.shape[1], weights[:, None]
        expected, squared = (
            own_cell_sums(levels, p, factor, LEVELS) for factor in (weights, weights**2)
        )
        total, scaled = w * p, w * p * level_values(floor)[levels]
        if m <= cross_classes:
            x = np.concatenate([total, scaled], axis=1)
            products = x.T @ x
        else:
            squares = (total, total), (total, scaled), (scaled, scaled)
            aa, ab, bb = (np.einsum("ic,ic->c", one, other) for one, other in squares)
            products = np.stack([aa, ab, ab, bb], axis=1).reshape(m, 2, 2)
        third = weights**3 @ (p * (1.0 - p) * (1.0 - 2.0 * p))
        return cls(expected, squared, products, third)

    def __add__(self, other: ClassMoments) -> ClassMoments:
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return ClassMoments(*(one + two for one, two in pairs))

    def scores(self, sums: FloatArray, floor: float) -> FloatArray:
        """Return (b, a) of label sets from their sums by level (R, m, LEVELS): (R, 2, m)."""
        basis = np.stack([np.ones(LEVELS), level_values(floor)], axis=1)
        # without BLAS, whose bits depend on the number of label sets
        found = np.einsum("rck,ka->rca", sums, basis)
        return np.ascontiguousarray(np.moveaxis(found - self.expected @ basis, 2, 1))

    def covariance(self, floor: float) -> FloatArray:
        """Return the covariance of (b, a): (2m, 2m), or (m, 2, 2) for many classes."""
        g, m = level_values(floor), len(self.third)
        own = self.squared @ np.stack([np.ones(LEVELS), g, g**2]).T  # Σ w² p (1, g, g²)
        if self.products.ndim == 3:
            return np.moveaxis(own.T[[[0, 1], [1, 2]]], 2, 0) - self.products
        blocks = -self.products.reshape(2, m, 2, m)
        each = np.arange(m)
        for a in range(2):
            for b in range(2):
                blocks[a, each, b, each] += own[:, a + b]
        return blocks.reshape(2 * m, 2 * m)


def level_sums(
    levels: npt.NDArray[np.uint16], weights: FloatArray, label_sets: LabelSets
) -> FloatArray:
    """Return the weights of rows with label c at level k of class c, (R, m, LEVELS); O(n·R)."""
    out = np.zeros((len(label_sets), levels.shape[1], LEVELS))
    cell_sums(levels, weights, label_sets, out)
    return out


def class_statistics(
    p: FloatArray, weights: FloatArray, label_sets: LabelSets, floor: float, table: int = _TABLE
) -> tuple[FloatArray, FloatArray]:
    """Return the statistics of scaling and of the class totals, (1, R) and (1 or 3, R)."""
    levels = log_levels(p, floor)
    moments = ClassMoments.of(p, weights, levels, floor)
    scale = ScoreScale.of(moments, floor)
    size = max(64, table // (p.shape[1] * LEVELS) // 64 * 64)
    found = []
    for start in range(0, len(label_sets), size):
        some = label_sets.sets(range(start, min(start + size, len(label_sets))))
        found.append(scale.statistics(level_sums(levels, weights, some)))
    scaling, bias = (np.concatenate(parts, axis=1) for parts in zip(*found, strict=True))
    return scaling, bias


@dataclass(frozen=True, eq=False)
class ScoreScale:
    """The scale of the class scores, the same for all label sets."""

    moments: ClassMoments
    floor: float
    sd: FloatArray  # (2, m)
    inverse: FloatArray  # of the correlations, (2m, 2m) or (m, 2, 2)
    mean: float  # of the quadratic form

    @classmethod
    def of(cls, moments: ClassMoments, floor: float) -> ScoreScale:
        """Invert the correlations of the scores; O(m³), O(m) for many classes."""
        covariance, m = moments.covariance(floor), len(moments.third)
        if covariance.ndim == 2:
            variance = np.diag(covariance).reshape(2, m)
        else:
            variance = np.einsum("caa->ac", covariance)
        # a class that is certain in every row leaves rounding errors of the size of Σ w²
        rounding = 1e-9 * float(moments.squared.sum())
        sd = np.sqrt(np.where(variance > rounding, variance, 0.0))
        rate = np.divide(1.0, sd, out=np.zeros_like(sd), where=sd > 0.0)
        flat = rate.ravel() if covariance.ndim == 2 else rate.T
        correlation = covariance * flat[..., :, None] * flat[..., None, :]
        inverse = np.linalg.inv(correlation + RIDGE * np.eye(correlation.shape[-1]))
        mean = float(np.sum(inverse * correlation))  # the trace of a product, both symmetric
        return cls(moments, floor, sd, np.asarray(inverse, dtype=np.float64), mean)

    def statistics(self, sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the statistics of scaling (1, R) and of the class totals (1 or 3, R).

        Those of the totals are the most surprising one, the sum of squares, and the largest one.
        Two classes have one total, and thus one statistic.
        """
        scores = self.moments.scores(sums, self.floor)
        totals = scores[:, 0]
        bias = [-np.log(self.total_tails(totals))]
        if totals.shape[1] > 2:
            bias += [self._squares(totals), self._largest(totals)]
        return self.quadratic(scores)[None], np.stack(bias)

    def _squares(self, totals: FloatArray) -> FloatArray:
        """Return Σ_c b_c²/Var b_c for totals (R, m)."""
        sd = self.sd[0]
        z = np.divide(totals, sd, out=np.zeros_like(totals), where=sd > 0.0)
        return np.asarray(np.einsum("rc,rc->r", z, z))

    def _largest(self, totals: FloatArray) -> FloatArray:
        """Return max_c |b_c| for totals (R, m); a class without variance leaves rounding only."""
        return np.asarray(np.max(np.where(self.sd[0] > 0.0, np.abs(totals), 0.0), axis=1))

    def quadratic(self, scores: FloatArray) -> FloatArray:
        """Return sᵀ Σ⁻¹ s minus its mean, for scores (R, 2, m)."""
        z = np.divide(scores, self.sd, out=np.zeros_like(scores), where=self.sd > 0.0)
        if self.inverse.ndim == 3:
            return np.asarray(np.einsum("rac,cab,rbc->r", z, self.inverse, z) - self.mean)
        flat = z.reshape(len(z), -1)
        products = np.einsum("ra,ab->rb", flat, self.inverse)
        return np.asarray(np.einsum("rb,rb->r", products, flat) - self.mean)

    def total_tails(self, totals: FloatArray) -> FloatArray:
        r"""Return the harmonic mean of the two-sided tails of b_c over the classes, shape (R,).

        Tails are Pearson III with the exact variance and skewness of every total: with normal
        tails, rare classes would dominate most label sets. Two classes count as one.
        """
        if totals.shape[1] == 2:
            return self._tails(totals[:, 1:], slice(1, 2))[:, 0]
        tails = self._tails(totals, slice(None))
        return np.asarray(tails.shape[1] / np.sum(1.0 / tails, axis=1))

    def _tails(self, totals: FloatArray, classes: slice) -> FloatArray:
        """Look up the tails in a table of the few values that occur for each class."""
        sd, mean = self.sd[0, classes], self.moments.expected[classes].sum(axis=1)
        fine = np.where(sd > 0.0, _STEP * sd, 1.0)
        # without weights, counts are whole numbers
        whole = np.array_equal(self.moments.expected, self.moments.squared) & (fine < 1.0)
        step: FloatArray = np.where(whole, 1.0, fine)
        origin = np.where(whole, mean, 0.0)
        at = np.rint((totals + origin) / step).astype(np.int64)
        low = at.min(axis=0)
        width = int((at - low).max()) + 1
        skewness = np.divide(
            self.moments.third[classes], sd**3, out=np.zeros_like(sd), where=sd > 0.0
        )
        if width >= len(totals):  # of few label sets a table has more entries than there are totals
            return two_sided_tails(at * step - origin, sd, skewness)
        deviation = (low[:, None] + np.arange(width)) * step[:, None] - origin[:, None]
        table = two_sided_tails(deviation, sd[:, None], skewness[:, None])
        return np.asarray(table[np.arange(len(sd)), at - low])


def two_sided_tails(deviation: FloatArray, sd: FloatArray, skewness: FloatArray) -> FloatArray:
    """Return two-sided Pearson III tails of totals; 1 for totals without variance."""
    away = np.abs(deviation)
    z = np.divide(away, sd, out=np.zeros_like(away), where=sd > 0.0)
    tails = 2.0 * pearson3_sf(np.minimum(z, 1e6), np.clip(np.sign(deviation) * skewness, -1e6, 1e6))
    return np.where(z > 0.0, np.minimum(tails, 1.0), 1.0)
