r"""The families of the aggregated test in one pass over the rows, by random features and cells.

Family A becomes :math:`\sum_{f,c} (\sum_i \phi_{if} r_{ic})^2 - \sum_i |r_i|^2` with random Fourier
features φ of unit length, or random grids at the smallest bandwidth. Family C puts every
probability into one of a thousand cells and sums over pairs of cells. Both are exact as tests,
because the approximate statistic is the same function of every label set. They take time linear in
the number of rows, and their state adds up over parts of the rows. The other components are sums
over cells anyway.

The expectations of the sums are computed once, in O(n·m). After that a label set takes O(n) and
the size of its state, for any number of classes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

import numpy as np

from calibrant import _native
from calibrant._engine import BATCH, LabelSets, label_type
from calibrant._execution import (
    Parallel,
    Ticker,
    count_jobs,
    limits,
    run,
    run_shared,
    single_threaded_blas,
    spans,
)
from calibrant._native import FloatArray
from calibrant._predictions import Predictions, RowSource, row_blocks_of
from calibrant.methods._families import Families
from calibrant.methods._linear_chunk import LinearChunk, add_records
from calibrant.methods._linear_plan import LinearPlan, preparation
from calibrant.methods._linear_state import LinearState

_Data = tuple[Predictions | RowSource, LinearPlan]


class LinearRows:
    """Rows of a test that processes its label sets in several parts.

    Everything independent of labels is computed for the first part; prepared rows are kept if there
    are few.
    """

    def __init__(self, source: Predictions | RowSource, plan: LinearPlan) -> None:
        self.source, self.plan = source, plan
        #: expectations of the sums over all rows
        self.expected: dict[str, FloatArray] = {}
        #: prepared rows, segment by segment
        self.chunks: list[LinearChunk] = []

    def families(self, sets: range, parallel: Parallel) -> Families:
        """Compute the families of some label sets; set 0 is the observed one.

        Sums are computed by segments of rows and added in order, so the bits are the same in memory
        and on any executor. Streamed rows are read again by every task, and once more for
        everything that does not depend on labels. O(n·(m + R)) time, and the states of R label
        sets.
        """
        source, plan = self.source, self.plan
        if isinstance(source, Predictions) and parallel.is_plain:
            kept = source.n_samples * plan.row_bytes(len(sets))
            few = kept <= max(limits().kept_bytes, source.y_prob.nbytes)
            return (_kept if few else _by_passes)(self, source, sets, parallel)
        segments = segments_of(source)
        # as few tasks as possible: each prepares its rows
        at_once = max(plan.sets_at_once, limits().pass_bytes // 2 // plan.state_bytes)
        parts = _equal_parts(sets, at_once)
        if not self.expected:
            means = run_shared(_segment_means, (source, plan), segments, parallel.quiet())
            self.expected = add_records(means)
        expected = self.expected
        if len(segments) == 1:  # sums stay local
            finished = run_shared(_part_families, (source, plan, expected), parts, parallel)
            return Families.join([Families(**one, bandwidths=plan.bandwidths) for one in finished])
        tasks = [(part, segment) for part in parts for segment in segments]
        records = run_shared(_segment_sums, (source, plan), tasks, parallel)
        families = []
        for part in parts:
            state = LinearState(plan, part)
            for _ in segments:
                state.add(next(records))
            families.append(_finish(state, expected))
        return Families.join(families)


def segments_of(source: Predictions | RowSource, multiple: int | None = None) -> list[range]:
    """Part the rows into segments: a choice of their number only."""
    multiple = multiple or limits().chunk_rows
    rows = max(1, limits().segment_rows // multiple) * multiple
    every = range(source.n_samples)
    return [every[part] for part in spans(len(every), rows)]


def _equal_parts(sets: range, most: int) -> list[range]:
    """Split label sets into as few ranges of equal size as possible."""
    n_parts = -(-len(sets) // most)
    return [sets[part] for part in spans(len(sets), -(-len(sets) // n_parts))]


def _finish(state: LinearState, expected: Mapping[str, FloatArray]) -> Families:
    with single_threaded_blas():  # BLAS sums depend on the number of threads
        return state.families(expected)


def _segment_means(data: _Data, rows: range) -> dict[str, FloatArray]:
    source, plan = data
    return add_records(
        LinearChunk.empty(plan, block, first_row).fill(plan, slice(0, block.n_samples))
        for first_row, block in row_blocks_of(source, rows, limits().chunk_rows)
    )


def _segment_sums(data: _Data, task: tuple[range, range]) -> dict[str, Any]:
    return _sum_rows(*data, *task).arrays


def _sum_rows(
    source: Predictions | RowSource, plan: LinearPlan, part: range, rows: range
) -> LinearState:
    state = LinearState(plan, part)
    for first_row, block in row_blocks_of(source, rows, limits().chunk_rows):
        state.update(LinearChunk.prepare(plan, block, first_row))
    return state


def _part_families(
    data: tuple[Predictions | RowSource, LinearPlan, Mapping[str, FloatArray]], part: range
) -> dict[str, Any]:
    source, plan, expected = data
    state = _sum_rows(source, plan, part, range(source.n_samples))
    return _finish(state, expected).arrays


def _kept(rows: LinearRows, predictions: Predictions, sets: range, parallel: Parallel) -> Families:
    """Prepare all rows and draw all labels once; then go through the label sets."""
    plan, quiet = rows.plan, Parallel(parallel.n_jobs)
    segments, parts = segments_of(predictions), _equal_parts(sets, plan.sets_at_once)
    # in label sets, whose parts may be few
    first = 0 if rows.chunks else -(-preparation(plan.n_classes) // len(segments))
    ticker = Ticker(parallel.progress, first * len(segments) + len(sets))
    if not rows.chunks:
        chunks = [_chunk_of(plan, predictions, segment) for segment in segments]
        means = not rows.expected
        found = [add_records(_fill(plan, chunk, quiet, means=means)) for chunk in chunks]
        rows.expected, rows.chunks = rows.expected or add_records(found), chunks
    drawn = []
    for chunk in rows.chunks:
        labels, scores = _draw(plan, chunk, sets, quiet)
        drawn.append((chunk, labels, add_records(scores)))
        ticker.tick(first)

    free: SimpleQueue[LinearState] = SimpleQueue()  # fresh memory costs as much as filling it

    def one(part: range) -> Families:
        total = _state_from(free, plan, part)
        for k, (chunk, labels, scores) in enumerate(drawn):
            state = LinearState(plan, part) if k else total
            _add_tables(chunk, labels, sets.start, state)
            state.add(_some_of(scores, _within(part, sets.start)))
            if k:
                total.merge(state)
        ticker.tick(len(part))
        found = total.families(rows.expected)
        if len(part) == len(parts[0]):  # the last ones may be fewer
            free.put(total)
        return found

    return Families.join(list(run(one, parts, quiet)))


def _by_passes(
    kept: LinearRows, predictions: Predictions, sets: range, parallel: Parallel
) -> Families:
    """Prepare some rows after the other, for as many label sets at a time as memory allows."""
    plan, quiet = kept.plan, Parallel(parallel.n_jobs)
    kept.chunks = []  # they do not fit next to the label sets
    segments, at_once = segments_of(predictions), min(limits().pass_sets, plan.sets_at_once)
    passes = _equal_parts(sets, max(at_once, limits().pass_bytes // plan.state_bytes))
    # few rows: their features stay in the cache while the label sets go by
    rows = limits().chunk_rows * max(2, count_jobs(parallel.n_jobs))
    blocks = [[segment[part] for part in spans(len(segment), rows)] for segment in segments]
    n_parts = sum(len(_equal_parts(some, at_once)) for some in passes)
    ticker = Ticker(parallel.progress, n_parts * sum(map(len, blocks)))
    expected, with_means = kept.expected, not kept.expected
    families: list[Families] = []
    room: LinearChunk | None = None  # allocating memory costs as much as filling it
    for some in passes:
        parts = _equal_parts(some, at_once)
        total = [LinearState(plan, part) for part in parts]
        for k, segment in enumerate(blocks):
            states = [LinearState(plan, part) for part in parts] if k else total
            means: dict[str, FloatArray] = {}
            scores: dict[str, FloatArray] = {}
            for block in segment:
                here = predictions.take(slice(block.start, block.stop))
                room = LinearChunk.empty(plan, here, block.start) if room is None else room
                chunk = room.reused(here, block.start)
                add_records(_fill(plan, chunk, quiet, means=with_means), means)
                labels, found = _draw(plan, chunk, some, quiet)
                add_records(found, scores)
                add = partial(_add_part, chunk, labels, some.start, ticker)
                list(run(add, states, quiet))
            for state in states:
                state.add(_some_of(scores, _within(state.sets, some.start)))
            if with_means:
                add_records([means], expected)
            if k:
                for one, other in zip(total, states, strict=True):
                    one.merge(other)
        with_means = False
        families += list(run(lambda state: state.families(expected), total, quiet))
    return Families.join(families)


def _state_from(free: SimpleQueue[LinearState], plan: LinearPlan, part: range) -> LinearState:
    try:
        return free.get_nowait().reused(part)
    except Empty:
        return LinearState(plan, part)


def _chunk_of(plan: LinearPlan, predictions: Predictions, rows: range) -> LinearChunk:
    """Allocate a chunk; `_fill` gives the same results for any split into multiples of a chunk."""
    return LinearChunk.empty(plan, predictions.take(slice(rows.start, rows.stop)), rows.start)


def _fill(
    plan: LinearPlan, chunk: LinearChunk, parallel: Parallel, *, means: bool = True
) -> Iterator[dict[str, FloatArray]]:
    blocks = spans(chunk.predictions.n_samples, limits().chunk_rows)
    return run(lambda rows: chunk.fill(plan, rows, means=means), blocks, parallel)


def _draw(
    plan: LinearPlan, chunk: LinearChunk, sets: range, parallel: Parallel
) -> tuple[LabelSets, list[dict[str, FloatArray]]]:
    """Return the labels of all rows and sets, and their row scores, block by block."""
    n, padded = chunk.predictions.n_samples, -(-len(sets) // BATCH) * BATCH
    codes = np.empty((n, padded), label_type(plan.n_classes))

    def draw(rows: slice) -> dict[str, FloatArray]:
        part = chunk.rows(rows)
        drawn = part.draw(plan, sets)
        codes[rows] = drawn.codes
        return part.row_scores(plan, drawn)

    scores = list(run(draw, spans(n, limits().chunk_rows), parallel))
    return LabelSets(codes, len(sets), plan.n_classes), scores


def _add_tables(chunk: LinearChunk, labels: LabelSets, first: int, state: LinearState) -> None:
    mine = labels.sets(_within(state.sets, first))
    if _native.active() is not None:
        state.add_tables(chunk, mine)
        return
    # the twin multiplies matrices, whose bits depend on the rows that are added together
    for rows in spans(chunk.predictions.n_samples, limits().chunk_rows):
        state.add_tables(chunk.rows(rows), mine.rows(rows))


def _add_part(
    chunk: LinearChunk, labels: LabelSets, first: int, ticker: Ticker, state: LinearState
) -> None:
    _add_tables(chunk, labels, first, state)
    ticker.tick()


def _within(sets: range, first: int) -> range:
    return range(sets.start - first, sets.stop - first)


def _some_of(scores: Mapping[str, FloatArray], sets: range) -> dict[str, FloatArray]:
    return {name: sums[sets.start : sets.stop] for name, sums in scores.items()}
