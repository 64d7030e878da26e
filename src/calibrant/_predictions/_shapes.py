"""Checks that labels and predictions have matching shapes and are not swapped."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant._predictions._arrays import Source
from calibrant.errors import DataError, Problem


def check_shapes(y_true: Source, y_prob: Source, name: str = "y_prob") -> tuple[Source, Source]:
    """Return labels (n,) or one-hot (n, m) and probabilities (n,) or (n, m), m ≥ 2.

    A single column is returned as a vector, which means the same.
    """
    for source, argument in ((y_true, "y_true"), (y_prob, name)):
        _check_dimensions(source.values, argument)
    _refuse_swapped(y_true.values, y_prob.values, name)
    y_true, y_prob = without_single_column(y_true), without_single_column(y_prob)
    rows, expected = y_prob.values.shape, y_true.values.shape[0]
    if rows[0] != expected:
        if len(rows) == 2 and rows[1] == expected:
            raise DataError(
                Problem.TRANSPOSED,
                f"must have one row per label, shape ({expected}, n_classes)",
                argument=name,
                got=f"shape {rows}",
                hint="this looks transposed",
                remedy=f"pass `{name}.T`",
            )
        raise DataError(
            Problem.LENGTHS,
            f"must have one row per label, {expected} in all",
            argument=name,
            got=str(rows[0]),
        )
    return y_true, y_prob


def without_single_column(source: Source) -> Source:
    """Turn shape (n, 1) into (n,)."""
    if source.values.ndim == 2 and source.values.shape[1] == 1:
        return source._replace(values=source.values[:, 0])
    return source


def _check_dimensions(values: np.ndarray[Any, Any], name: str) -> None:
    if values.ndim not in (1, 2):
        single = "put a single value in brackets, one entry per row"
        raise DataError(
            Problem.SHAPE,
            "must be of shape (n_samples,) or (n_samples, n_classes)",
            argument=name,
            got=f"shape {values.shape}",
            remedy=single if values.ndim == 0 else "reshape it: every row is one prediction",
        )
    if values.size == 0:
        got = f"shape {values.shape}"
        raise DataError(Problem.EMPTY, "must not be empty", argument=name, got=got)


def _refuse_swapped(y_true: np.ndarray[Any, Any], y_prob: np.ndarray[Any, Any], name: str) -> None:
    """Refuse swapped arguments: probabilities as labels and labels as probabilities."""
    if _has_fractions(y_true) and not _has_fractions(y_prob):
        raise DataError(
            Problem.SWAPPED,
            "must contain labels",
            argument="y_true",
            got=f"fractions, and labels in `{name}`",
            hint="the arguments look swapped",
            remedy=f"pass `(y_true, {name})`, labels first",
        )


def _has_fractions(values: np.ndarray[Any, Any]) -> bool:
    if values.dtype.kind != "f":
        return False
    return bool(np.any((np.trunc(values) != values) & ~np.isnan(values)))
