"""Conversion of dataclasses to plain JSON values and back, from their fields and types."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Self, TypeVar, Union, get_args, get_origin

T = TypeVar("T")

#: keys of a field's metadata
_WRITE, _KIND = "calibrant.write", "calibrant.kind"


class Plain:
    """A dataclass that can be converted to JSON and back."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON: NaN as None, infinities as "inf" and "-inf"."""
        table: dict[str, Any] = to_plain(self)
        return table

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> Self:
        """Return the object from `to_dict`; values written as text remain text."""
        return from_plain(cls, table)


def written_as(kind: Any, write: Callable[[Any], Any] = str) -> dict[str, Any]:
    """Return the metadata of a field that JSON stores as `kind`, by default as text."""
    return {_WRITE: write, _KIND: kind}


def left_out() -> dict[str, Any]:
    """Return the metadata of a field that JSON does not store."""
    return {_KIND: None}


def to_plain(value: Any) -> Any:
    """Return dataclasses, mappings, sequences and numbers as values of strict JSON."""
    # map, not a comprehension, uses only one stack frame for each level of nesting
    if is_dataclass(value) and not isinstance(value, type):
        kind: Any = type(value)
        writers = _writers(kind)
        return {name: writers[name](getattr(value, name)) for name in plain_types(kind)}
    if isinstance(value, Mapping):
        return dict(zip(map(str, value), map(to_plain, value.values()), strict=True))
    if isinstance(value, list | tuple):
        return list(map(to_plain, value))
    if hasattr(value, "tolist"):  # NumPy numbers and arrays
        return to_plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value


def from_plain(cls: type[T], table: Mapping[str, Any]) -> T:
    """Return a dataclass from the values of `to_plain`.

    Raises
    ------
    ValueError
        If keys are missing or unknown.
    """
    kind: Any = cls
    types = plain_types(kind)
    if set(table) != set(types):
        raise ValueError(
            f"not written by `{cls.__name__}.to_dict`: missing {sorted(set(types) - set(table))}, "
            f"unknown {sorted(set(table) - set(types))}"
        )
    return cls(**{name: _read(kind, table[name]) for name, kind in types.items()})


@cache
def plain_types(cls: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that JSON stores, with their types there."""
    hints: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        hints |= _annotations(base)
    types = {f.name: f.metadata.get(_KIND, hints[f.name]) for f in fields(cls)}
    return {name: kind for name, kind in types.items() if kind is not None}


def _annotations(cls: Any) -> dict[str, Any]:
    """Return the types of the fields that a class itself defines.

    `typing.get_type_hints` would look up names in `__module__`, the public path of a class, but
    annotations refer to the file with its methods.
    """
    if "__dataclass_fields__" not in vars(cls):
        return {}
    names = vars(cls).get("__annotations__", {})
    scope = cls.__init__.__globals__
    return {n: eval(kind, scope) if isinstance(kind, str) else kind for n, kind in names.items()}


@cache
def _writers(cls: Any) -> dict[str, Callable[[Any], Any]]:
    return {f.name: f.metadata.get(_WRITE, to_plain) for f in fields(cls)}


def _read(kind: Any, value: Any) -> Any:
    origin, args = get_origin(kind), get_args(kind)
    if hasattr(kind, "__metadata__"):
        return _read(args[0], value)
    if kind is float:
        return math.nan if value is None else float(value)
    if isinstance(kind, type) and is_dataclass(kind):
        return from_plain(kind, value)
    if origin in (Union, UnionType):
        known = [one for one in args if one is not NoneType]
        return value if value is None or len(known) > 1 else _read(known[0], value)
    if origin is tuple:
        ends = args[:1] * len(value) if args[-1] is Ellipsis else args
        return tuple(_read(one, entry) for one, entry in zip(ends, value, strict=True))
    if origin in (Mapping, dict):
        return {_read(args[0], key): _read(args[1], entry) for key, entry in value.items()}
    if is_array(kind):
        return _array(value)
    return value


def is_array(kind: Any) -> bool:
    """Return whether a type is that of NumPy arrays."""
    import numpy as np
    import numpy.typing as npt

    # a separate alias from NumPy 2.5 on
    return get_origin(kind) in (np.ndarray, npt.NDArray)


def _array(value: Sequence[Any]) -> Any:
    import numpy as np

    return np.array([_read(float, entry) for entry in value])
