"""Large objects shared by many tasks: stored once for all workers, never sent with a task.

The arrays of an object are written to one file that workers map into memory; the rest is a few
bytes. A task carries only a path, and all workers of a machine share one copy of the rows.
"""

from __future__ import annotations

import mmap
import os
import pickle
import struct
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

_HEAD = struct.Struct("<QQ")  # offset and length of the description
_ALIGNMENT = 64


@dataclass(frozen=True)
class Spilled:
    """An object in a file; `load` maps it once per process."""

    path: str

    def load(self) -> Any:
        """Return the object; its arrays are read-only views of the file."""
        try:
            return _mapped(self.path)
        except FileNotFoundError:
            raise RuntimeError(
                f"a worker cannot find {self.path}, which contains the rows for all workers. Set "
                "the environment variable TMPDIR to a folder that every machine can read"
            ) from None


@contextmanager
def spilled(thing: Any) -> Iterator[Spilled]:
    """Store an object in a temporary file within a ``with`` block."""
    with tempfile.TemporaryDirectory(prefix="calibrant-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "rows"
        _write(thing, path)
        yield Spilled(str(path))


def _write(thing: Any, path: Path) -> None:
    buffers: list[pickle.PickleBuffer] = []
    described = _pickled(thing, buffers)
    spans = []
    with path.open("wb") as stream:
        stream.write(_HEAD.pack(0, 0))
        for buffer in buffers:
            stream.write(bytes(-stream.tell() % _ALIGNMENT))
            raw = buffer.raw()
            spans.append((stream.tell(), len(raw)))
            stream.write(raw)
        start = stream.tell()
        stream.write(pickle.dumps((described, spans)))
        length = stream.tell() - start
        stream.seek(0)
        stream.write(_HEAD.pack(start, length))


def _pickled(thing: Any, buffers: list[pickle.PickleBuffer]) -> bytes:
    try:
        return pickle.dumps(thing, protocol=5, buffer_callback=buffers.append)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        buffers.clear()
        try:
            import cloudpickle  # comes with dask and pickles functions defined interactively
        except ImportError:
            raise ValueError(
                f"a process-based executor requires picklable objects; {error}. Define "
                "your functions at the top level of a module that the workers can import"
            ) from error
        described: bytes = cloudpickle.dumps(thing, protocol=5, buffer_callback=buffers.append)
        return described


@lru_cache(maxsize=1)  # a mapped file keeps its disk space until it is released
def _mapped(path: str) -> Any:
    with Path(path).open("rb") as stream:
        view = memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
    start, length = _HEAD.unpack_from(view)
    described, spans = pickle.loads(view[start : start + length])
    return pickle.loads(described, buffers=[view[a : a + size] for a, size in spans])


def seen_by_all(path: str) -> bool:
    """Return whether a file exists; called on the workers of a cluster."""
    return os.path.exists(path)  # noqa: PTH110 - a plain function travels without its class
