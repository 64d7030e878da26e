"""Records as bytes: floats, float64 and int64 arrays, nested in lists, tuples and dicts.

A record consists of the length of its layout, the layout in JSON, and all numbers, 8 bytes each.
Reading never executes code, and inconsistent bytes raise `ValueError`.
"""

from __future__ import annotations

import json
import math
import struct
from typing import Any

import numpy as np

_LENGTH = struct.Struct("<I")


def pack(record: Any) -> bytes:
    """Return a record as bytes."""
    numbers: list[bytes] = []
    layout = json.dumps(_layout(record, numbers)).encode()
    return b"".join([_LENGTH.pack(len(layout)), layout, *numbers])


def unpack(packed: bytes) -> Any:
    """Return the record behind the bytes of `pack`; arrays are fresh and writeable."""
    try:
        start = _LENGTH.size + _LENGTH.unpack_from(packed)[0]
        layout = json.loads(packed[_LENGTH.size : start])
        numbers = np.frombuffer(packed, dtype="<i8", offset=start).astype(np.int64)
        return _rebuild(layout, numbers)
    except (struct.error, KeyError, TypeError, RecursionError) as error:
        raise ValueError(f"a record cannot be read: {error}") from error


def _layout(record: Any, numbers: list[bytes]) -> Any:
    if isinstance(record, list | tuple):
        kind = "list" if isinstance(record, list) else "tuple"
        return [kind, [_layout(entry, numbers) for entry in record]]
    if isinstance(record, dict):
        return ["dict", {key: _layout(entry, numbers) for key, entry in record.items()}]
    if isinstance(record, np.ndarray) and record.dtype == np.float64:
        numbers.append(record.astype("<f8").tobytes())
        return ["array", record.shape]
    if isinstance(record, np.ndarray) and record.dtype == np.int64:
        numbers.append(record.astype("<i8").tobytes())
        return ["whole", record.shape]
    if isinstance(record, float):
        numbers.append(struct.pack("<d", record))
        return ["float", None]
    raise TypeError(
        f"a checkpoint holds floats, float64 and int64 arrays; got {type(record).__name__}"
    )


def _rebuild(layout: Any, numbers: Any) -> Any:
    at = 0

    def fill(part: Any) -> Any:
        nonlocal at
        kind, inside = part
        if kind == "list":
            return [fill(entry) for entry in inside]
        if kind == "tuple":
            return tuple(fill(entry) for entry in inside)
        if kind == "dict":
            return {key: fill(entry) for key, entry in dict.items(inside)}
        shape = {"array": inside, "whole": inside, "float": []}[kind]
        if any(type(size) is not int or size < 0 for size in shape):
            raise ValueError(f"{shape} is not a shape")
        start, at = at, at + math.prod(shape)
        whole = numbers[start:at].reshape(shape).copy()
        array = whole if kind == "whole" else whole.view(np.float64)
        return float(array) if kind == "float" else array

    record = fill(layout)
    if at != len(numbers):
        raise ValueError(f"the layout takes {at} of {len(numbers)} numbers")
    return record
