"""Conversion of pandas, polars and pyarrow frames and series to NumPy arrays, with narwhals."""

from __future__ import annotations

import sys
from typing import Any

import narwhals as nw
import numpy as np

from calibrant._predictions._arrays import Precision, Source
from calibrant._predictions._messages import DROP_ROWS, count, first_of, listed
from calibrant.errors import DataError, Problem

_COARSENESS: dict[str, tuple[int, Precision]] = {"f": (1, "float32"), "e": (2, "float16")}


def read_frame(data: Any, name: str) -> Source:
    """Read a frame (n, m) with its column names, or a series (n,) with its name."""
    native = _with_columns(data)
    names = _unique_columns(native, name)
    frame = nw.from_native(native, allow_series=True, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise DataError(
            Problem.NOT_AN_ARRAY,
            "must be an array or a frame",
            argument=name,
            got="a lazy frame",
            remedy=f"pass `{name}.collect()`",
        )
    if isinstance(frame, nw.Series):
        values = _series_values(frame, name)
        label = frame.name  # without a name, pandas has None and the others ""
        return Source(values, _precision([values]), None if label in (None, "") else (label,))
    if not isinstance(frame, nw.DataFrame):
        return Source(np.asarray(data))
    columns = [
        _series_values(column, name, label)
        for label, column in zip(names or frame.columns, frame.iter_columns(), strict=True)
    ]
    if not columns:
        raise DataError(
            Problem.EMPTY, "must not be empty", argument=name, got="a frame without columns"
        )
    return Source(_stacked(columns), _precision(columns), names or tuple(frame.columns))


def _with_columns(data: Any) -> Any:
    """Convert one-dimensional objects that narwhals does not read to frames or series."""
    pandas, pyarrow = sys.modules.get("pandas"), sys.modules.get("pyarrow")
    if pandas and isinstance(data, pandas.Index | pandas.api.extensions.ExtensionArray):
        return pandas.Series(data)
    if pyarrow and isinstance(data, pyarrow.Array):
        return pyarrow.chunked_array([data])
    if pyarrow and isinstance(data, pyarrow.RecordBatch):
        return pyarrow.Table.from_batches([data])
    return data


def _unique_columns(native: Any, name: str) -> tuple[Any, ...] | None:
    """Return pandas' column labels, which need be neither strings nor unique."""
    pandas = sys.modules.get("pandas")
    if not (pandas and isinstance(native, pandas.DataFrame)):
        return None
    twice = native.columns[native.columns.duplicated()]
    if len(twice):
        raise DataError(
            Problem.CLASSES,
            "must have one column per class",
            argument=name,
            got=f"columns named twice: {listed(twice)}",
        )
    return tuple(native.columns.tolist())


def _series_values(series: nw.Series[Any], name: str, column: Any = None) -> np.ndarray[Any, Any]:
    missing = series.is_null().to_numpy()
    if missing.any():
        raise DataError(
            Problem.MISSING,
            "must not have missing values",
            argument=name,
            got=count(missing, "missing value"),
            column=column,
            remedy=DROP_ROWS,
            **first_of(missing),
        )
    if isinstance(series.dtype, nw.Decimal):
        series = series.cast(nw.Float64())
    values = series.to_numpy()
    if values.dtype.kind in "biuf":
        return values
    objects = np.empty(len(series), dtype=object)
    objects[:] = series.to_list()
    return objects


def _stacked(columns: list[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    table = np.empty((len(columns[0]), len(columns)), np.result_type(*columns))
    for j, column in enumerate(columns):
        table[:, j] = column
    return table


def _precision(columns: list[np.ndarray[Any, Any]]) -> Precision:
    """Return the precision of the coarsest column."""
    kinds = {column.dtype.char for column in columns}
    return max((_COARSENESS[kind] for kind in kinds & _COARSENESS.keys()), default=(0, "float64"))[
        1
    ]
