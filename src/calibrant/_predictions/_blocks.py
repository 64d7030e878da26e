"""Rows that come in blocks: from memory, or from files that are larger than it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from calibrant._predictions._predictions import Predictions
from calibrant._threads import still_wanted

if TYPE_CHECKING:
    from collections.abc import Iterator


class RowSource(Protocol):
    """Numbered rows that can be read in blocks, again and again, and sent to a worker."""

    @property
    def n_samples(self) -> int:
        """The number of rows."""

    @property
    def n_classes(self) -> int:
        """The number of classes."""

    def blocks(self, rows: range, size: int) -> Iterator[Predictions]:
        """Yield consecutive rows, `size` at a time; the last block may be shorter."""


def row_blocks_of(
    source: Predictions | RowSource, rows: range, size: int
) -> Iterator[tuple[int, Predictions]]:
    """Yield the number of the first row and the rows, `size` at a time."""
    if isinstance(source, Predictions):
        for start in range(rows.start, rows.stop, size):
            still_wanted()
            yield start, source.take(slice(start, min(start + size, rows.stop)))
        return
    start = rows.start
    for block in source.blocks(rows, size):
        still_wanted()
        yield start, block
        start += len(block)
