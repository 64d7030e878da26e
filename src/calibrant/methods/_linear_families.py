r"""The families of the aggregated test in one pass over the rows: random features and cells.

Family A becomes :math:`\sum_{f,c} (\sum_i \phi_{if} r_{ic})^2 - \sum_i |r_i|^2` with random Fourier
features φ of unit length, at the smallest bandwidth with random grids in their place; family C
puts every probability into one of a thousand cells and sums over pairs of cells. Both are exact
as tests (the approximate statistic is the same function of every label set), need time linear in
the number of rows, and their state adds up over parts of the rows. The other components are sums
over cells anyway.

What the sums are on average is computed once, in O(n·m); after that a label set takes O(n) and
the size of its state, however many classes there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from calibrant._engine import LabelSets
from calibrant._execution import (
    Parallel,
    Ticker,
    run,
    run_shared,
    single_threaded_blas,
    spans,
)
from calibrant._native import FloatArray
from calibrant._predictions import Predictions, RowSource, row_blocks_of
from calibrant.methods._families import Families
from calibrant.methods._linear_chunk import LinearChunk, add_records
from calibrant.methods._linear_plan import LinearPlan
from calibrant.methods._linear_state import LinearState

#: rows whose features and labels are held at once
CHUNK = 4096
#: rows of a segment, whose sums are added up before they join those of other segments
SEGMENT = 1 << 20
#: bytes of prepared rows and labels that are kept for all tasks, or as many as the data has;
#: where that is not enough, every task computes them again
KEPT_BYTES = 1 << 29

_Data = tuple[Predictions | RowSource, LinearPlan]


def linear_families(
    source: Predictions | RowSource, plan: LinearPlan, n_resamples: int, parallel: Parallel
) -> Families:
    """Compute the families for B + 1 label sets, one task for every few of them.

    Sums are made segment by segment of the rows and then added in order, in memory as on any
    executor: the bits are the same. Rows that are not in memory are read again by every task,
    and once more for what the labels have no say in. O(n·(m + R)) and the states of R label sets.
    """
    sets = range(n_resamples + 1)
    # as few tasks as may be, of equal size: each may have to prepare the rows again
    n_parts = -(-len(sets) // plan.sets_at_once)
    parts = [sets[part] for part in spans(len(sets), -(-len(sets) // n_parts))]
    segments = segments_of(source)
    if isinstance(source, Predictions) and parallel.is_plain:
        kept = source.n_samples * plan.row_bytes(len(sets))
        if kept <= max(KEPT_BYTES, source.y_prob.nbytes):
            return _in_memory(source, plan, parts, segments, parallel)
    shared = (source, plan)
    expected = add_records(run_shared(_segment_means, shared, segments, parallel.quiet()))
    tasks = [(part, segment) for part in parts for segment in segments]
    records = run_shared(_segment_sums, shared, tasks, parallel)
    families = []
    for part in parts:
        state = LinearState(plan, part)
        for _ in segments:
            state.add(next(records))
        families.append(_finish(state, expected))
    return Families.join(families)


def segments_of(source: Predictions | RowSource, multiple: int = CHUNK) -> list[range]:
    """Part the rows into segments: a choice of their number only."""
    rows = max(1, SEGMENT // multiple) * multiple
    every = range(source.n_samples)
    return [every[part] for part in spans(len(every), rows)]


def _finish(state: LinearState, expected: Mapping[str, FloatArray]) -> Families:
    with single_threaded_blas():  # sums of a BLAS depend on the number of its threads
        return state.families(expected)


def _segment_means(data: _Data, rows: range) -> dict[str, FloatArray]:
    source, plan = data
    blocks = row_blocks_of(source, rows, CHUNK)
    return add_records(
        LinearChunk.empty(plan, block, first_row).fill(plan, slice(0, block.n_samples))
        for first_row, block in blocks
    )


def _segment_sums(data: _Data, task: tuple[range, range]) -> dict[str, Any]:
    (source, plan), (part, rows) = data, task
    state = LinearState(plan, part)
    for first_row, block in row_blocks_of(source, rows, CHUNK):
        state.update(LinearChunk.prepare(plan, block, first_row))
    return state.arrays


def _in_memory(
    predictions: Predictions,
    plan: LinearPlan,
    parts: Sequence[range],
    segments: Sequence[range],
    parallel: Parallel,
) -> Families:
    """Prepare all rows and draw all labels once; then go through the label sets."""
    quiet = Parallel(parallel.n_jobs)
    sets = range(parts[0].start, parts[-1].stop)
    ticker = Ticker(parallel.progress, len(parts) + len(segments))
    kept = []
    means: list[dict[str, FloatArray]] = []
    for segment in segments:
        rows = predictions.take(slice(segment.start, segment.stop))
        chunk = LinearChunk.empty(plan, rows, segment.start)
        blocks = spans(len(segment), CHUNK)
        means.append(add_records(run(lambda some, to=chunk: to.fill(plan, some), blocks, quiet)))
        kept.append((chunk, *_draw_all(plan, chunk, sets, blocks, quiet)))
        ticker.tick()
    expected = add_records(means)

    def one(part: range) -> Families:
        states: Iterator[LinearState] = (
            _sum_part(plan, part, chunk, labels.sets(part), scores)
            for chunk, labels, scores in kept
        )
        total = next(states)
        for state in states:
            total.merge(state)
        ticker.tick()
        return total.families(expected)

    return Families.join(list(run(one, parts, quiet)))


def _draw_all(
    plan: LinearPlan, chunk: LinearChunk, sets: range, blocks: Sequence[slice], parallel: Parallel
) -> tuple[LabelSets, dict[str, FloatArray]]:
    """Return the labels of all rows and sets, and the sums of their row scores."""
    n_sets = len(sets)
    some = chunk.rows(slice(0, 1)).draw(plan, sets).codes
    codes = np.empty((chunk.predictions.n_samples, some.shape[1]), some.dtype)

    def draw(rows: slice) -> dict[str, FloatArray]:
        part = chunk.rows(rows)
        drawn = part.draw(plan, sets)
        codes[rows] = drawn.codes
        return part.row_scores(plan, drawn)

    scores = add_records(run(draw, blocks, parallel))
    return LabelSets(codes, n_sets, plan.n_classes), scores


def _sum_part(
    plan: LinearPlan,
    part: range,
    chunk: LinearChunk,
    labels: LabelSets,
    scores: Mapping[str, FloatArray],
) -> LinearState:
    state = LinearState(plan, part)
    state.add_tables(chunk, labels)
    state.add({name: sums[part.start : part.stop] for name, sums in scores.items()})
    return state
