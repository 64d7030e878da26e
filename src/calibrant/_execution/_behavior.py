"""The behavior of a user's functions and objects as bytes, for fingerprints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from inspect import getattr_static
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

_PLAIN = (int, float, complex, str, bytes, type(None), type(Ellipsis), np.generic)


def behavior(setting: Any) -> Iterator[bytes]:
    """Yield the bytes that determine a setting's behavior, beyond the values in its text."""
    if isinstance(setting, _PLAIN):
        return
    if is_dataclass(setting) and _is_ours(type(setting)):
        for field in fields(setting):
            yield from behavior(getattr(setting, field.name))
    elif isinstance(setting, tuple | list):
        for part in setting:
            yield from behavior(part)
    elif isinstance(setting, Mapping):
        yield from behavior(list(setting.values()))
    else:
        yield from _all_of(setting, {})


def _all_of(thing: Any, seen: dict[int, Any]) -> Iterator[bytes]:
    """Yield everything that determines an object; `seen` ends cycles and keeps ids valid."""
    yield type(thing).__qualname__.encode()
    if isinstance(thing, _PLAIN):
        yield repr(thing).encode()
        return
    if id(thing) in seen or isinstance(thing, ModuleType):
        return
    seen[id(thing)] = thing
    if isinstance(thing, np.ndarray) and not thing.dtype.hasobject:
        yield f"{thing.dtype.str} {thing.shape}".encode() + thing.tobytes()
        return
    for part in _parts(thing):
        yield from _all_of(part, seen)


def _parts(thing: Any) -> Iterable[Any]:
    if isinstance(thing, tuple | list):
        return thing
    if isinstance(thing, set | frozenset):  # in the same order in every process
        return sorted(thing, key=repr)
    if isinstance(thing, Mapping):
        return [part for pair in thing.items() for part in pair]
    if isinstance(thing, np.ndarray):
        return [thing.tolist()]
    if isinstance(thing, CodeType):
        return [thing.co_code, thing.co_names, thing.co_consts]
    if isinstance(thing, FunctionType):
        held = [cell.cell_contents for cell in thing.__closure__ or ()]
        given = thing.__defaults__, thing.__kwdefaults__
        return [thing.__code__, given, held, _globals(thing)]
    if isinstance(thing, MethodType):
        return [thing.__func__, thing.__self__]
    if isinstance(thing, partial):
        return [thing.func, thing.args, thing.keywords]
    if isinstance(thing, type):
        return _methods(thing)
    return [type(thing), _state(thing)]


def _methods(kind: type) -> list[Any]:
    """Return the functions of a class and its bases, except calibrant's own."""
    classes = [one for one in kind.__mro__ if one is not object]
    own = [one for one in classes if not _is_ours(one)]
    found = [getattr_static(one, name) for one in own for name in sorted(vars(one))]
    found = [getattr(one, "__func__", getattr(one, "fget", one)) for one in found]
    return [kind.__module__, kind.__qualname__, *(f for f in found if isinstance(f, FunctionType))]


def _is_ours(kind: type) -> bool:
    return kind.__module__.partition(".")[0] == "calibrant"


def _state(thing: Any) -> dict[str, Any]:
    """Return the attributes of an object, including slots."""
    if is_dataclass(thing):  # other attributes are computed from the fields
        return {field.name: getattr(thing, field.name) for field in fields(thing)}
    slots = [name for one in type(thing).__mro__ for name in getattr(one, "__slots__", ())]
    found = {name: getattr(thing, name) for name in slots if name != "__dict__"}
    return found | getattr(thing, "__dict__", {})


def _globals(function: FunctionType) -> list[Any]:
    """Return the module's values and functions that a function refers to."""
    known = function.__globals__
    named = [known[name] for name in _names(function.__code__) if name in known]
    return [
        one
        for one in named
        if isinstance(one, (*_PLAIN, tuple, list, dict, np.ndarray))
        or (isinstance(one, FunctionType) and one.__module__ == function.__module__)
    ]


def _names(code: CodeType) -> list[str]:
    inner = [name for part in code.co_consts if isinstance(part, CodeType) for name in _names(part)]
    return [*code.co_names, *inner]
