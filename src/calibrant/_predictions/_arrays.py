"""Conversion of array-likes to NumPy arrays, bit for bit."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Literal, NamedTuple

import numpy as np

from calibrant._predictions._messages import DROP_ROWS, count, first_of
from calibrant.errors import DataError, Problem

Precision = Literal["float64", "float32", "float16", "bfloat16"]

#: by NumPy's type character; integers and booleans are exact
_PRECISION: dict[str, Precision] = {"e": "float16", "f": "float32", "d": "float64"}
_FRAME_LIBRARIES = {"pandas", "polars", "pyarrow", "narwhals", "modin", "cudf"}


class Source(NamedTuple):
    """An array as passed in: its values, their precision, and its column names."""

    values: np.ndarray[Any, Any]
    precision: Precision = "float64"
    names: tuple[Hashable, ...] | None = None


def read(data: Any, name: str) -> Source:
    """Read NumPy arrays, lists, frames, series and tensors; copy only if the layout forces it."""
    if isinstance(data, Source):  # from a file: float64 values with their precision
        return data
    if type(data) is np.ndarray:
        return _read_numpy(data)
    if isinstance(data, np.ma.MaskedArray):
        return _read_masked(data, name)
    library = _library(data)
    if library in _FRAME_LIBRARIES:
        # narwhals takes 30 ms to import, which arrays and lists do not need
        from calibrant._predictions._frames import read_frame

        return read_frame(data, name)
    if library == "torch":
        return _read_torch(data)
    if callable(getattr(data, "toarray", None)):
        raise DataError(
            Problem.NOT_AN_ARRAY,
            "must be a dense array",
            argument=name,
            got="a sparse matrix",
            remedy=f"pass `{name}.toarray()`",
        )
    return _read_other(data, name)


def _library(data: Any) -> str:
    roots = [kind.__module__.partition(".")[0] for kind in type(data).__mro__]
    return next((root for root in roots if root in _FRAME_LIBRARIES or root == "torch"), "")


def _read_numpy(values: np.ndarray[Any, Any]) -> Source:
    precision = _PRECISION.get(values.dtype.char)
    if precision is None and values.dtype.name == "bfloat16":  # JAX's type, from ml_dtypes
        return Source(values.astype(np.float32), "bfloat16")
    return Source(values, precision or "float64")


def _read_masked(data: np.ma.MaskedArray[Any, Any], name: str) -> Source:
    mask = np.ma.getmaskarray(data)
    if mask.any():
        raise DataError(
            Problem.MISSING,
            "must not have masked values",
            argument=name,
            got=count(mask, "masked value"),
            remedy=DROP_ROWS,
            **first_of(mask),
        )
    return _read_numpy(np.asarray(data))


def _read_torch(tensor: Any) -> Source:
    tensor = tensor.detach().cpu()
    if str(tensor.layout) != "torch.strided":
        tensor = tensor.to_dense()
    kind = str(tensor.dtype).removeprefix("torch.")
    if kind == "bfloat16":  # NumPy has no bfloat16; every bfloat16 is a float32
        return Source(tensor.float().numpy(), "bfloat16")
    return _read_numpy(tensor.resolve_conj().resolve_neg().numpy())


def _read_other(data: Any, name: str) -> Source:
    if isinstance(data, list | tuple) and any(isinstance(row, np.ma.MaskedArray) for row in data):
        return _read_masked(np.ma.array(list(data)), name)
    try:
        if hasattr(data, "__dlpack__") and not hasattr(data, "__array__"):
            values = np.from_dlpack(data)
        else:
            values = np.asarray(data)
    except (TypeError, ValueError, BufferError, RuntimeError) as error:
        raise DataError(
            Problem.NOT_AN_ARRAY,
            "must be array-like, with rows of equal length",
            argument=name,
            got=f"{type(data).__name__}, which NumPy could not read: {error}",
        ) from error
    if values.ndim == 0 and values.dtype.kind == "O":
        raise DataError(
            Problem.NOT_AN_ARRAY, "must be array-like", argument=name, got=type(data).__name__
        )
    if values.ndim == 1 and not hasattr(data, "dtype") and _changes(data, values):
        values = np.array(data, dtype=object)
    return _read_numpy(values)


def refuse_rounded(values: np.ndarray[Any, Any], name: str) -> None:
    """Refuse names in floats so large that one float stands for several whole numbers."""
    wrong = np.abs(values) >= _exact_below(values.dtype)
    if wrong.any():
        raise DataError(
            Problem.RANGE,
            f"must be below {_exact_below(values.dtype):,.0f} in {values.dtype}, which rounds "
            "larger numbers",
            argument=name,
            got=count(wrong, "larger value"),
            remedy="pass integers or strings",
            **first_of(wrong, values),
        )


def _exact_below(dtype: np.dtype[Any]) -> float:
    """Return the number below which floats represent every whole number, 2⁵³ at most."""
    return float(2.0 ** min(53, np.finfo(dtype).nmant + 1))


def _changes(data: Any, values: np.ndarray[Any, Any]) -> bool:
    """Return whether NumPy changed a list: [1, "a"] into texts, [2⁶³, -1] into rounded numbers."""
    if values.dtype.kind == "f" and np.any(np.abs(values) >= 1 << 53):
        return any(isinstance(one, int) and abs(one) >= 1 << 53 for one in data)
    return values.dtype.kind in "US"
