"""The statistics of label sets for few classes: all sums in one pass over the rows.

Every statistic is a sum over rows of a vector that depends only on the label. The vector of class 0
is added for every row; for other labels, `few_class_sums` adds the difference, six rows at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from calibrant._engine import LabelResampler, LabelSets, few_class_sums
from calibrant._execution import Parallel, Ticker, limits, run, run_shared, spans
from calibrant._followup.where._label_sets import (
    ClassSums,
    LabelSetSums,
    View,
    class_moments,
    directions_of,
    group_center,
    group_statistics,
    offsets_of,
)
from calibrant._native import FloatArray, IntArray

#: number of chunks of rows that are prepared together
TOGETHER = 4
#: entries after the features of a vector, and entries of a cache line, to which vectors are padded
_FURTHER, _LINE = 9, 16


@dataclass(frozen=True, eq=False)
class Plan:
    """A view with its label sets and groups of rows."""

    view: View
    resampler: LabelResampler
    #: the rows of every group in order; empty if it is not tested
    groups: tuple[IntArray, ...]
    #: the center of the probabilities of each group, for two classes
    centers: tuple[FloatArray | None, ...]

    @classmethod
    def make(cls, view: View, resampler: LabelResampler) -> Plan:
        """Prepare the groups."""
        groups = tuple(
            np.sort(group.rows) if k == 0 or group.tested else group.rows[:0]
            for k, partition in enumerate(view.partitions)
            for group in partition.groups
        )
        return cls(
            view, resampler, groups, tuple(group_center(view.predictions, rows) for rows in groups)
        )

    @property
    def width(self) -> int:
        """The number of entries of a vector."""
        return -(-(self.view.features.size + _FURTHER) // _LINE) * _LINE

    def passes(self, sets: range) -> list[range]:
        """Split label sets so that their sums fit into memory; each pass prepares rows again."""
        each = 8 * (self.view.predictions.n_classes - 1) * self.width * len(self.groups)
        return [sets[part] for part in spans(len(sets), max(64, limits().where_bytes // each))]

    def steps(self, sets: range, parallel: Parallel) -> int:
        """Return how often `few_class_statistics` ticks."""
        blocks = spans(len(self.view.predictions), TOGETHER * limits().chunk_rows)
        return len(self.passes(sets)) * (len(blocks) if parallel.is_plain else 1)


def few_class_statistics(
    plan: Plan, sets: range, parallel: Parallel, ticker: Ticker
) -> LabelSetSums:
    """Compute the sums of some label sets; O(n·R·F·m/6) for each partition of the rows.

    Rows are summed in the same order on threads and on any executor, for the same bits.
    """
    one_pass = _on_threads if parallel.is_plain else _on_executor
    return LabelSetSums.join([one_pass(plan, some, parallel, ticker) for some in plan.passes(sets)])


def _on_threads(plan: Plan, sets: range, parallel: Parallel, ticker: Ticker) -> LabelSetSums:
    quiet, chunks = (
        Parallel(parallel.n_jobs),
        spans(len(plan.view.predictions), limits().chunk_rows),
    )
    sums = [_Sums.empty(plan, sets[part]) for part in spans(len(sets), limits().where_sets)]
    fixed = _Fixed.empty(plan)
    for some in spans(len(chunks), TOGETHER):
        ready = list(run(partial(_prepare, plan), chunks[some], quiet))
        for parts in ready:
            fixed.add(parts)
        list(run(partial(_add_all, plan, ready), sums, quiet))
        ticker.tick()
    return LabelSetSums.join([_finish(plan, fixed, one) for one in sums])


def _on_executor(plan: Plan, sets: range, parallel: Parallel, ticker: Ticker) -> LabelSetSums:
    tasks = [sets[part] for part in spans(len(sets), limits().where_sets)]
    found = list(run_shared(_some_sets, plan, tasks, parallel.quiet()))
    ticker.tick()
    return LabelSetSums.join(found)


def _some_sets(plan: Plan, sets: range) -> LabelSetSums:
    fixed, sums = _Fixed.empty(plan), _Sums.empty(plan, sets)
    for chunk in spans(len(plan.view.predictions), limits().chunk_rows):
        parts = _prepare(plan, chunk)
        fixed.add(parts)
        _add_all(plan, [parts], sums)
    return _finish(plan, fixed, sums)


@dataclass(frozen=True, eq=False)
class _Part:
    """Rows of a group in a chunk: sums that depend on labels, and sums that do not."""

    group: int
    chunk: slice
    rows: IntArray
    #: the difference of each label to class 0, (m − 1, rows, width)
    vectors: FloatArray
    #: the sum over all rows with label 0, (width,)
    base: FloatArray
    #: Σ w p_c φ, (m, F)
    expected: FloatArray
    #: variances of the directions, (3,)
    variances: FloatArray
    #: Σ w²|φ|²
    scale: float
    #: the `class_moments`, (5, m)
    classes: FloatArray


@dataclass(eq=False)
class _Fixed:
    """Label-independent sums over the rows of every group."""

    base: FloatArray  # (groups, width)
    expected: FloatArray  # (groups, m, F)
    variances: FloatArray  # (groups, 3)
    scale: FloatArray  # (groups,)
    classes: FloatArray  # (groups, 5, m)

    @classmethod
    def empty(cls, plan: Plan) -> _Fixed:
        k, m, size = len(plan.groups), plan.view.predictions.n_classes, plan.view.features.size
        shapes = (k, plan.width), (k, m, size), (k, 3), (k,), (k, 5, m)
        return cls(*(np.zeros(shape) for shape in shapes))

    def add(self, parts: Sequence[_Part]) -> None:
        for part in parts:
            for name, total in vars(self).items():
                total[part.group] += getattr(part, name)


@dataclass(frozen=True, eq=False)
class _Sums:
    """Label-dependent sums by group, label set and class: (groups, R, m − 1, width)."""

    sets: range
    vectors: FloatArray

    @classmethod
    def empty(cls, plan: Plan, sets: range) -> _Sums:
        m = plan.view.predictions.n_classes
        return cls(sets, np.zeros((len(plan.groups), len(sets), m - 1, plan.width)))


def _prepare(plan: Plan, chunk: slice) -> list[_Part]:
    """Compute the vectors of some rows, group by group."""
    parts = []
    for k, (rows, center) in enumerate(zip(plan.groups, plan.centers, strict=True)):
        low, high = np.searchsorted(rows, [chunk.start, chunk.stop])
        if low < high:
            parts.append(_vectors(plan, k, chunk, rows[low:high], center))
    return parts


def _vectors(plan: Plan, k: int, chunk: slice, rows: IntArray, center: FloatArray | None) -> _Part:
    """Return the terms of some rows in the sums, for each label.

    After φ, a vector contains the weight of the class, its offset and square, the offset and square
    of class 0, which other labels subtract, and the square and directions of the group.
    """
    view, some = plan.view, plan.view.predictions.take(rows)
    p, w, m, size = some.y_prob, some.weights, some.n_classes, view.features.size
    features = w[:, None] * view.features.rows(rows)
    diagonal = np.einsum("if,if->i", features, features)
    own, offsets = diagonal[:, None] * (1.0 - 2.0 * p), offsets_of(p, view.centers)
    directions = directions_of(some, center)
    norms = diagonal * np.sum(p**2, axis=1)
    tables = [own + norms[:, None], *(terms for terms, _ in directions)]
    first = [w * offsets[:, 0], own[:, 0]]
    vectors = np.empty((m - 1, len(rows), plan.width))
    vectors[:, :, :size], vectors[:, :, size + _FURTHER :] = features, 0.0
    for c in range(1, m):
        own_class = [w, w * offsets[:, c], own[:, c]]
        changes = [table[:, c] - table[:, 0] for table in tables]
        for place, column in enumerate([*own_class, *first, *changes], start=size):
            vectors[c - 1, :, place] = column
    base = np.zeros(plan.width)
    base[:size], base[size] = features.sum(axis=0), w.sum()
    base[size + 3 : size + 5] = [one.sum() for one in first]
    base[size + 5 : size + 9] = [table[:, 0].sum() for table in tables]
    return _Part(
        k,
        chunk,
        rows,
        vectors,
        base,
        p.T @ features,
        np.array([spread for _, spread in directions]),
        float(diagonal.sum()),
        class_moments(p, w, diagonal, offsets),
    )


def _add_all(plan: Plan, ready: Sequence[Sequence[_Part]], sums: _Sums) -> None:
    """Draw labels for prepared rows and add their terms."""
    for parts in ready:
        chunk = parts[0].chunk
        labels = LabelSets.label_sets(
            plan.view.predictions.take(chunk), plan.resampler, sums.sets, first_row=chunk.start
        )
        for part in parts:
            mine = replace(labels, codes=labels.codes[part.rows - chunk.start])
            few_class_sums(part.vectors, mine, sums.vectors[part.group])


def _finish(plan: Plan, fixed: _Fixed, sums: _Sums) -> LabelSetSums:
    """Return the statistics of label sets from their sums."""
    n_all = len(plan.view.partitions[0].groups)
    classes = ClassSums.empty(len(sums.sets), plan.view)
    groups, size = [], plan.view.features.size
    for k, changed in enumerate(sums.vectors):
        total = fixed.base[k] + changed.sum(axis=1)
        vectors = np.empty((len(changed), len(fixed.expected[k]), size))
        vectors[:, 1:] = changed[:, :, :size]
        # class 0 has the rest
        vectors[:, 0] = fixed.base[k, :size] - changed[:, :, :size].sum(axis=1)
        vectors -= fixed.expected[k]
        own, *scores = total[:, size + 5 : size + 9].T
        groups.append(group_statistics(vectors, own, scores, fixed.variances[k], fixed.scale[k]))
        if k < n_all:
            others = changed[:, :, size : size + 5]
            first = fixed.base[k, [size, size + 3, size + 4]] - others[:, :, [0, 3, 4]].sum(axis=1)
            three = np.concatenate([first[:, None], others[:, :, :3]], axis=1)
            classes.add_sums(vectors, three, fixed.classes[k], fixed.scale[k])
    return LabelSetSums(*classes.statistics(), *np.stack(groups, axis=1))
