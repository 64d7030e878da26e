"""Rows as logits with a floor for zeros, a block at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions

#: numbers in a block: its few temporaries stay in the cache
_BLOCK = 1 << 15


@dataclass(frozen=True, eq=False)
class Block:
    """Some rows, class by class: logits (m, rows) with largest entry 0, labels and weights."""

    logits: FloatArray
    labels: IntArray
    weight: FloatArray
    rows: slice


def blocks(predictions: Predictions, floor: float, step: int = 1) -> Iterator[Block]:
    """Yield all rows, or every `step`-th, in blocks; probabilities are at least floor·Σp."""
    n, m = predictions.y_prob.shape
    size = max(1, _BLOCK // m) * step
    for start in range(0, n, size):
        rows = slice(start, min(start + size, n), step)
        # class-major: sums over classes then run along memory
        logits = np.array(predictions.y_prob[rows].T, order="C")
        np.maximum(logits, floor * logits.sum(axis=0), out=logits)
        np.log(logits, out=logits)
        logits -= logits.max(axis=0)
        labels = predictions.y_true[rows]
        weight = predictions.sample_weight
        yield Block(logits, labels, np.ones(len(labels)) if weight is None else weight[rows], rows)
