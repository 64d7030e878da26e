"""Tables of results as data frames of an installed library."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Literal, get_args

Backend = Literal["pandas", "polars", "pyarrow"]


class Framed(ABC):
    """A result that can be converted to a data frame."""

    @abstractmethod
    def _columns(self) -> Mapping[str, Sequence[Any]]:
        """Return the columns of the frame by name."""

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the numbers as a data frame, with the columns described in the notes of the class.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The data frame library; by default the first of these that is installed.

        Returns
        -------
        DataFrame or Table
            Unknown numbers are NaN.
        """
        return to_frame(self._columns(), backend)


def to_frame(columns: Mapping[str, Sequence[Any]], backend: Backend | None) -> Any:
    """Return columns as a data frame, by default of the first installed library.

    Columns of numbers keep their type. Columns of anything else, or of mixed types, become text, in
    which None is missing.
    """
    import narwhals as nw

    name = _installed() if backend is None else _checked(backend)
    kinds: dict[type, Any] = {
        float: nw.Float64,
        int: nw.Int64,
        bool: nw.Boolean,
        str: nw.String,
    }
    table, schema = {}, {}
    for title, column in columns.items():
        values = [value.item() if hasattr(value, "item") else value for value in column]
        kind = _kind(values)
        table[title] = [v if v is None else kind(v) for v in values]
        schema[title] = kinds[kind]
    return nw.from_dict(table, schema=nw.Schema(schema), backend=name).to_native()


def _kind(values: Sequence[Any]) -> type:
    found = {type(value) for value in values}
    if len(found) == 1 and found <= {float, int, bool}:
        return found.pop()
    return float if found == {float, int} else str


def _checked(backend: Any) -> Backend:
    if backend not in get_args(Backend):
        raise ValueError(
            f"`backend` must be one of {', '.join(map(repr, get_args(Backend)))}, or None for "
            f"the first of them that is installed; got {backend!r}."
        )
    if find_spec(backend) is None:
        raise ImportError(
            f"{backend} is not installed: python -m pip install {backend}, or choose another "
            "`backend`."
        )
    chosen: Backend = backend
    return chosen


def _installed() -> Backend:
    names: tuple[Backend, ...] = get_args(Backend)
    for name in names:
        if find_spec(name) is not None:
            return name
    raise ImportError(
        "a data frame needs pandas, polars or pyarrow: python -m pip install pandas. Without "
        "them, `to_dict` gives the same numbers."
    )
