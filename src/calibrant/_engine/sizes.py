"""From how many rows on something is approximated, sampled or cut: choices of n and m only.

They are read as ``sizes.NAME``, so that there is one place to look them up and to change them.
"""

from __future__ import annotations

import numpy as np

from calibrant._execution import spans
from calibrant._native import IntArray

#: rows of up to this many classes for which the reported SKCE is computed from all pairs, and from
#: random features above; of more classes fewer, in the same time
EXACT_ROWS, EXACT_CLASSES = 50_000, 10
#: rows up to which the aggregated test computes all pairs for every label set; twice as many from
#: this many classes on, whose features take longer
FULL_ROWS, FULL_CLASSES = 2000, 200
#: rows above which errors over all pairs of rows are left out of tables, and the spread of a
#: known SKCE comes from random features, but for two classes
PAIR_ROWS = 20_000
#: evenly spaced rows from which a bandwidth is taken; of all models of a comparison together
BANDWIDTH_ROWS, ALL_BANDWIDTH_ROWS = 2000, 8000
#: rows, and probabilities, up to which `where` computes all pairs
WHERE_ROWS, WHERE_SIZE = 1000, 250_000
#: classes that `where` looks at one by one; the rarest of more are taken together
WHERE_CLASSES = 1000
#: landmark rows of `where` above that
LANDMARKS = 256
#: above these numbers of rows there are fewer: what only more of them would resolve is small there
FEWER_LANDMARKS = ((200_000, 64), (20_000, 128))
#: labels held in memory at once, in bytes: one a label up to 256 classes
LABEL_BYTES = 1 << 26


def evenly_spaced(n: int, size: int) -> IntArray:
    """Return `size` evenly spaced row numbers of n rows, or all where that is not more."""
    return np.arange(n) if n <= size else np.linspace(0, n - 1, size).astype(np.int64)


def replicate_batches(n_resamples: int, n_samples: int, multiple: int = 1) -> list[range]:
    """Cut replicates into ranges whose labels fit into `LABEL_BYTES`, multiples but the last."""
    size = max(1, LABEL_BYTES // max(1, n_samples) // multiple) * multiple
    return [range(n_resamples)[part] for part in spans(n_resamples, size)]


def full_rows(n_classes: int) -> int:
    """Return up to how many rows the aggregated test computes all pairs for every label set.

    Examples
    --------
    >>> [full_rows(m) for m in (3, 10, 100, 1000)]
    [2030, 2100, 3000, 4000]
    """
    return FULL_ROWS + FULL_ROWS * min(n_classes, FULL_CLASSES) // FULL_CLASSES


def exact_rows(n_classes: int) -> int:
    """Return how many rows are computed from all pairs: n²·m is bounded.

    Examples
    --------
    >>> [exact_rows(m) for m in (3, 10, 100, 1000)]
    [50000, 50000, 15811, 5000]
    """
    return int(EXACT_ROWS * min(1.0, EXACT_CLASSES / n_classes) ** 0.5)


def landmark_rows(n_samples: int) -> int:
    """Return how many landmark rows stand for the pairs of all.

    Examples
    --------
    >>> [landmark_rows(n) for n in (2_000, 50_000, 1_000_000)]
    [256, 128, 64]
    """
    return next((count for rows, count in FEWER_LANDMARKS if n_samples > rows), LANDMARKS)


def uses_features(n_samples: int, n_classes: int) -> bool:
    """Whether the default SKCE is approximated by random features: two classes never are."""
    return n_samples > exact_rows(n_classes) and n_classes > 2
