"""Thresholds for approximation, sampling and splitting, and limits of the memory in use.

They depend only on the shape of the data, never on the machine. They are in one place so that they
can be looked up, and made small in tests: ``with limited(segment_rows=4096):`` sends small data
through the code for large data. Tasks on threads and on workers use the limits of their caller.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The sizes that determine how results are computed, with the library's defaults."""

    # All pairs of rows, or fewer

    #: most rows, with up to this many classes, for which the reported SKCE uses all pairs instead
    #: of random features; with more classes fewer rows, in the same time
    exact_rows: int = 50_000
    exact_classes: int = 10
    #: most rows for which the aggregated test computes all pairs for every label set; twice as many
    #: from this many classes on, because their features take longer
    full_rows: int = 2000
    full_classes: int = 200
    #: rows above which tables omit errors over all pairs of rows, and the spread of a known SKCE
    #: comes from random features, except for two classes
    pair_rows: int = 20_000
    #: evenly spaced rows for a bandwidth, and for the common bandwidth of compared models
    bandwidth_rows: int = 2000
    all_bandwidth_rows: int = 8000
    #: most distances that are sorted rather than counted: those between 2,000 rows
    sorted_distances: int = 1 << 21
    #: with two classes: pairs per different row that are finally examined one by one; the number
    #: below which pairs are not narrowed down; and the number above which sorting gains nothing
    line_candidates: int = 4
    line_few: int = 1 << 16
    line_many: int = 1 << 23
    #: most rows for a spectrum of all rows, and size of the subsample above it
    spectrum_rows: int = 3000
    spectrum_sample: int = 1000
    #: rows whose triples give a third moment
    triangle_rows: int = 1000
    #: frequencies for each bandwidth in the aggregated test of many rows
    frequencies: int = 64
    #: number of probabilities from which tests stop early by default
    sequential_size: int = 1_000_000
    #: most rows of the clusters used to estimate the dependence within clusters
    coupling_rows: int = 100_000

    # Where

    #: most rows, and probabilities, for which `where` computes all pairs
    where_rows: int = 1000
    where_size: int = 250_000
    #: most classes that `where` tests one by one; the rarest of more are pooled
    where_classes: int = 1000
    #: landmark rows of `where` for larger data
    landmarks: int = 256
    #: fewer landmarks above these numbers of rows, where additional resolution matters little
    fewer_landmarks: tuple[tuple[int, int], ...] = ((200_000, 64), (20_000, 128))
    #: most entries of its vectors that are kept for all label sets
    where_kept: int = 1 << 24
    #: label sets of a task for few classes, and most bytes of sums in memory
    where_sets: int = 512
    where_bytes: int = 1 << 28

    # Effects, reports and plans

    #: above this many rows, maps are fitted in two folds, to this many rows of each
    two_fold_rows: int = 50_000
    training_rows: int = 25_000
    #: streamed rows that give a search its starting point, and most entries in memory
    start_rows: int = 10_000
    held_numbers: int = 1 << 25
    #: most values of streamed rows that are gathered, unless they are nearly equal
    gathered_values: int = 1 << 20
    #: minimum rows of a part of a bin
    bin_part_rows: int = 100
    #: most rows of streamed files in a report's memory, most entries of them, and minimum rows
    report_rows: int = 100_000
    report_size: int = 1 << 24
    fewest_report_rows: int = 10_000
    #: most bytes of a report's page
    page_bytes: int = 3_000_000
    #: limits of table rows and of all downloads, tried in turn until the page is small enough
    page_limits: tuple[tuple[int, int], ...] = (
        (1000, 1_000_000), (200, 500_000), (50, 200_000), (20, 0),
    )  # fmt: skip
    #: number of simulations in each round of a plan
    simulation_rounds: tuple[int, ...] = (100, 200, 200, 200)

    #: seconds from which users want to be told in advance; and rows times classes times label sets,
    #: or squared rows, that are fast on any machine
    long_seconds: float = 10.0
    short_work: float = 3e8
    #: seconds before a command shows its progress
    progress_delay: float = 2.0

    # Memory: results do not depend on these, except for rounding

    #: most bytes of labels, one per label up to 256 classes; and most labels for weighted bands
    label_bytes: int = 1 << 26
    band_labels: int = 1 << 22
    #: rows whose features and labels are in memory together
    chunk_rows: int = 4096
    #: rows of a segment, whose sums are completed before they are added to those of other segments
    segment_rows: int = 1 << 20
    #: bytes of prepared rows and labels that are kept for all label sets, or the size of the data
    #: if larger; if that is not enough, rows are prepared again for every `pass_bytes` of states
    kept_bytes: int = 1 << 29
    pass_bytes: int = 1 << 28
    #: label sets per task of such a pass; tasks share the prepared rows
    pass_sets: int = 32
    #: entries in the state of one task
    state_size: int = 1 << 23
    #: probabilities that are processed together while tables are filled
    table_size: int = 1 << 16
    #: label sets of a task for two classes, whose labels side by side take 64 bytes per row; and
    #: labels of a task, if that gives more label sets: their shared part is computed less often
    line_sets: int = 64
    line_labels: int = 1 << 17
    #: counts of a bootstrap, two bytes each
    bootstrap_counts: int = 40_000_000
    #: rows of a tile of distances that are counted
    distance_tile: int = 1024
    #: entries in the largest array of kernel values of a block of rows
    kernel_numbers: int = 1 << 20
    #: rows, and probabilities, that a lens processes together
    lens_rows: int = 1 << 14
    lens_size: int = 1 << 18
    #: uniform numbers that NumPy draws at a time
    drawn_numbers: int = 1 << 14
    #: probabilities that a generative model draws at a time
    model_numbers: int = 1 << 18
    #: CSV rows that the careful reader converts together, and bytes that the fast one parses; a
    #: longer line is not plain
    csv_rows: int = 8192
    csv_bytes: int = 1 << 20

    # The paper's experiments

    #: resamples of a test, and number of data sets that are computed together
    paper_resamples: int = 1000
    paper_batch: int = 100
    #: the published times are the minimum of this many runs
    timed_runs: int = 20
    #: data sets of every size for the comparison of error and running time
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
