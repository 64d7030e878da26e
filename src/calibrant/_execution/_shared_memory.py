"""Large objects for many tasks: put once where every worker finds them, never sent with a task.

The arrays of an object go into one file that workers map into memory; what is left of it is a
few bytes. So a task carries a path, and the workers of a machine share one copy of the rows.
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

_HEAD = struct.Struct("<QQ")  # where the description begins, and its length
_ALIGNMENT = 64


@dataclass(frozen=True)
class Spilled:
    """An object in a file; `load` maps it, once in every process."""

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
    """Put an object into a temporary file while the block lasts."""
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
            import cloudpickle  # it comes with dask and knows functions of a session
        except ImportError:
            raise ValueError(
                f"a process-based executor requires picklable objects; {error}. Define "
                "your functions at the top level of a module that the workers can import"
            ) from error
        described: bytes = cloudpickle.dumps(thing, protocol=5, buffer_callback=buffers.append)
        return described


@lru_cache(maxsize=1)  # a mapped file takes its place on the disk until it is forgotten
def _mapped(path: str) -> Any:
    with Path(path).open("rb") as stream:
        view = memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
    start, length = _HEAD.unpack_from(view)
    described, spans = pickle.loads(view[start : start + length])
    return pickle.loads(described, buffers=[view[a : a + size] for a, size in spans])


def seen_by_all(path: str) -> bool:
    """Say whether a file is there, for the workers of a cluster."""
    return os.path.exists(path)  # noqa: PTH110 - a plain function travels without its class
