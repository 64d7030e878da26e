"""Thresholds for approximation, sampling and splitting, which depend only on n and m.

Read them as ``sizes.NAME``, so that there is a single place to find and change them.
"""

from __future__ import annotations

import numpy as np

from calibrant._execution import spans
from calibrant._native import IntArray

#: most rows, with up to this many classes, for which the reported SKCE uses all pairs instead of
#: random features; with more classes fewer rows, in the same time
EXACT_ROWS, EXACT_CLASSES = 50_000, 10
#: most rows for which the aggregated test computes all pairs for every label set; twice as many
#: from this many classes on, because their features take longer
FULL_ROWS, FULL_CLASSES = 2000, 200
#: rows above which tables omit errors over all pairs of rows, and the spread of a known SKCE comes
#: from random features, except for two classes
PAIR_ROWS = 20_000
#: evenly spaced rows for a bandwidth, and for the common bandwidth of compared models
BANDWIDTH_ROWS, ALL_BANDWIDTH_ROWS = 2000, 8000
#: most rows, and probabilities, for which `where` computes all pairs
WHERE_ROWS, WHERE_SIZE = 1000, 250_000
#: most classes that `where` tests one by one; the rarest of more are pooled
WHERE_CLASSES = 1000
#: landmark rows of `where` for larger data
LANDMARKS = 256
#: fewer landmarks above these numbers of rows, where the additional resolution matters little
FEWER_LANDMARKS = ((200_000, 64), (20_000, 128))
#: most bytes of labels in memory: one per label up to 256 classes
LABEL_BYTES = 1 << 26


def evenly_spaced(n: int, size: int) -> IntArray:
    """Return `size` evenly spaced row numbers of n rows, or all if there are not more."""
    return np.arange(n) if n <= size else np.linspace(0, n - 1, size).astype(np.int64)


def replicate_batches(n_resamples: int, n_samples: int, multiple: int = 1) -> list[range]:
    """Split replicates into ranges whose labels fit into `LABEL_BYTES`."""
    size = max(1, LABEL_BYTES // max(1, n_samples) // multiple) * multiple
    return [range(n_resamples)[part] for part in spans(n_resamples, size)]


def full_rows(n_classes: int) -> int:
    """Return the most rows for which the aggregated test computes all pairs for every label set.

    Examples
    --------
    >>> [full_rows(m) for m in (3, 10, 100, 1000)]
    [2030, 2100, 3000, 4000]
    """
    return FULL_ROWS + FULL_ROWS * min(n_classes, FULL_CLASSES) // FULL_CLASSES


def exact_rows(n_classes: int) -> int:
    """Return the most rows for computing all pairs, so that n²·m is bounded.

    Examples
    --------
    >>> [exact_rows(m) for m in (3, 10, 100, 1000)]
    [50000, 50000, 15811, 5000]
    """
    return int(EXACT_ROWS * min(1.0, EXACT_CLASSES / n_classes) ** 0.5)


def landmark_rows(n_samples: int) -> int:
    """Return the number of landmark rows that approximate all pairs.

    Examples
    --------
    >>> [landmark_rows(n) for n in (2_000, 50_000, 1_000_000)]
    [256, 128, 64]
    """
    return next((count for rows, count in FEWER_LANDMARKS if n_samples > rows), LANDMARKS)


def uses_features(n_samples: int, n_classes: int) -> bool:
    """Return whether the default SKCE uses random features, never with two classes."""
    return n_samples > exact_rows(n_classes) and n_classes > 2
