"""Checks that a configuration is a value, which can be copied, pickled and printed as code."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from types import FunctionType
from typing import Any

import numpy as np


def check_value(what: str, value: Any) -> None:
    """Raise ValueError unless copies of a configuration are equal to it.

    Checks copies, pickling (unless a class or function cannot be imported by name, such as a
    lambda) and a ``repr`` that is valid code. Classes that compare by identity are not checked; a
    dataclass must be frozen.
    """
    parameters = getattr(value, "__dataclass_params__", None)
    if parameters is not None and not parameters.frozen:
        raise ValueError(
            f"{what} must be immutable; {type(value).__name__} can be changed. "
            "Use @dataclass(frozen=True)."
        )
    _equal(what, "a deep copy", value, copy.deepcopy(value))
    _equal(what, "its pickled form", value, _pickled(what, value))
    _equal(what, "what its repr says", value, _rebuilt(what, value))


def _equal(what: str, how: str, value: Any, again: Any) -> None:
    if _compares_by_identity(value):
        return
    if not value == again:
        raise ValueError(f"{what} must be equal to {how}; got {again!r} from {value!r}.")
    try:
        same = hash(value) == hash(again)
    except TypeError as error:
        raise ValueError(f"{what} must be hashable; {value!r} is not: {error}") from error
    if not same:
        raise ValueError(f"{what} and {how} are equal and must have one hash; got two.")


def _pickled(what: str, value: Any) -> Any:
    try:
        return pickle.loads(pickle.dumps(value))
    except (pickle.PicklingError, AttributeError):  # local classes and lambdas cannot be pickled
        return value
    except Exception as error:
        raise ValueError(
            f"{what} must be picklable, so that processes can share the work; {value!r} is not: "
            f"{error}"
        ) from error


def _rebuilt(what: str, value: Any) -> Any:
    text = repr(value)
    if "<" in text:  # Python's form for objects that cannot be written as code
        return value
    try:
        return eval(text, _names(value))
    except Exception as error:
        raise ValueError(
            f"the repr of {what} must be code that makes it again; {text} is not: {error!r}"
        ) from error


def _names(value: Any) -> dict[str, Any]:
    classes = {type(part).__name__: type(part) for part in _parts(value)}
    return {"array": np.array, "inf": np.inf, "nan": np.nan} | classes


def _compares_by_identity(value: Any) -> bool:
    identity: Any = object.__eq__
    kinds = {type(part) for part in _parts(value)} - {FunctionType}
    return any(kind.__eq__ is identity for kind in kinds)


def _parts(value: Any) -> Iterator[Any]:
    """Yield a configuration and everything in it."""
    yield value
    inside: list[Any] = list(value) if isinstance(value, list | tuple) else []
    if is_dataclass(value):
        inside += [getattr(value, f.name) for f in fields(value)]
    for part in inside:
        yield from _parts(part)
