r"""Local errors of the confidence, detected by a smooth test at several resolutions.

The event of a row is its predicted class, with probability q; with two classes also the positive
class, because an error may depend on the confidence or on the class. Rows are ordered by q and
placed at :math:`u \in [0, 1]`, the share of the variance :math:`\sum w^2 q(1-q)` below them, so
that equal steps carry equal information. The residuals of the event are projected onto
:math:`\cos(\pi k u)`, k = 0, 1, …, orthonormalized in their exact covariance (Neyman's smooth
test). :math:`T_K = \sum_{k \le K} (z_k^2 - 1)` detects errors that change sign up to K times
along the confidence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibrant._engine import LabelSets, binned, cell_sums
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions, event_classes

#: number of cosines in each statistic, in addition to the constant
ORDERS = (3, 6, 12)
#: cells of equal width in the arcsine of √q: fine near 0 and 1
CELLS = 2000
#: groups of cells with equal variance, on which the cosines are evaluated
GROUPS = 64
#: a basis function is dropped if the part that others do not explain is smaller than this
_RANK = 1e-6


@dataclass(frozen=True, eq=False)
class Confidence:
    """The event of each row: its class and cell, with the mean and variance of each cell."""

    events: IntArray  # (n,)
    cells: npt.NDArray[np.uint16]  # (n,)
    expected: FloatArray  # (CELLS,) Σ w q
    variance: FloatArray  # (CELLS,) Σ w² q(1 − q)

    @classmethod
    def of(cls, predictions: Predictions, events: IntArray | None = None) -> Confidence:
        """Sort rows into cells, for the events of `event_classes` or for given ones; O(n·m)."""
        events = event_classes(predictions) if events is None else events
        w = predictions.weights
        q = predictions.y_prob[np.arange(len(events)), events] / predictions.y_prob.sum(axis=1)
        q = np.clip(q, 0.0, 1.0)  # the sum of a row may differ from 1 by rounding
        place = np.arcsin(np.sqrt(q)) * (2.0 / np.pi)
        cells = np.minimum(place * CELLS, CELLS - 1).astype(np.uint16)
        return cls(
            events,
            cells,
            binned(cells, w * q, CELLS),
            binned(cells, w**2 * q * (1.0 - q), CELLS),
        )


def hit_sums(
    events: IntArray,
    cells: npt.NDArray[np.uint16],
    weights: FloatArray,
    label_sets: LabelSets,
    out: FloatArray,
) -> None:
    """Add the weights of rows in cell k to `out[b, y = event, k]`, shape (R, 2, n_cells)."""
    hits = (label_sets.codes == events[:, None]).view(np.uint8)
    cell_sums(cells[:, None], weights, LabelSets(hits, len(label_sets), 2), out)


@dataclass(frozen=True, eq=False)
class SmoothBasis:
    """Orthonormal functions of the confidence, constant on groups of cells."""

    groups: npt.NDArray[np.uint16]  # (CELLS,), ascending
    functions: FloatArray  # (GROUPS, 1 + max(ORDERS)), columns of zeros beyond the rank

    @classmethod
    def of(cls, variance: FloatArray) -> SmoothBasis:
        """Build the basis from the variance of every cell."""
        total = float(variance.sum())
        n_functions = 1 + max(ORDERS)
        if not total > 0.0:
            return cls(np.zeros(CELLS, np.uint16), np.zeros((GROUPS, n_functions)))
        place = (np.cumsum(variance) - 0.5 * variance) / total
        groups = np.minimum(place * GROUPS, GROUPS - 1).astype(np.uint16)
        spread = binned(groups, variance, GROUPS)
        # the place of a group, even an empty or heavy one, is the middle of its variance
        middle = (np.cumsum(spread) - 0.5 * spread) / total
        cosines = np.cos(np.pi * np.outer(middle, np.arange(n_functions)))
        return cls(groups, _orthonormal(cosines, spread))

    def statistics(self, deviations: FloatArray) -> FloatArray:
        """Return Σ_{k≤K} (z_k² − 1) for the sums of residuals (R, GROUPS), shape (3, R)."""
        # E z_k² is 1, or 0 for a function that was dropped
        exists = np.any(self.functions != 0.0, axis=0)
        # without BLAS, whose bits depend on the number of label sets
        excess = np.square(np.einsum("rg,gf->rf", deviations, self.functions)) - exists
        return np.ascontiguousarray(np.cumsum(excess, axis=1)[:, list(ORDERS)].T)

    def group_sums(self, cells: FloatArray) -> FloatArray:
        """Sum the cells of every group along the last axis."""
        starts = np.searchsorted(self.groups, np.arange(GROUPS))
        inside = starts < len(self.groups)
        sums = np.zeros((*cells.shape[:-1], GROUPS))
        filled = np.flatnonzero(inside & (np.diff(np.append(starts, len(self.groups))) > 0))
        sums[..., filled] = np.add.reduceat(cells, starts[filled], axis=-1)
        return sums


def every_event(predictions: Predictions) -> list[Confidence]:
    """Return the events to test: the predicted class, and with two classes the positive one."""
    events = [event_classes(predictions)]
    if predictions.n_classes == 2:
        events.append(predictions.y_prob.argmax(axis=1))
    return [Confidence.of(predictions, one) for one in events]


def confidence_statistics(predictions: Predictions, label_sets: LabelSets) -> FloatArray:
    """Return T_K of every event and label set, shape (3, R) or (6, R); O(n·(m + R))."""
    found = []
    for event in every_event(predictions):
        basis = SmoothBasis.of(event.variance)
        sums = np.zeros((len(label_sets), 2, GROUPS))
        groups = basis.groups[event.cells]
        hit_sums(event.events, groups, predictions.weights, label_sets, sums)
        found.append(basis.statistics(sums[:, 1] - basis.group_sums(event.expected)))
    return np.concatenate(found)


def cell_statistics(deviations: FloatArray, variance: FloatArray, n_classes: int) -> FloatArray:
    """Return the same statistics from the residuals of every cell (R, CELLS) and their variances.

    With two classes, the predicted class is the positive one above a half. Below, it is the other
    one, whose residual has the opposite sign, in the mirrored cell.
    """
    seen = [(deviations, variance)]
    if n_classes == 2:
        half = CELLS // 2
        folded, spread = np.zeros_like(deviations), np.zeros_like(variance)
        folded[:, half:] = deviations[:, half:] - deviations[:, half - 1 :: -1]
        spread[half:] = variance[half:] + variance[half - 1 :: -1]
        seen.append((folded, spread))
    bases = [(SmoothBasis.of(spread), values) for values, spread in seen]
    return np.concatenate([basis.statistics(basis.group_sums(values)) for basis, values in bases])


def _orthonormal(columns: FloatArray, variance: FloatArray) -> FloatArray:
    # Gram–Schmidt, twice for accuracy: f_j ⟂ f_k in ⟨f, g⟩ = Σ v f g
    basis = np.zeros_like(columns)
    for k, column in enumerate(columns.T):
        f = column.copy()
        for _ in range(2):
            f -= basis[:, :k] @ (basis[:, :k].T @ (variance * f))
        norm = float(variance @ f**2)
        if norm > _RANK * float(variance @ column**2):
            basis[:, k] = f / np.sqrt(norm)
    return basis
