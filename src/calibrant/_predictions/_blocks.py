"""Rows in parts, from memory or from files larger than memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from calibrant._execution import spans, still_wanted
from calibrant._native import IntArray
from calibrant._predictions._predictions import Predictions, assemble


class RowSource(Protocol):
    """Numbered rows that can be read in parts, repeatedly, and sent to a worker.

    Streaming methods read a row source instead of `Predictions`. `io.PredictionScan` is one; any
    object with these members is, too.

    Examples
    --------
    >>> import calibrant as cal
    >>> from calibrant.streaming import RowSource
    >>> def count_classes(source: RowSource) -> int:
    ...     blocks = source.blocks(range(source.n_samples), size=1000)
    ...     return len({int(code) for block in blocks for code in block.y_true})
    """

    @property
    def n_samples(self) -> int:
        """The number of rows."""

    @property
    def n_classes(self) -> int:
        """The number of classes."""

    def blocks(self, rows: range, size: int) -> Iterator[Predictions]:
        """Yield consecutive rows, `size` at a time; the last block may be shorter."""

    def parts(self, rows: range) -> Iterator[tuple[Predictions, float]]:
        """Yield rows as stored, with the largest deviation of the row sums that were divided."""

    def fingerprint(self) -> str:
        """Return an identifier of these rows, computed from all of their bytes."""


def row_blocks_of(
    source: Predictions | RowSource, rows: range, size: int
) -> Iterator[tuple[int, Predictions]]:
    """Yield blocks of `size` rows, each with the number of its first row."""
    if isinstance(source, Predictions):
        for part in spans(len(rows), size):
            still_wanted()
            here = rows[part]
            yield here.start, source.take(slice(here.start, here.stop))
        return
    start = rows.start
    for block in source.blocks(rows, size):
        still_wanted()
        yield start, block
        start += len(block)


def join(*parts: Predictions) -> Predictions:
    """Concatenate the rows of all parts, which must have the same classes."""
    weighted = any(part.sample_weight is not None for part in parts)
    return assemble(
        np.concatenate([part.y_true for part in parts]),
        np.concatenate([part.y_prob for part in parts]),
        np.concatenate([part.weights for part in parts]) if weighted else None,
        parts[0].classes,
        ranked=parts[0].ranked,
        clusters=_joined_clusters(parts),
        ordered=parts[0].ordered,
        soft=any(part.soft for part in parts),
    )


def _joined_clusters(parts: tuple[Predictions, ...]) -> IntArray | None:
    """Concatenate the clusters of all parts; equal ids are the same cluster."""
    together = [part.clusters for part in parts if part.clusters is not None]
    return np.concatenate(together) if len(together) == len(parts) else None
