"""Blocks of rows as log-probabilities, each from a single fold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibrant._execution import spans
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions
from calibrant.recalibration._map import BLOCK


@dataclass(frozen=True, eq=False)
class LogBlock:
    """Some rows of one fold, class-major: log-probabilities (m, rows), labels and weights."""

    logs: FloatArray
    labels: IntArray
    weight: FloatArray
    fold: int


def log_blocks(
    predictions: Predictions, floor: float, folds: IntArray | None = None
) -> list[LogBlock]:
    """Return all rows fold by fold; memory of a copy of `y_prob`."""
    size = max(1, BLOCK // predictions.n_classes)
    if folds is None:
        return [_block(predictions, rows, floor, 0) for rows in spans(len(predictions), size)]
    order = np.argsort(folds, kind="stable")
    ends = np.cumsum(np.bincount(folds))
    return [
        _block(predictions, order[start + part.start : start + part.stop], floor, fold)
        for fold, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True))
        for part in spans(int(end - start), size)
    ]


def _block(predictions: Predictions, rows: slice | IntArray, floor: float, fold: int) -> LogBlock:
    logs = np.array(predictions.y_prob[rows].T, order="C")
    np.maximum(logs, floor, out=logs)
    np.log(logs, out=logs)
    labels = predictions.y_true[rows]
    weight = predictions.sample_weight
    return LogBlock(logs, labels, np.ones(len(labels)) if weight is None else weight[rows], fold)
