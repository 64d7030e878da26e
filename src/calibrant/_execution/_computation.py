"""The description of the computation that a checkpoint belongs to."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Any

import numpy as np

from calibrant._execution._behavior import behavior
from calibrant._native import core_info
from calibrant._output import VERSION


def computation(*arrays: Any, **settings: Any) -> dict[str, Any]:
    """Return a description of a computation: numbers, settings, version, and core."""
    digest = blake2b(digest_size=16)
    for array in arrays:
        if array is None:
            digest.update(b"none")
            continue
        data = np.ascontiguousarray(array)
        digest.update(f"{data.dtype.str} {data.shape}".encode())
        digest.update(data.reshape(-1).view(np.uint8).data)
    found = {"calibrant": VERSION, **core_info(), "input": digest.hexdigest()}
    codes = list(behavior(list(settings.values())))
    if codes:
        found["functions and arrays"] = blake2b(b"".join(codes), digest_size=16).hexdigest()
    return found | {name: _without_addresses(str(value)) for name, value in settings.items()}


def _without_addresses(text: str) -> str:
    """Remove the addresses of functions, which differ in every process."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", text)
