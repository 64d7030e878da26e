"""Labels and predictions must have the same rows, in the right order of arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant._predictions._arrays import Source


def check_shapes(y_true: Source, y_prob: Source, name: str = "y_prob") -> tuple[Source, Source]:
    """Return labels (n,) or one-hot (n, m) and probabilities (n,) or (n, m), m ≥ 2.

    A single column loses its second axis: it means the same as a vector.
    """
    for source, argument in ((y_true, "y_true"), (y_prob, name)):
        _check_dimensions(source.values, argument)
    _refuse_swapped(y_true.values, y_prob.values, name)
    y_true, y_prob = without_single_column(y_true), without_single_column(y_prob)
    rows, expected = y_prob.values.shape, y_true.values.shape[0]
    if rows[0] != expected:
        if len(rows) == 2 and rows[1] == expected:
            raise ValueError(
                f"{name} must have one row per label, shape ({expected}, n_classes); got shape "
                f"{rows}, which looks transposed; pass {name}.T"
            )
        raise ValueError(
            f"y_true and {name} must have the same number of rows; got {expected} and {rows[0]}"
        )
    return y_true, y_prob


def without_single_column(source: Source) -> Source:
    """Turn shape (n, 1) into (n,)."""
    if source.values.ndim == 2 and source.values.shape[1] == 1:
        return Source(source.values[:, 0], source.precision)
    return source


def _check_dimensions(values: np.ndarray[Any, Any], name: str) -> None:
    if values.ndim not in (1, 2):
        hint = {
            0: "a single value needs brackets, one entry per row",
        }.get(values.ndim, "reshape it so that every row is one prediction")
        raise ValueError(
            f"{name} must be of shape (n_samples,) or (n_samples, n_classes); "
            f"got shape {values.shape}: {hint}"
        )
    if values.size == 0:
        raise ValueError(f"{name} is empty: it needs at least one row; got shape {values.shape}")


def _refuse_swapped(y_true: np.ndarray[Any, Any], y_prob: np.ndarray[Any, Any], name: str) -> None:
    """Refuse probabilities in the place of labels where labels are in the other place."""
    if _has_fractions(y_true) and not _has_fractions(y_prob):
        raise ValueError(
            f"y_true holds fractions and {name} holds labels: the arguments look swapped; "
            f"pass (y_true, {name}), labels first"
        )


def _has_fractions(values: np.ndarray[Any, Any]) -> bool:
    if values.dtype.kind != "f":
        return False
    return bool(np.any((np.trunc(values) != values) & ~np.isnan(values)))
