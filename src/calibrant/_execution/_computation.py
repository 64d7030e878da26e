"""What the records of a checkpoint belong to: numbers, settings, versions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from calibrant._native import core_info
from calibrant._output import VERSION


def computation(*arrays: Any, **settings: Any) -> dict[str, Any]:
    """Describe what records belong to: numbers, settings, version, and what computes."""
    digest = blake2b(digest_size=16)
    for array in arrays:
        if array is None:
            digest.update(b"none")
            continue
        data = np.ascontiguousarray(array)
        digest.update(f"{data.dtype.str} {data.shape}".encode())
        digest.update(data.reshape(-1).view(np.uint8).data)
    found = {"calibrant": VERSION, **core_info(), "input": digest.hexdigest()}
    codes = list(_codes(list(settings.values())))
    if codes:
        found["functions and arrays"] = blake2b(b"".join(codes), digest_size=16).hexdigest()
    return found | {name: _without_addresses(str(value)) for name, value in settings.items()}


def _codes(setting: Any) -> Iterator[bytes]:
    """Yield what the functions in a setting do: two of the same name may differ."""
    if is_dataclass(setting):
        for f in fields(setting):
            yield from _codes(getattr(setting, f.name))
    elif isinstance(setting, tuple | list):
        for part in setting:
            yield from _codes(part)
    elif isinstance(setting, np.ndarray):
        yield setting.tobytes()
    elif isinstance(setting, FunctionType):
        held = [cell.cell_contents for cell in setting.__closure__ or ()]
        given = setting.__defaults__, setting.__kwdefaults__, held
        yield _without_addresses(repr(given)).encode()
        yield from _code(setting.__code__)
        yield from _codes(held)


def _code(code: CodeType) -> Iterator[bytes]:
    yield code.co_code
    yield repr(code.co_names).encode()
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code(constant)
        else:
            yield repr(constant).encode()


def _without_addresses(text: str) -> str:
    """Functions are printed with an address that is another one in every process."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", text)
