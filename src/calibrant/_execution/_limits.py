"""From how many rows on something is approximated, sampled or cut, and how much is held at a time.

Every number is a choice of the shape of the data only, never of the machine. They stand in one
place to be looked up, and to be made small: ``with limited(segment_rows=4096):`` sends little
data along the ways of large data. Tasks on threads and on workers see the limits of their caller.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The sizes that decide how something is computed; the defaults are those of the library."""

    # All pairs of rows, or fewer

    #: rows of up to this many classes for which the reported SKCE is computed from all pairs, and
    #: from random features above; of more classes fewer, in the same time
    exact_rows: int = 50_000
    exact_classes: int = 10
    #: rows up to which the aggregated test computes all pairs for every label set; twice as many
    #: from this many classes on, whose features take longer
    full_rows: int = 2000
    full_classes: int = 200
    #: rows above which errors over all pairs of rows are left out of tables, and the spread of a
    #: known SKCE comes from random features, but for two classes
    pair_rows: int = 20_000
    #: evenly spaced rows from which a bandwidth is taken; of all models of a comparison together
    bandwidth_rows: int = 2000
    all_bandwidth_rows: int = 8000
    #: distances that are sorted rather than counted: those between 2,000 rows
    sorted_distances: int = 1 << 21
    #: of two classes: pairs of different rows, for each such row, that are looked at one by one in
    #: the end, and where fewer are never narrowed down; beyond the third nothing is gained
    line_candidates: int = 4
    line_few: int = 1 << 16
    line_many: int = 1 << 23
    #: rows up to which a spectrum is that of all rows, and rows of the subsample above
    spectrum_rows: int = 3000
    spectrum_sample: int = 1000
    #: rows whose triangles give a third moment
    triangle_rows: int = 1000
    #: frequencies of a bandwidth in the aggregated test of many rows
    frequencies: int = 64
    #: probabilities from which on tests stop early by default
    sequential_size: int = 1_000_000
    #: rows of the clusters from which the dependence inside clusters is taken
    coupling_rows: int = 100_000

    # Where

    #: rows, and probabilities, up to which `where` computes all pairs
    where_rows: int = 1000
    where_size: int = 250_000
    #: classes that `where` looks at one by one; the rarest of more are taken together
    where_classes: int = 1000
    #: landmark rows of `where` above that
    landmarks: int = 256
    #: above these numbers of rows there are fewer: what only more would resolve is small there
    fewer_landmarks: tuple[tuple[int, int], ...] = ((200_000, 64), (20_000, 128))
    #: numbers of its vectors that are kept for all label sets
    where_kept: int = 1 << 24
    #: label sets of a task for few classes, and bytes of the sums that are held at a time
    where_sets: int = 512
    where_bytes: int = 1 << 28

    # Effects, reports and plans

    #: above this many rows maps are fitted in two folds, to this many rows of each
    two_fold_rows: int = 50_000
    training_rows: int = 25_000
    #: of streamed rows: those on which a search starts, and numbers that may be held
    start_rows: int = 10_000
    held_numbers: int = 1 << 25
    #: values of streamed rows that are gathered at most, unless they are nearly equal
    gathered_values: int = 1 << 20
    #: the fewest rows of a part of a bin
    bin_part_rows: int = 100
    #: rows of streamed files that a report holds in memory, numbers in them, and never fewer rows
    report_rows: int = 100_000
    report_size: int = 1 << 24
    fewest_report_rows: int = 10_000
    #: bytes of a report's page
    page_bytes: int = 3_000_000
    #: rows of a table and characters of all downloads, tried in turn until a page is small enough
    page_limits: tuple[tuple[int, int], ...] = (
        (1000, 1_000_000), (200, 500_000), (50, 200_000), (20, 0),
    )  # fmt: skip
    #: simulations of each round of a plan
    simulation_rounds: tuple[int, ...] = (100, 200, 200, 200)

    #: seconds from which on you want to know beforehand how long a computation takes; and rows
    #: times classes times label sets, or squared rows, that cannot take long on any machine
    long_seconds: float = 10.0
    short_work: float = 3e8

    # Held in memory at once: the answers do not depend on these, but for rounding

    #: labels, in bytes: one a label up to 256 classes; and labels behind weighted bands
    label_bytes: int = 1 << 26
    band_labels: int = 1 << 22
    #: rows whose features and labels are held at a time
    chunk_rows: int = 4096
    #: rows of a segment, whose sums are added up before they join those of other segments
    segment_rows: int = 1 << 20
    #: bytes of prepared rows and labels that are kept for all label sets, or as many as the data
    #: has; where that is not enough, rows are prepared again for every `pass_bytes` of states
    kept_bytes: int = 1 << 29
    pass_bytes: int = 1 << 28
    #: label sets of a task of such a pass, which shares the prepared rows with others
    pass_sets: int = 32
    #: numbers in the state of one task
    state_size: int = 1 << 23
    #: probabilities that are looked at together while tables are filled
    table_size: int = 1 << 16
    #: label sets of a task of two classes: with their labels side by side, 64 bytes a row; and
    #: labels of a task, where that are more label sets: what they share is computed less often
    line_sets: int = 64
    line_labels: int = 1 << 17
    #: counts of a bootstrap, two bytes each
    bootstrap_counts: int = 40_000_000
    #: rows of a tile of distances that are counted
    distance_tile: int = 1024
    #: numbers in the largest array that a block of rows makes of a kernel
    kernel_numbers: int = 1 << 20
    #: rows, and probabilities, that a lens looks at together
    lens_rows: int = 1 << 14
    lens_size: int = 1 << 18
    #: uniform numbers that NumPy draws at once
    drawn_numbers: int = 1 << 14
    #: probabilities that a generative model draws at once
    model_numbers: int = 1 << 18
    #: of CSV: rows that the careful reader converts, and bytes that the fast one parses; a longer
    #: line is not plain
    csv_rows: int = 8192
    csv_bytes: int = 1 << 20

    # The paper's experiments

    #: resamples of a test, and data sets that are computed together
    paper_resamples: int = 1000
    paper_batch: int = 100
    #: the published times are the minimum of this many runs
    timed_runs: int = 20
    #: data sets of every number of rows, whose errors are set against the time they take
    precision_datasets: int = 200


_DEFAULT = Limits()
_current: ContextVar[Limits] = ContextVar("calibrant_limits", default=_DEFAULT)


def limits() -> Limits:
    """Return the limits in use."""
    return _current.get()


@contextmanager
def using_limits(chosen: Limits) -> Iterator[None]:
    """Compute with these limits inside a ``with`` block."""
    token = _current.set(chosen)
    try:
        yield
    finally:
        _current.reset(token)


def limited(**changes: Any) -> AbstractContextManager[None]:
    """Compute with some limits changed inside a ``with`` block."""
    return using_limits(replace(limits(), **changes))
