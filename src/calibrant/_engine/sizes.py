"""Thresholds for approximation, sampling and splitting, which depend only on n and m.

Read them as ``sizes.NAME``, so that there is a single place to find and change them.
"""

from __future__ import annotations

import numpy as np

from calibrant._execution import limits, spans
from calibrant._native import IntArray


def evenly_spaced(n: int, size: int) -> IntArray:
    """Return `size` evenly spaced row numbers of n rows, or all if there are not more."""
    return np.arange(n) if n <= size else np.linspace(0, n - 1, size).astype(np.int64)


def replicate_batches(n_resamples: int, n_samples: int, multiple: int = 1) -> list[range]:
    """Split replicates into ranges whose labels fit into memory, in multiples but for the last."""
    fitting = limits().label_bytes // max(1, n_samples)
    size = max(1, fitting // multiple) * multiple
    return [range(n_resamples)[part] for part in spans(n_resamples, size)]


def full_rows(n_classes: int) -> int:
    """Return the most rows for which the aggregated test computes all pairs for every label set.

    Examples
    --------
    >>> [full_rows(m) for m in (3, 10, 100, 1000)]
    [2030, 2100, 3000, 4000]
    """
    most = limits()
    more = most.full_rows * min(n_classes, most.full_classes) // most.full_classes
    return most.full_rows + more


def exact_rows(n_classes: int) -> int:
    """Return the most rows for computing all pairs, so that n²·m is bounded.

    Examples
    --------
    >>> [exact_rows(m) for m in (3, 10, 100, 1000)]
    [50000, 50000, 15811, 5000]
    """
    most = limits()
    return int(most.exact_rows * min(1.0, most.exact_classes / n_classes) ** 0.5)


def landmark_rows(n_samples: int) -> int:
    """Return the number of landmark rows that approximate all pairs.

    Examples
    --------
    >>> [landmark_rows(n) for n in (2_000, 50_000, 1_000_000)]
    [256, 128, 64]
    """
    most = limits()
    fewer = (count for rows, count in most.fewer_landmarks if n_samples > rows)
    return next(fewer, most.landmarks)


def uses_features(n_samples: int, n_classes: int) -> bool:
    """Return whether the default SKCE uses random features, never with two classes."""
    return n_samples > exact_rows(n_classes) and n_classes > 2
